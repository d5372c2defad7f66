/** Routers beside a server with its own broker, as `npm start` gives it. */
import { onNode } from './agent_processes.ts';
import { OPTIONS, routerStory } from './routers.ts';

routerStory('the embedded broker, on Node', (life) => onNode(life, OPTIONS));
