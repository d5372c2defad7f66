/**
 * Who is told of routers: the hosts of the L3 agents that have them when the message is sent, and of distributed ones those with
 * something to serve there. Disabled agents are among them, and hosts that have nothing but DHCP's ports: what they ask then says
 * whether they go on.
 */
import type { Audience } from '#src/lib/rpc.ts';
import { placesOf } from '../dvr/hosts.ts';

const HOSTS = `
  select l.router_id, a.host from router_l3_agents l join agents a on a.id = l.agent_id
  where l.router_id = any($1::uuid[])
  union
  select d.router_id, d.host from (${placesOf('$1::uuid[]', true)}) d`;

/** The audience `router`. */
export const routerHosts: Audience = async (sql, ids) => {
  const rows = await sql.unsafe<{ router_id: string; hosts: readonly string[] }[]>(
    `select router_id, array_agg(host order by host) as hosts from (${HOSTS}) h group by router_id`,
    [ids as never],
    { prepare: true },
  );
  return new Map(rows.map(({ router_id, hosts }) => [router_id, hosts]));
};
