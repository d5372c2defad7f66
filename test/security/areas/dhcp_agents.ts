/** Which DHCP agents serve which networks. */
import { type Area, only } from './area.ts';

const NETWORKS = 'agents/{parent}/dhcp-networks';

export const dhcpAgents: Area = {
  routes: {
    [`GET ${NETWORKS}`]: only('sees', 403),
    [`POST ${NETWORKS}`]: only(201, 403),
    [`DELETE ${NETWORKS}/{id}`]: only(204, 403),
    'GET networks/{parent}/dhcp-agents': only('sees', 403),
  },
  async furnish(stack) {
    const { sql } = stack.database;
    const network = await stack.create('network', { project_id: 'alice' });
    const other = await stack.create('network', { project_id: 'alice' });
    const [agent] = await sql<{ id: string }[]>`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, configurations, created_at, started_at,
        heartbeat_timestamp)
      values (gen_random_uuid(), 'DHCP agent', 'neutron-dhcp-agent', 'dhcp_agent', 'host with networks', true, '{}', now(),
        now(), now()) returning id`;
    const id = agent!.id;
    await sql`insert into network_dhcp_agents (network_id, agent_id, place) values (${network.id}, ${id}, 1)`;
    return {
      ids: { agents: id, networks: network.id, 'dhcp-networks': network.id, 'dhcp-agents': id },
      bodies: { [`POST ${NETWORKS}`]: { network_id: other.id } },
    };
  },
};
