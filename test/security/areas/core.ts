/** Networks, subnets, ports, agents and quotas. */
import { type Area, everybody, members, only, type Row, readers } from './area.ts';

/** A quota is its project's; nobody else's. */
const ofProject: Row = { ...everybody(200), service: 403, stranger: 403 };

export const core: Area = {
  routes: {
    'GET networks': readers('sees', 'hidden'),
    'POST networks': { ...everybody(201), none: 403, reader: 403, service: 403 },
    'GET networks/{id}': readers(200, 404),
    'PUT networks/{id}': members(200),
    'DELETE networks/{id}': members(204),
    'GET subnets': readers('sees', 'hidden'),
    'POST subnets': { ...members(201), none: 403 },
    'GET subnets/{id}': readers(200, 404),
    'PUT subnets/{id}': members(200),
    'DELETE subnets/{id}': members(204),
    'GET ports': readers('sees', 'hidden'),
    'POST ports': { ...members(201, 201), none: 403 },
    'GET ports/{id}': readers(200, 404),
    'PUT ports/{id}': members(200, 200),
    'DELETE ports/{id}': members(204, 204),
    'GET ports/{id}/diagnosis': { ...only(200, 403), none: 404, stranger: 404 },
    'GET agents': only('sees', 'hidden'),
    'GET agents/{id}': only(200, 404),
    'PUT agents/{id}': only(200, 404),
    'DELETE agents/{id}': only(204, 404),
    'GET availability_zones': { ...everybody('sees'), none: 'hidden', service: 'hidden' },
    'GET quotas': { ...only('sees', 403), manager: 'sees' },
    'GET quotas/{id}': ofProject,
    'PUT quotas/{id}': only(200, 403),
    'DELETE quotas/{id}': only(204, 403),
    'GET quotas/{id}/default': ofProject,
    'GET quotas/{id}/details': ofProject,
    'GET quotas/tenant': everybody(200),
    'GET quotas/project': everybody(200),
  },
  async furnish(stack) {
    const { sql } = stack.database;
    await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { network: 90 } } });
    const network = await stack.create('network', { project_id: 'alice' });
    const subnet = await stack.create('subnet', {
      network_id: network.id,
      project_id: 'alice',
      ip_version: 4,
      cidr: '10.0.0.0/24',
    });
    // On a network beside, so that the other can be deleted.
    const other = await stack.create('network', { project_id: 'alice' });
    const port = await stack.create('port', { network_id: other.id, project_id: 'alice' });
    const [agent] = await sql<{ id: string }[]>`
    insert into agents (id, agent_type, "binary", topic, host, availability_zone, admin_state_up, configurations,
      created_at, started_at, heartbeat_timestamp)
    values (gen_random_uuid(), 'DHCP agent', 'b', 't', 'host', 'nova', true, '{}', now(), now(), now()) returning id`;
    return {
      ids: {
        networks: network.id,
        subnets: subnet.id,
        ports: port.id,
        agents: agent!.id,
        quotas: 'alice',
        availability_zones: 'nova',
      },
      bodies: {
        'POST networks': { network: {} },
        'POST subnets': { subnet: { network_id: other.id, ip_version: 4, cidr: '10.1.0.0/24' } },
        'POST ports': { port: { network_id: other.id } },
        'PUT networks/{id}': { network: { name: 'new' } },
        'PUT subnets/{id}': { subnet: { name: 'new' } },
        'PUT ports/{id}': { port: { name: 'new' } },
        'PUT agents/{id}': { agent: { description: 'new' } },
        'PUT quotas/{id}': { quota: { network: 10, force: true } },
      },
    };
  },
};
