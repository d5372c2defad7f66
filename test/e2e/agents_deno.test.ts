/** Server and agents on Deno, with Mosquitto where there is one. */
import { onDeno, WITH_MOSQUITTO } from './agent_processes.ts';
import { agentStory, HOSTS, OPTIONS } from './agents.ts';

const broker = WITH_MOSQUITTO ? 'Mosquitto' : 'the embedded broker';
agentStory(`${broker}, on Deno`, (life) => onDeno(life, OPTIONS, HOSTS));
