/** Agents beside a server with its own broker, as `npm start` gives it: they find broker and accounts in its state directory. */
import { onNode } from './agent_processes.ts';
import { agentStory, OPTIONS } from './agents.ts';

agentStory('the embedded broker, on Node', (life) => onNode(life, OPTIONS));
