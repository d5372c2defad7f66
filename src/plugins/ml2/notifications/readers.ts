/** What messages to agents carry of networks, subnets and ports: dicts with the API's attributes, as Neutron sends them. */
import { showRows, type TableSql } from '#src/db/mod.ts';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { adminContext } from '#src/lib/context.ts';
import type { MessageReader } from '#src/lib/rpc.ts';
import type { ExtensionManager, ResourceExtensions } from '../managers/extension.ts';
import { networkReading } from '../networks/reading.ts';
import { portReading } from '../ports/reading.ts';
import { subnetReading } from '../subnets/reading.ts';

function reader(table: TableSql): MessageReader {
  return async (sql, ids) => {
    const rows = await showRows(sql, table, ids);
    return new Map(rows.map((row) => [String(row['id']), row as JsonObject]));
  };
}

/** What agents are told of a reading: all but what the server reads for itself. */
function told(reading: TableSql, { internal }: ResourceExtensions): TableSql {
  const attributes = Object.entries(reading.attributes).filter(([name]) => !internal.has(name));
  return { ...reading, attributes: Object.fromEntries(attributes) };
}

/** Ports as agents have them: with what the API shows, and how their addresses are given out. */
export function agentPortReading({ ports }: Pick<ExtensionManager, 'ports'>): TableSql {
  const reading = told(portReading(ports), ports);
  return { ...reading, attributes: { ...reading.attributes, ip_allocation: { select: 'p.ip_allocation' } } };
}

/** Networks as agents have them. They are nobody's project: `shared` means shared with all. */
export function agentNetworkReading({ networks }: Pick<ExtensionManager, 'networks'>): TableSql {
  return told(networkReading(networks)(adminContext()), networks);
}

/** Of the segment that a port is plugged into, one word, by `<port id> <word>`; while it is not bound, of its network's first. */
const portSegment: MessageReader = async (sql, ids) => {
  const ports = [...new Set(ids.map((id) => id.slice(0, id.indexOf(' '))))];
  const rows = await sql<({ readonly id: string } & JsonObject)[]>`
    select p.id, coalesce(b.network_type, n.network_type) as network_type,
      case when b.id is null then n.physical_network else b.physical_network end as physical_network,
      case when b.id is null then n.segmentation_id else b.segmentation_id end::float8 as segmentation_id
    from ports p
    left join lateral (
      select s.* from port_bindings a
      join port_binding_levels l on l.port_id = a.port_id and l.host = a.host
      join network_segments s on s.id = l.segment_id
      where a.port_id = p.id and a.status = 'ACTIVE' order by l.level desc limit 1) b on true
    left join lateral (
      select * from network_segments where network_id = p.network_id and not is_dynamic
      order by segment_index limit 1) n on true
    where p.id = any(${ports}::uuid[])`;
  const byPort = new Map(rows.map((row) => [row.id, row]));
  const read = new Map<string, Json>();
  for (const id of ids) {
    const [port = '', word = ''] = id.split(' ');
    const segment = byPort.get(port);
    if (segment !== undefined) read.set(id, segment[word] ?? null);
  }
  return read;
};

/** The readers by the names that notifications use. */
export function resourceReaders(extensions: ExtensionManager): Readonly<Record<string, MessageReader>> {
  return {
    network: reader(agentNetworkReading(extensions)),
    subnet: reader(subnetReading(extensions.subnets)(adminContext())),
    port: reader(agentPortReading(extensions)),
    port_segment: portSegment,
  };
}
