/** What messages of `l2population` carry, and whom they reach: each with one statement for all that are sent together. */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import type { Audience, MessageReader } from '#src/lib/rpc.ts';
import { BEHIND_MANY_TUNNELS } from '../../owners.ts';
import type { NetworkShare, OtherHosts, PortChanged, PortGone, PortHere } from './ids.ts';
import { readId } from './ids.ts';

/** neutron_lib.constants.FLOODING_ENTRY: the host takes what is for everybody. */
const FLOODING = ['00:00:00:00:00:00', '0.0.0.0'];

/** An agent (`a`) that works with forwarding entries. */
export const L2_AGENT = `a.configurations->>'l2_population' = 'true' and a.configurations->>'tunneling_ip' <> ''`;

/**
 * The end of a host's tunnels, as its agent reports it; not if that is the endpoint of another host (`tunnel_sync`): packets for
 * this one would go there.
 */
const tunnelOf = (host: string): string => `(
  select a.configurations->>'tunneling_ip' as ip,
    coalesce(a.configurations->'l2pop_network_types', a.configurations->'tunnel_types', '[]')::jsonb as types
  from agents a
  where a.host = ${host} and ${L2_AGENT} and not exists (
    select 1 from tunnel_endpoints e where e.ip_address = a.configurations->>'tunneling_ip' and e.host <> a.host)
  limit 1)`;

/** The segment that a port (`p`) is plugged into by a binding (`b`). */
const BOTTOM = `(
  select s.network_type, s.segmentation_id::float8 as segment_id
  from port_binding_levels l join network_segments s on s.id = l.segment_id
  where l.port_id = b.port_id and l.host = b.host order by l.level desc limit 1)`;

/** Whether a port (`p`) is so far on the host of a binding (`b`): its own, or a replica. */
export const wired = (...statuses: readonly string[]): string => {
  const any = statuses.map((status) => `'${status}'`).join(', ');
  return `(b.status = 'ACTIVE' and p.status in (${any}) or b.host_status in (${any}))`;
};

/** Of a port that is behind many tunnels none of its addresses leads to one of them. */
const IPS = `array(
  select host(f.ip_address) from ip_allocations f where f.port_id = p.id and not ${BEHIND_MANY_TUNNELS}
  order by f.position, f.subnet_id)`;

interface Segment {
  readonly network_id: string;
  readonly network_type: string;
  readonly segment_id: number | null;
}
type Tunnels = Readonly<Record<string, Json>>;

/** `{network: {segment_id, network_type, ports: {tunnel ip: [[mac, ip], ...]}}}` */
const entries = ({ network_id, network_type, segment_id }: Segment, ports: Tunnels): JsonObject => ({
  [network_id]: { segment_id, network_type, ports },
});

const pairs = (mac: string, ips: readonly string[]): readonly Json[] => ips.map((ip) => [mac, ip]);

/** Rows by the place of their id among those that were asked for. */
async function byPlace<Value, Row extends object>(
  sql: Queryable,
  ids: readonly string[],
  text: string,
): Promise<readonly (readonly [id: string, asked: Value, row: Row])[]> {
  const asked = ids.map((id, place) => ({ place, ...readId<object>(id) }));
  const rows = await sql.unsafe<(Row & { readonly place: number })[]>(text, [asked as never], { prepare: true });
  return rows.map((row) => [ids[row.place]!, asked[row.place] as Value, row]);
}

/** A port that is ACTIVE on the host still. */
const OF_PORT = `
  select r.place, p.network_id, p.mac_address, ${IPS} as ips, t.ip, g.network_type, g.segment_id
  from json_to_recordset($1::json) as r (place int, port_id uuid, host text)
  join ports p on p.id = r.port_id
  join port_bindings b on b.port_id = p.id and b.host = r.host and ${wired('ACTIVE')}
  cross join lateral ${BOTTOM} g
  cross join lateral ${tunnelOf('b.host')} t
  where t.types ? g.network_type`;

const fdbOfPort: MessageReader = async (sql, ids) => {
  type Row = Segment & { readonly mac_address: string; readonly ips: readonly string[]; readonly ip: string };
  const found = await byPlace<PortHere, Row>(sql, ids, OF_PORT);
  return new Map(
    found.map(([id, , row]) => [id, entries(row, { [row.ip]: [FLOODING, ...pairs(row.mac_address, row.ips)] })]),
  );
};

/** Its binding is gone: the segment is the network's that the host's tunnels can carry. */
const OF_GONE_PORT = `
  select r.place, r.network_id, t.ip, g.network_type, g.segment_id, not exists (
    select 1 from port_bindings b join ports p on p.id = b.port_id
    where b.host = r.host and p.network_id = r.network_id and ${wired('ACTIVE', 'BUILD')}
  ) as last
  from json_to_recordset($1::json) as r (place int, network_id uuid, host text)
  cross join lateral ${tunnelOf('r.host')} t
  cross join lateral (
    select s.network_type, s.segmentation_id::float8 as segment_id from network_segments s
    where s.network_id = r.network_id and t.types ? s.network_type order by s.segment_index limit 1) g`;

