/** The README's session under Deno, as `deno task start` gives it. */
import { startNucleon } from '../support/nucleon.ts';
import { openstackSession } from './session.ts';

openstackSession('everything embedded, on Deno', async () => {
  const server = await startNucleon({ runtime: 'deno' });
  return { server, admin: await server.openrc(), stop: () => server.stop() };
});
