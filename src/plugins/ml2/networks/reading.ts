/** How networks are read: one statement for any attributes, with what the caller may see of sharing. */
import { type AttributeSql, anyOf, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import type { ResourceExtensions } from '../managers/extension.ts';

const owner: AttributeSql = { select: 'n.project_id' };

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'n.id', type: 'uuid' },
  name: { select: 'n.name' },
  tenant_id: owner,
  project_id: owner,
  admin_state_up: { select: 'n.admin_state_up', type: 'boolean' },
  mtu: { select: 'n.mtu', type: 'integer' },
  status: { select: 'n.status' },
  subnets: {
    select: `(select coalesce(json_agg(s.id order by s.created_at, s.id), '[]') from subnets s where s.network_id = n.id)`,
    sort: false,
  },
  shared: {
    select: `exists (select 1 from network_rbacs r where r.network_id = n.id and r.action = 'access_as_shared' and r.target_project in ('*', me.project))`,
    type: 'boolean',
  },
  'router:external': { select: '(x.network_id is not null)', type: 'boolean' },
  'provider:network_type': { select: 'g.network_type', sort: `coalesce(g.network_type, '')` },
  'provider:physical_network': { select: 'g.physical_network', sort: `coalesce(g.physical_network, '')` },
  'provider:segmentation_id': {
    // GRE keys pass int4; float8 arrives as a number, int8 as text.
    select: 'g.segmentation_id::float8',
    sort: 'coalesce(g.segmentation_id, 0)',
    filter: (filter, parameters) => anyOf('g.segmentation_id', 'integer', filter.values, parameters),
  },
  // Zones of the DHCP agents that serve the network: none, as long as networks are not scheduled to agents.
  availability_zones: { select: `'[]'::json`, sort: false },
  availability_zone_hints: {
    select: 'array_to_json(n.availability_zone_hints)',
    sort: `array_to_string(n.availability_zone_hints, ',')`,
  },
  ...standardAttributes('n'),
};

/** The reading of networks with what extension drivers add; per caller, because `shared` is. */
export function networkReading(extensions: ResourceExtensions): (context: Context) => TableSql {
  const attributes = { ...ATTRIBUTES, ...extensions.attributes };
  // The limits keep the planner from joining whole tables: a page costs its own rows only.
  const joins =
    'left join lateral (select network_id from external_networks where network_id = n.id limit 1) x on true ' +
    'left join lateral (select * from network_segments where network_id = n.id and not is_dynamic order by segment_index limit 1) g on true' +
    extensions.joins;
  return (context) => ({
    from: (parameters) =>
      `networks n cross join (select ${parameters.add(context.project_id, 'text')} as project) me ${joins}`,
    key: 'n.id',
    attributes,
    changed: 'n.updated_at',
    notFound: (id) => new NetworkNotFound(id),
  });
}
