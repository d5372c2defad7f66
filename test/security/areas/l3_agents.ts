/** Which L3 agents have which routers. */
import { type Area, only } from './area.ts';

const ROUTERS = 'agents/{parent}/l3-routers';

export const l3Agents: Area = {
  routes: {
    [`GET ${ROUTERS}`]: only('sees', 403),
    [`POST ${ROUTERS}`]: only(201, 403),
    [`DELETE ${ROUTERS}/{id}`]: only(204, 403),
    'GET routers/{parent}/l3-agents': only('sees', 403),
  },
  async furnish(stack) {
    const { sql } = stack.database;
    const router = await stack.create('router', { project_id: 'alice' });
    const other = await stack.create('router', { project_id: 'alice' });
    const [agent] = await sql<{ id: string }[]>`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, configurations, created_at, started_at,
        heartbeat_timestamp)
      values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', 'host with routers', true, '{}', now(),
        now(), now()) returning id`;
    const id = agent!.id;
    await sql`insert into router_l3_agents (router_id, agent_id, place) values (${router.id}, ${id}, 1)`;
    return {
      ids: { agents: id, routers: router.id, 'l3-routers': router.id, 'l3-agents': id },
      bodies: { [`POST ${ROUTERS}`]: { router_id: other.id } },
    };
  },
};
