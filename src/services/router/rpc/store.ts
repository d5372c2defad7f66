/** SQL of what agents are told of routers, beside their attributes: each statement is for any number of routers. */
import type { Queryable } from '#src/lib/database.ts';
import { FLOATING_PLACE } from '../dvr/hosts.ts';
import type { L3Agent } from './routers_of_host.ts';

/** What agents are told of a router that the API does not show. */
export interface RouterPlace {
  readonly id: string;
  readonly ha: boolean;
  readonly distributed: boolean;
  readonly gw_port_id: string | null;
  readonly ha_vr_id: number;
  /** The host of its agent, of highly available routers of the active one, or else of the first. */
  readonly host: string | null;
  readonly active_host: string | null;
  /** Of the asking agent. */
  readonly ha_port_id: string | null;
  readonly ha_state: string | null;
  /** What reports of states are to know. */
  readonly ha_epoch: number;
  readonly ports: readonly { readonly id: string; readonly port_type: string }[];
  /** The asking agent's gateway ports to the networks that distributed routers have gateways on. */
  readonly agent_ports: readonly string[];
}

export async function routerPlaces(
  sql: Queryable,
  agent: L3Agent,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RouterPlace>> {
  const rows = await sql.unsafe<(RouterPlace & Record<string, unknown>)[]>(
    `select r.id, r.ha, r.distributed, r.gw_port_id, coalesce(v.vr_id, 0) as ha_vr_id,
       h.port_id as ha_port_id, h.state as ha_state, r.ha_epoch::float8 as ha_epoch,
       active.host as active_host, coalesce(active.host, first.host) as host,
       coalesce((select json_agg(json_build_object('id', o.port_id, 'port_type', o.port_type) order by o.port_id)
         from router_ports o where o.router_id = r.id), '[]') as ports,
       case when r.distributed then coalesce((
         select json_agg(g.port_id order by g.port_id)
         from router_ports o join ports p on p.id = o.port_id
         join agent_gateway_ports g on g.network_id = p.network_id and g.agent_id = $2::uuid and g.port_id is not null
         where o.router_id = r.id and o.port_type = 'network:router_gateway'), '[]') else '[]' end as agent_ports
     from routers r
     left join router_vr_ids v on v.router_id = r.id
     left join router_ha_ports h on h.router_id = r.id and h.agent_id = $2::uuid
     left join lateral (
       select a.host from router_ha_ports k join agents a on a.id = k.agent_id
       where k.router_id = r.id and k.state = 'active' limit 1) active on true
     left join lateral (
       select a.host from router_l3_agents l join agents a on a.id = l.agent_id
       where l.router_id = r.id order by l.place limit 1) first on true
     where r.id = any($1::uuid[])`,
    [ids as string[], agent.id] as never[],
    { prepare: true },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A floating IP with where it is. */
export interface FloatingPlace {
  readonly id: string;
  readonly router_id: string;
  readonly distributed: boolean;
  readonly host: string | null;
  readonly dest_host: string | null;
  /** Null where it leads to no port by itself. */
  readonly centralized: boolean | null;
  /** The address scope of the address that it leads to. */
  readonly scope: string | null;
}

/** An agent in mode `legacy` has no distributed routers: it need not be asked where ports are. */
const NO_PLACE = `
  cross join lateral (select null::text as host, null::text as dest_host, null::boolean as centralized) place`;

/** Joins to floating IPs `f` where they are, as far as the agent has to know it. */
export const placeFor = ({ mode }: L3Agent): string => (mode === 'legacy' ? NO_PLACE : FLOATING_PLACE);

/** A floating IP `f` of a router `r` that a host (`$2`) with the agent `$3` has to know of. */
export const CONCERNED = `(not r.distributed or place.host = $2 or place.dest_host = $2 or coalesce(place.centralized, true) and exists (
  select from router_l3_agents l where l.router_id = r.id and l.agent_id = $3::uuid))`;

/** The floating IPs of routers that the host has to know of, in order; of the first router those after one on. */
export async function floatingPlaces(
  sql: Queryable,
  agent: L3Agent,
  ids: readonly string[],
  after: { readonly router_id: string; readonly floatingip_id: string },
  limit: number | null,
): Promise<readonly FloatingPlace[]> {
  return await sql.unsafe<(FloatingPlace & Record<string, unknown>)[]>(
    `select f.id, f.router_id, r.distributed, place.host, place.dest_host, place.centralized, (
       select q.address_scope_id from ip_allocations i join subnets s on s.id = i.subnet_id
       join subnetpools q on q.id = s.subnetpool_id
       where i.port_id = f.fixed_port_id and i.ip_address = f.fixed_ip_address limit 1) as scope
     from floatingips f join routers r on r.id = f.router_id ${placeFor(agent)}
     where f.router_id = any($1::uuid[]) and ${CONCERNED} and (f.router_id <> $4::uuid or f.id > $5::uuid)
     order by f.router_id, f.id limit $6::int`,
    [ids as string[], agent.host, agent.id, after.router_id, after.floatingip_id, limit] as never[],
    { prepare: true },
  );
}

/** A subnet as routers are told of it. */
export interface RoutedSubnet {
  readonly id: string;
  readonly cidr: string;
  readonly gateway_ip: string | null;
  readonly dns_nameservers: readonly string[];
  readonly ipv6_ra_mode: string | null;
  readonly subnetpool_id: string | null;
}

export interface RoutedNetwork {
  readonly id: string;
  readonly mtu: number;
  readonly subnets: readonly RoutedSubnet[];
  /** By IP version. */
  readonly address_scopes: Readonly<Record<'4' | '6', string | null>>;
}

export async function routedNetworks(
  sql: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RoutedNetwork>> {
  const scope = (version: number) =>
    `(select q.address_scope_id from subnets s join subnetpools q on q.id = s.subnetpool_id
      where s.network_id = n.id and s.ip_version = ${version} and q.address_scope_id is not null
      order by s.created_at desc, s.id limit 1)`;
  const rows = await sql.unsafe<(RoutedNetwork & Record<string, unknown>)[]>(
    `select n.id, n.mtu, coalesce((
         select json_agg(json_build_object('id', s.id, 'cidr', s.cidr::text, 'gateway_ip', host(s.gateway_ip),
           'dns_nameservers', array_to_json(s.dns_nameservers), 'ipv6_ra_mode', s.ipv6_ra_mode,
           'subnetpool_id', case when s.prefix_delegated then 'prefix_delegation' else s.subnetpool_id::text end) order by s.created_at, s.id)
         from subnets s where s.network_id = n.id), '[]') as subnets,
       json_build_object('4', ${scope(4)}, '6', ${scope(6)}) as address_scopes
     from networks n where n.id = any($1::uuid[])`,
    [ids as string[] as never],
    { prepare: true },
  );
  return new Map(rows.map((row) => [row.id, row]));
}