const fdbOfGonePort: MessageReader = async (sql, ids) => {
  const found = await byPlace<PortGone, Segment & { readonly ip: string; readonly last: boolean }>(
    sql,
    ids,
    OF_GONE_PORT,
  );
  return new Map(
    found.flatMap(([id, { mac_address, ips }, row]) => {
      const gone = [...(row.last ? [FLOODING] : []), ...pairs(mac_address, ips)];
      return gone.length === 0 ? [] : [[id, entries(row, { [row.ip]: gone })] as const];
    }),
  );
};

const OF_CHANGED_PORT = `
  select r.place, t.ip from json_to_recordset($1::json) as r (place int, host text)
  cross join lateral ${tunnelOf('r.host')} t`;

const fdbOfChangedPort: MessageReader = async (sql, ids) => {
  const found = await byPlace<PortChanged, { readonly ip: string }>(sql, ids, OF_CHANGED_PORT);
  return new Map(
    found.map(([id, { network_id, mac_address, before, after }, { ip }]) => {
      const changed: Record<string, Json> = {};
      if (before.length > 0) changed['before'] = pairs(mac_address, before);
      if (after.length > 0) changed['after'] = pairs(mac_address, after);
      return [id, { chg_ip: { [network_id]: { [ip]: changed } } }];
    }),
  );
};

/** All that other hosts have wired of a network, in a stretch of ids, by tunnel. */
const OF_NETWORK = `
  select r.place, r.network_id, g.network_type, g.segment_id, w.ports
  from json_to_recordset($1::json) as r (place int, network_id uuid, host text, low uuid, high uuid)
  cross join lateral ${tunnelOf('r.host')} own
  cross join lateral (
    select s.network_type, s.segmentation_id::float8 as segment_id from network_segments s
    where s.network_id = r.network_id and own.types ? s.network_type order by s.segment_index limit 1) g
  cross join lateral (
    select json_agg(json_build_object('ip', t.ip, 'entries', h.entries) order by t.ip) as ports
    from (
      select b.host, json_agg(json_build_array(p.mac_address, host(f.ip_address)) order by p.id, f.position)
        filter (where f.ip_address is not null) as entries
      from ports p
      join port_bindings b on b.port_id = p.id and b.host <> r.host and ${wired('ACTIVE', 'BUILD')}
      left join ip_allocations f on f.port_id = p.id and not ${BEHIND_MANY_TUNNELS}
      where p.network_id = r.network_id and p.id between r.low and r.high
      group by b.host) h
    cross join lateral ${tunnelOf('h.host')} t
    where t.types ? g.network_type) w
  where w.ports is not null`;

const fdbOfNetwork: MessageReader = async (sql, ids) => {
  type Row = Segment & { readonly ports: readonly { readonly ip: string; readonly entries: readonly Json[] | null }[] };
  const found = await byPlace<NetworkShare, Row>(sql, ids, OF_NETWORK);
  return new Map(
    found.map(([id, , row]) => {
      const tunnels = row.ports.map((port) => [port.ip, [FLOODING, ...(port.entries ?? [])]] as const);
      return [id, entries(row, Object.fromEntries(tunnels))];
    }),
  );
};

/** Hosts with ports on a network whose agents work with forwarding entries, but for the one that is told about. */
const l2populationHosts: Audience = async (sql, ids) => {
  const asked = ids.map((id) => [id, readId<OtherHosts>(id)] as const);
  const networks = [...new Set(asked.map(([, { network_id }]) => network_id))];
  const rows = await sql.unsafe<{ id: string; hosts: readonly string[] }[]>(
    `select p.network_id as id, array_agg(distinct b.host) as hosts
     from ports p join port_bindings b on b.port_id = p.id
     where p.network_id = any($1::uuid[]) and exists (select 1 from agents a where a.host = b.host and ${L2_AGENT})
     group by p.network_id`,
    [networks as never],
    { prepare: true },
  );
  const byNetwork = new Map(rows.map(({ id, hosts }) => [id, hosts]));
  return new Map(
    asked.map(([id, { network_id, host }]) => [id, (byNetwork.get(network_id) ?? []).filter((name) => name !== host)]),
  );
};

/** Readers and audiences by the names that the driver's messages use. */
export const l2populationSources = {
  audiences: { l2population: l2populationHosts },
  readers: {
    fdb_of_port: fdbOfPort,
    fdb_of_gone_port: fdbOfGonePort,
    fdb_of_changed_port: fdbOfChangedPort,
    fdb_of_network: fdbOfNetwork,
  },
} as const;
