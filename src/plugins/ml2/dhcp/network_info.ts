/**
 * Networks as DHCP agents are given them: with their subnets and ports. Neutron gives an agent all that it serves in one answer,
 * which for many ports is more than a message may hold; so there are pages. A page is rows of networks and their ports, in the
 * order of their ids; a network that does not end with the page goes on in the next one with the same words and more ports.
 */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Sql } from '#src/lib/database.ts';
import type { HostAgent } from '#src/lib/ml2/mechanism_driver.ts';
import type { MessageReader } from '#src/lib/rpc.ts';
import { AIM_BYTES } from '#src/rpc/contract.ts';
import type { MechanismManager } from '../managers/mechanism.ts';

/** Where a page begins: after this port of this network; without a port, before its first. */
export interface PageStart {
  readonly network_id: string;
  readonly port_id: string | null;
}

export interface NetworkPage {
  /** Rows at most; undefined: all, which may be more than an answer can hold. */
  readonly limit?: number | undefined;
  readonly after?: PageStart | undefined;
}

export interface NetworkInfoHost {
  readonly sql: Sql;
  readonly reader: (name: 'subnet' | 'port') => MessageReader;
  readonly mechanisms: MechanismManager;
  readonly downTime: number;
  readonly disabledServe: boolean;
}

export interface Wanted {
  readonly host: string;
  /** This network alone, even if it is disabled. */
  readonly network_id?: string;
  /** Subnets with DHCP (true), without (false), or all. */
  readonly enable_dhcp: boolean | null;
  readonly page: NetworkPage;
}

/** No answer can hold so many ports. */
const ALL = 4000;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Row {
  readonly network_id: string;
  readonly port_id: string | null;
}

type SegmentRow = JsonObject & {
  readonly id: string;
  readonly network_type: string;
  readonly physical_network: string | null;
  readonly segmentation_id: number | null;
};

interface NetworkRow {
  readonly id: string;
  readonly project_id: string;
  readonly admin_state_up: boolean;
  readonly mtu: number;
  readonly subnets: readonly string[];
  readonly segments: readonly SegmentRow[];
}

/** The networks that the DHCP agent of a host serves, as far as the page goes: a fixed number of statements. */
export async function networkInfos(from: NetworkInfoHost, wanted: Wanted): Promise<readonly JsonObject[]> {
  const { sql, reader } = from;
  const rows = await readRows(from, wanted);
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ network_id }) => network_id))];
  const [networks, ports] = await Promise.all([
    readNetworks(sql, ids, wanted.enable_dhcp),
    reader('port')(
      sql,
      rows.flatMap(({ port_id }) => port_id ?? []),
    ),
  ]);
  const subnets = await reader('subnet')(sql, [
    ...new Set([...networks.values()].flatMap((network) => network.subnets)),
  ]);
  const routed = [...subnets.values()].some((subnet) => (subnet as JsonObject)['segment_id'] != null);
  const agents = routed ? await agentsOfHost(from, wanted.host) : [];

  /** The network without ports. */
  const describe = (network: NetworkRow): JsonObject => {
    const { id, project_id, admin_state_up, mtu } = network;
    const all = network.subnets
      .map((subnet) => subnets.get(subnet) as JsonObject | undefined)
      .filter((s) => s !== undefined);
    const local = localSubnets(from, wanted.host, agents, network, all);
    return { id, project_id, admin_state_up, ...local, ports: [], mtu };
  };

  const infos: { info: JsonObject; readonly ports: Json[] }[] = [];
  let bytes = 0;
  for (const { network_id, port_id } of rows) {
    const network = networks.get(network_id);
    // Gone since the rows were read, as may be the port.
    if (network === undefined) continue;
    const last = infos.at(-1);
    const begun = last !== undefined && last.info['id'] === network_id ? last : undefined;
    const entry = begun ?? { info: describe(network), ports: [] };
    const port = port_id === null ? undefined : ports.get(port_id);
    bytes += JSON.stringify(port ?? null).length + (begun === undefined ? JSON.stringify(entry.info).length : 0);
    if (wanted.page.limit !== undefined && bytes > AIM_BYTES && infos.length > 0) break;
    if (begun === undefined) infos.push(entry);
    if (port !== undefined) entry.ports.push(port);
  }
  // All of them are gone: what follows is not to be missed for it.
  if (infos.length === 0) return await networkInfos(from, { ...wanted, page: { ...wanted.page, after: rows.at(-1) } });
  return infos.map(({ info, ports }) => ({ ...info, ports }));
}

