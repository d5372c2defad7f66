/** What objects of ML2 share: filters, hosts, and the object NetworkSegment, which networks and bindings hold. */
import { nestedObject, type SqlType, standardFields } from '#src/db/mod.ts';

/** Columns that objects are found by, with their types; each goes by its own name in the row `alias`. */
export function columnFilters(
  alias: string,
  types: Readonly<Record<string, SqlType>>,
): Readonly<Record<string, readonly [string, SqlType]>> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, [`${alias}.${name}`, type]]));
}

/** Of the row `g`; nobody maps segments to hosts yet. */
export const NETWORK_SEGMENT = nestedObject('NetworkSegment', '1.0', {
  columns: {
    id: 'g.id',
    network_id: 'g.network_id',
    name: 'g.name',
    network_type: 'g.network_type',
    physical_network: 'g.physical_network',
    segmentation_id: 'g.segmentation_id',
    is_dynamic: 'g.is_dynamic',
    segment_index: 'g.segment_index',
    hosts: `'[]'::jsonb`,
    ...standardFields('g'),
    description: `nullif(g.description, '')`,
  },
});

/** Networks that the host has ports on, or serves with DHCP. */
export const networksOfHost = (host: string): string => `array(
  select p.network_id from port_bindings b join ports p on p.id = b.port_id where b.host = ${host}
  union select d.network_id from agents a join network_dhcp_agents d on d.agent_id = a.id where a.host = ${host})`;

/** The same by network, for those that `networks` gives (`id`, and the `network_id`). */
export const hostsOfNetworks = (networks: string): string => `
  with wanted as (${networks})
  select distinct w.id, b.host from wanted w join ports p on p.network_id = w.network_id
    join port_bindings b on b.port_id = p.id where b.host <> ''
  union select w.id, a.host from wanted w join network_dhcp_agents d on d.network_id = w.network_id
    join agents a on a.id = d.agent_id`;
