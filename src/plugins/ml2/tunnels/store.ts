/** SQL of tunnel endpoints. */

import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Audience } from '#src/lib/rpc.ts';

export interface TunnelEndpoint {
  readonly ip_address: string;
  readonly host: string;
  readonly udp_port: number | null;
}

/** With whether its host builds a tunnel to each end that it hears of. */
export interface KnownEndpoint extends TunnelEndpoint {
  readonly floods: boolean;
}

/** The constraints that two hosts meet which claim one address, or two addresses that one host claims, at once. */
export const ENDPOINT_CONSTRAINTS: ReadonlySet<string | undefined> = new Set([
  'tunnel_endpoints_network_type_ip_address_pk',
  'tunnel_endpoints_one_of_host',
]);

/** The endpoints of a network type in the order of addresses, from after one on. */
export async function tunnelEndpoints(
  sql: Queryable,
  network_type: string,
  page: { readonly after: string; readonly limit: number | null },
): Promise<readonly TunnelEndpoint[]> {
  return await sql<TunnelEndpoint[]>`
    select ip_address, host, udp_port from tunnel_endpoints
    where network_type = ${network_type} and ip_address > ${page.after} order by ip_address limit ${page.limit}`;
}

/** The endpoints that stand in the way of one: of its host, or with its address. */
export async function rivals(
  sql: Queryable,
  network_type: string,
  { host, ip_address }: Pick<TunnelEndpoint, 'host' | 'ip_address'>,
): Promise<readonly KnownEndpoint[]> {
  return await sql<KnownEndpoint[]>`
    select ip_address, host, udp_port, floods from tunnel_endpoints
    where network_type = ${network_type} and (host = ${host} or ip_address = ${ip_address})`;
}

/** Whether an agent of the host is alive that says it tunnels from the address. */
export async function usesAddress(
  sql: Queryable,
  { host, ip_address }: Pick<TunnelEndpoint, 'host' | 'ip_address'>,
  downTime: number,
): Promise<boolean> {
  const found = await sql.unsafe(
    `select 1 from ${AGENTS_FROM}
     where a.host = $1 and a.configurations->>'tunneling_ip' = $2 and ${aliveSql(downTime)} limit 1`,
    [host, ip_address],
    { prepare: true },
  );
  return found.length > 0;
}

/** Whether an agent of the host says that it builds tunnels by `l2population` alone. */
export async function hasL2population(sql: Queryable, host: string): Promise<boolean> {
  const found = await sql`
    select 1 from agents where host = ${host} and configurations->>'l2_population' = 'true' limit 1`;
  return found.length > 0;
}

/**
 * The hosts that build tunnels of network types as soon as they hear of an end. Those with `l2population` have no use for it:
 * thousands of them that start together would tell each other, each new one all that there are.
 */
export const tunnelHosts: Audience = async (sql, network_types) => {
  const rows = await sql.unsafe<{ network_type: string; hosts: readonly string[] }[]>(
    `select network_type, array_agg(host) as hosts from tunnel_endpoints
     where network_type = any($1::text[]) and floods group by network_type`,
    [network_types as never],
    { prepare: true },
  );
  return new Map(rows.map(({ network_type, hosts }) => [network_type, hosts]));
};

/** Puts the endpoint in the place of those in its way. */
export async function replaceEndpoint(
  tx: Transaction,
  network_type: string,
  { ip_address, host, udp_port, floods }: KnownEndpoint,
): Promise<void> {
  await Promise.all([
    tx`
      delete from tunnel_endpoints
      where network_type = ${network_type} and (host = ${host} or ip_address = ${ip_address})`,
    tx`
      insert into tunnel_endpoints (network_type, ip_address, host, udp_port, floods)
      values (${network_type}, ${ip_address}, ${host}, ${udp_port}, ${floods})`,
  ]);
}
