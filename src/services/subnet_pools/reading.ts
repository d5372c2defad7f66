/** How subnet pools are read. */
import { type AttributeSql, anyOf, standardAttributes, type TableSql } from '#src/db/mod.ts';
import { SubnetPoolNotFound } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';

const owner: AttributeSql = { select: 'p.project_id' };
/** Answered as text, as Neutron does; found and sorted as the number that it is. */
const prefixLength = (column: string): AttributeSql => ({
  select: `p.${column}::text`,
  sort: `p.${column}`,
  filter: ({ values }, parameters) => anyOf(`p.${column}`, 'integer', values, parameters),
});

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'p.id', type: 'uuid' },
  name: { select: 'p.name' },
  tenant_id: owner,
  project_id: owner,
  prefixes: {
    select:
      'array_to_json(array(select x.cidr::text from subnetpool_prefixes x where x.subnetpool_id = p.id order by x.cidr))',
    sort: false,
  },
  default_quota: { select: 'p.default_quota', type: 'integer', sort: 'coalesce(p.default_quota, -1)' },
  ip_version: { select: 'p.ip_version', type: 'integer' },
  default_prefixlen: prefixLength('default_prefixlen'),
  min_prefixlen: prefixLength('min_prefixlen'),
  max_prefixlen: prefixLength('max_prefixlen'),
  is_default: { select: 'p.is_default', type: 'boolean' },
  shared: {
    select: `exists (select 1 from subnetpool_rbacs r where r.object_id = p.id and r.target_project in ('*', me.project))`,
    type: 'boolean',
  },
  address_scope_id: { select: 'p.address_scope_id', type: 'uuid', sort: `coalesce(p.address_scope_id::text, '')` },
  ...standardAttributes('p'),
};

/** Per caller, because `shared` is. */
export const subnetPoolReading = (context: Context): TableSql => ({
  from: (parameters) => `subnetpools p cross join (select ${parameters.add(context.project_id, 'text')} as project) me`,
  key: 'p.id',
  attributes: ATTRIBUTES,
  changed: 'p.updated_at',
  notFound: (id) => new SubnetPoolNotFound(id),
});