/** Networks with their ports, one row each; a network without ports is a row, too. */
async function readRows({ sql, disabledServe }: NetworkInfoHost, wanted: Wanted): Promise<readonly Row[]> {
  const { host, network_id, page } = wanted;
  const { after } = page;
  return await sql<Row[]>`
    select n.id as network_id, p.id as port_id from (
      select n.id from network_dhcp_agents s
      join agents a on a.id = s.agent_id join networks n on n.id = s.network_id
      where a.host = ${host} and a.agent_type = 'DHCP agent'
        and case when ${network_id === undefined} then n.admin_state_up and (a.admin_state_up or ${disabledServe})
          else n.id = ${network_id ?? FIRST} end
        and n.id >= ${after?.network_id ?? FIRST}
      order by n.id) n
    left join lateral (
      select p.id from ports p where p.network_id = n.id order by p.id) p on true
    where n.id > ${after?.network_id ?? FIRST} or coalesce(p.id, ${FIRST}) > ${after?.port_id ?? FIRST}
      or ${after === undefined}
    order by n.id, p.id limit ${page.limit ?? ALL}`;
}

async function readNetworks(
  sql: Sql,
  ids: readonly string[],
  enable_dhcp: boolean | null,
): Promise<ReadonlyMap<string, NetworkRow>> {
  const rows = await sql<NetworkRow[]>`
    select n.id, n.project_id, n.admin_state_up, n.mtu,
      (select coalesce(json_agg(s.id order by s.id), '[]') from subnets s
       where s.network_id = n.id and s.enable_dhcp = coalesce(${enable_dhcp}, s.enable_dhcp)) as subnets,
      (select coalesce(json_agg(json_build_object('id', g.id, 'network_id', g.network_id, 'name', g.name,
         'network_type', g.network_type, 'physical_network', g.physical_network, 'segmentation_id', g.segmentation_id,
         'is_dynamic', g.is_dynamic, 'segment_index', g.segment_index) order by g.segment_index), '[]')
       from network_segments g where g.network_id = n.id) as segments
    from networks n where n.id = any(${ids as string[]}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

async function agentsOfHost({ sql, downTime }: NetworkInfoHost, host: string): Promise<readonly HostAgent[]> {
  return await sql.unsafe<(HostAgent & Record<string, unknown>)[]>(
    `select a.agent_type, a.host, ${aliveSql(downTime)} as alive, a.configurations,
       to_char(a.heartbeat_timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as heartbeat_timestamp
     from ${AGENTS_FROM} where a.host = $1`,
    [host],
    { prepare: true },
  );
}

/**
 * The subnets that the host can serve, and those that it cannot: where subnets are on segments, a host has only those of the
 * segments that it is on. Of other hosts nothing is told.
 */
function localSubnets(
  { mechanisms }: NetworkInfoHost,
  host: string,
  agents: readonly HostAgent[],
  { segments }: NetworkRow,
  subnets: readonly JsonObject[],
): JsonObject {
  const routed = subnets.filter(({ segment_id }) => segment_id != null);
  if (routed.length === 0) return { subnets, non_local_subnets: [] };
  const here = new Map([[host, agents]]);
  const reached = new Set(
    segments.filter((segment) => mechanisms.hostsWithAccess(here, [segment]).length > 0).map(({ id }) => id),
  );
  const isLocal = ({ segment_id }: JsonObject) => reached.has(String(segment_id));
  return {
    subnets: routed.filter(isLocal),
    non_local_subnets: routed.filter((subnet) => !isLocal(subnet)),
    segments: segments.map((segment) => ({ ...segment, hosts: reached.has(segment.id) ? [host] : [] })),
  };
}
