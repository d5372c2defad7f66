/**
 * Who is told of a router because of one port that floating IPs lead to: of a distributed router the hosts where the port is or is
 * about to be, or those of its SNAT; of others all that have the router.
 */
import type { Audience } from '#src/lib/rpc.ts';
import { FLOATING_PLACE } from '../dvr/hosts.ts';

/** The audience `router_port`; its ids are `<router>/<port>`. */
export const routerPortHosts: Audience = async (sql, ids) => {
  const pairs = ids.map((id) => {
    const [router_id, fixed_port_id] = id.split('/');
    return { id, router_id, fixed_port_id };
  });
  const rows = await sql.unsafe<{ id: string; hosts: readonly string[] }[]>(
    `select f.id, array_agg(distinct h.host) as hosts
     from json_to_recordset($1::json) as f (id text, router_id uuid, fixed_port_id uuid)
     join routers r on r.id = f.router_id ${FLOATING_PLACE}
     cross join lateral (
       select a.host from router_l3_agents l join agents a on a.id = l.agent_id
       where l.router_id = r.id and (not r.distributed or coalesce(place.centralized, true))
       union all select place.host where r.distributed and not place.centralized
       union all select place.dest_host where r.distributed) h
     where h.host is not null group by f.id`,
    [pairs as never],
    { prepare: true },
  );
  return new Map(rows.map(({ id, hosts }) => [id, hosts]));
};
