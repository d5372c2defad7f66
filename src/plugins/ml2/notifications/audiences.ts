/** Hosts that networks and ports are on: those that a binding names, whether it has been carried out or not. */
import type { Audience } from '#src/lib/rpc.ts';

/** Hosts with ports on a network. */
export const networkHosts: Audience = async (sql, ids) => {
  const rows = await sql<{ id: string; hosts: readonly string[] }[]>`
    select p.network_id as id, array_agg(distinct b.host) as hosts
    from ports p join port_bindings b on b.port_id = p.id
    where p.network_id = any(${ids as string[]}::uuid[]) and b.host <> '' group by p.network_id`;
  return new Map(rows.map(({ id, hosts }) => [id, hosts]));
};

/** Hosts that a port is bound to: two while it migrates, with those of its replicas as many as its router is on. */
export const portHosts: Audience = async (sql, ids) => {
  const rows = await sql<{ id: string; hosts: readonly string[] }[]>`
    select port_id as id, array_agg(host) as hosts from port_bindings
    where port_id = any(${ids as string[]}::uuid[]) and host <> '' group by port_id`;
  return new Map(rows.map(({ id, hosts }) => [id, hosts]));
};
