/** What drivers must know to bind ports, read for all of them by one statement. */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Sql } from '#src/lib/database.ts';
import type { HostAgent } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';

export interface BindingInputs {
  readonly networks: ReadonlyMap<string, Resource>;
  /** By network: its own first, in their order, then dynamic ones. */
  readonly segments: ReadonlyMap<string, readonly Segment[]>;
  /** The segment that a subnet is on, null where it is on none of them. */
  readonly subnets: ReadonlyMap<string, string | null>;
  readonly agents: ReadonlyMap<string, readonly HostAgent[]>;
}

type Row =
  | { readonly kind: 'network'; readonly key: string; readonly value: Resource }
  | { readonly kind: 'segments'; readonly key: string; readonly value: readonly Segment[] }
  | { readonly kind: 'subnet'; readonly key: string; readonly value: string | null }
  | { readonly kind: 'agents'; readonly key: string; readonly value: readonly HostAgent[] };

const READ = (downTime: number) => `
  select 'network' as kind, n.id::text as key, to_json(r) as value from networks n cross join lateral (
    select n.id, n.name, n.project_id, n.admin_state_up, n.mtu, n.port_security_enabled, n.dns_domain,
      n.availability_zone_hints, n.vlan_transparent, n.qinq) r
  where n.id = any($1::uuid[])
  union all
  select 'segments', s.network_id::text, json_agg(json_build_object('id', s.id, 'network_type', s.network_type,
      'physical_network', s.physical_network, 'segmentation_id', s.segmentation_id)
    order by s.is_dynamic, s.segment_index, s.id)
  from network_segments s where s.network_id = any($1::uuid[]) group by s.network_id
  union all
  select 'subnet', id::text, to_json(segment_id) from subnets where id = any($2::uuid[])
  union all
  select 'agents', a.host, json_agg(json_build_object('agent_type', a.agent_type, 'host', a.host,
      'alive', ${aliveSql(downTime)}, 'configurations', a.configurations,
      'heartbeat_timestamp', to_char(a.heartbeat_timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
    order by a.agent_type)
  from ${AGENTS_FROM} where a.host = any($3::text[]) group by a.host`;

const distinct = (values: readonly unknown[]): readonly string[] => [...new Set(values.map(String))];

/** The subnets of a port's addresses. */
export function subnetsOf(port: Resource): readonly string[] {
  return (port['fixed_ips'] as readonly { readonly subnet_id: string }[]).map(({ subnet_id }) => subnet_id);
}

/** Reads what the drivers need for these ports; `downTime` is `[DEFAULT] agent_down_time`. */
export async function readInputs(sql: Sql, ports: readonly Resource[], downTime: number): Promise<BindingInputs> {
  const networks = distinct(ports.map((port) => port['network_id']));
  const subnets = distinct(ports.flatMap(subnetsOf));
  const hosts = distinct(ports.map((port) => port['binding:host_id']));
  const parameters = [networks, subnets, hosts];
  const rows = await sql.unsafe<Row[]>(READ(downTime), parameters as never[], { prepare: true });
  const found = {
    network: new Map<string, Resource>(),
    segments: new Map<string, readonly Segment[]>(),
    subnet: new Map<string, string | null>(),
    agents: new Map<string, readonly HostAgent[]>(),
  };
  for (const { kind, key, value } of rows) (found[kind] as Map<string, unknown>).set(key, value);
  return { networks: found.network, segments: found.segments, subnets: found.subnet, agents: found.agents };
}
