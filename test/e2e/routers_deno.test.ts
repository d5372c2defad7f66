/** Server and agents on Deno, with Mosquitto where there is one. */
import { onDeno, WITH_MOSQUITTO } from './agent_processes.ts';
import { HOSTS, OPTIONS, routerStory } from './routers.ts';

const broker = WITH_MOSQUITTO ? 'Mosquitto' : 'the embedded broker';
routerStory(`${broker}, on Deno`, (life) => onDeno(life, OPTIONS, HOSTS));
