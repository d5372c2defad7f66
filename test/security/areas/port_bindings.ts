/** Bindings of ports: for Nova (the role service), and administrators to look at. */
import { type Area, everybody, type Outcome, type Row } from './area.ts';

const BINDINGS = 'ports/{parent}/bindings';
const row = (admin: Outcome, service: Outcome, others: Outcome): Row => ({ ...everybody(others), admin, service });

export const portBindings: Area = {
  routes: {
    [`GET ${BINDINGS}`]: row('sees', 'sees', 'hidden'),
    [`POST ${BINDINGS}`]: row(403, 201, 403),
    [`GET ${BINDINGS}/{id}`]: row(200, 200, 404),
    [`PUT ${BINDINGS}/{id}`]: row(200, 403, 404),
    [`DELETE ${BINDINGS}/{id}`]: row(403, 204, 404),
    [`PUT ${BINDINGS}/{id}/activate`]: row(403, 200, 404),
  },
  async furnish(stack) {
    const { sql } = stack.database;
    const network = await stack.create('network', { project_id: 'alice' });
    // Without a segment there is nothing that a driver would have to bind.
    await sql`delete from network_segments where network_id = ${network.id}`;
    const port = await stack.create('port', {
      network_id: network.id,
      project_id: 'alice',
      device_owner: 'compute:nova',
      'binding:host_id': 'host1',
    });
    await sql`insert into port_bindings (port_id, host, status) values (${port.id}, 'host2', 'INACTIVE')`;
    return {
      ids: { ports: port.id, bindings: 'host2' },
      bodies: {
        [`POST ${BINDINGS}`]: { binding: { host: 'host3' } },
        [`PUT ${BINDINGS}/{id}`]: { binding: { profile: { new: true } } },
      },
    };
  },
};
