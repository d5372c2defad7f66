/** The README's session: everything embedded, as `npm start` gives it. */
import { startNucleon } from '../support/nucleon.ts';
import { openstackSession } from './session.ts';

openstackSession('everything embedded', async () => {
  const server = await startNucleon();
  return { server, admin: await server.openrc(), stop: () => server.stop() };
});
