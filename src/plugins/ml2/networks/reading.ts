/** How networks are read: one statement for any attributes, with what the caller may see of sharing. */
import { type AttributeSql, anyOf, type SqlType, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import type { ResourceExtensions } from '../managers/extension.ts';
import { PROVIDER, SEGMENTS } from './provider.ts';

const owner: AttributeSql = { select: 'n.project_id' };

/** Of networks with one segment; those with more have `segments` in its place. */
const provider = (select: string, none: string, filter: NonNullable<AttributeSql['filter']>): AttributeSql => ({
  select: `case when g.segments = 1 then ${select} end`,
  sort: `coalesce(${select}, ${none})`,
  filter,
});

/** Networks that have such a segment. */
const ofSegments =
  (expression: string, type: SqlType): NonNullable<AttributeSql['filter']> =>
  ({ values }, parameters) =>
    `n.id = any(array(select f.network_id from network_segments f where not f.is_dynamic and ${anyOf(expression, type, values, parameters)}))`;

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
  is_default: { select: 'coalesce(x.is_default, false)', type: 'boolean' },
  'provider:network_type': provider('g.network_type', `''`, ofSegments('f.network_type', 'text')),
  'provider:physical_network': provider(
    'g.physical_network',
    `''`,
    ofSegments(`coalesce(f.physical_network, '')`, 'text'),
  ),
  // GRE keys pass int4; float8 arrives as a number, int8 as text.
  'provider:segmentation_id': provider('g.segmentation_id::float8', '0', ofSegments('f.segmentation_id', 'integer')),
  segments: {
    select: `case when g.segments > 1 then (
      select json_agg(json_build_object('provider:network_type', f.network_type, 'provider:physical_network',
        f.physical_network, 'provider:segmentation_id', f.segmentation_id) order by f.segment_index)
      from network_segments f where f.network_id = n.id and not f.is_dynamic) end`,
    sort: false,
  },
  // Those of the DHCP agents that serve the network.
  availability_zones: {
    select: `(select coalesce(json_agg(distinct a.availability_zone), '[]') from network_dhcp_agents d
      join agents a on a.id = d.agent_id where d.network_id = n.id and a.availability_zone <> '')`,
    sort: false,
  },
  availability_zone_hints: {
    select: 'array_to_json(n.availability_zone_hints)',
    sort: `array_to_string(n.availability_zone_hints, ',')`,
  },
  ...standardAttributes('n'),
};

/** The limits keep the planner from joining whole tables: a page costs its own rows only. */
const JOINS = {
  x: 'left join lateral (select network_id, is_default from external_networks where network_id = n.id limit 1) x on true',
  g:
    'left join lateral (select *, count(*) over () as segments from network_segments ' +
    'where network_id = n.id and not is_dynamic order by segment_index limit 1) g on true',
};

/** The reading of networks with what extension drivers add; per caller, because `shared` is. */
export function networkReading(extensions: ResourceExtensions): (context: Context) => TableSql {
  const attributes = { ...ATTRIBUTES, ...extensions.attributes };
  return (context) => ({
    from: (parameters) =>
      `networks n cross join (select ${parameters.add(context.project_id, 'text')} as project) me${extensions.joins}`,
    joins: JOINS,
    key: 'n.id',
    attributes,
    changed: 'n.updated_at',
    notFound: (id) => new NetworkNotFound(id),
    finish: showOneOrSegments,
  });
}

/** A network shows its one segment by `provider:...`, or several by `segments`. */
function showOneOrSegments(network: Record<string, unknown>): void {
  if (network[SEGMENTS] === null) network[SEGMENTS] = undefined;
  else if (network[SEGMENTS] !== undefined) for (const name of PROVIDER) network[name] = undefined;
}
