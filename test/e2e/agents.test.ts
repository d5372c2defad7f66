/** Agents beside a server with its own broker, as `npm start` gives it: they find broker and accounts in its state directory. */
import { startNucleon } from '../support/nucleon.ts';
import { agentStory, OPTIONS } from './agents.ts';

agentStory('the embedded broker, on Node', async (life) => {
  const server = life.add(await startNucleon({ env: OPTIONS }));
  return { server, runtime: 'node', env: { ...OPTIONS, OS_EMBEDDED__STATE_DIR: server.stateDir }, args: [] };
});
