/** Topologies that projects are given: each goes by its project. */
import { type Area, everybody } from './area.ts';

const TOPOLOGY = 'auto_allocated_topology/{id}';
const refused = { none: 403, service: 403, stranger: 403 } as const;

export const topologies: Area = {
  routes: {
    [`GET ${TOPOLOGY}`]: { ...everybody(200), ...refused },
    [`DELETE ${TOPOLOGY}`]: { ...everybody(204), ...refused, reader: 403 },
  },
  async furnish(stack) {
    const outside = await stack.create('network', { 'router:external': true, is_default: true });
    await stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '192.0.2.0/24' });
    const pool = {
      name: 'default',
      prefixes: ['10.128.0.0/16'],
      default_prefixlen: 26,
      is_default: true,
      shared: true,
    };
    await stack.create('subnetpool', pool);
    await stack.call('GET', '/v2.0/auto-allocated-topology/alice');
    return { ids: { auto_allocated_topology: 'alice' }, bodies: {} };
  },
};
