/** How address groups are read, and which of them a caller sees: its own, and those that are shared with it. */
import { type AttributeSql, type Scope, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { AddressGroupNotFound } from './errors.ts';

const owner: AttributeSql = { select: 'g.project_id' };

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'g.id', type: 'uuid' },
  name: { select: 'g.name' },
  tenant_id: owner,
  project_id: owner,
  addresses: {
    select: `(select coalesce(json_agg(a.address order by a.address), '[]') from address_group_addresses a where a.address_group_id = g.id)`,
    sort: false,
  },
  shared: {
    select: `exists (select 1 from address_group_rbacs r where r.object_id = g.id and r.action = 'access_as_shared' and r.target_project in ('*', me.project))`,
    type: 'boolean',
  },
  ...standardAttributes('g'),
};

/** The reading; per caller, because `shared` is. */
export function addressGroupReading(context: Context): TableSql {
  return {
    from: (parameters) =>
      `address_groups g cross join (select ${parameters.add(context.project_id, 'text')} as project) me`,
    key: 'g.id',
    attributes: ATTRIBUTES,
    changed: 'g.updated_at',
    notFound: (id) => new AddressGroupNotFound(id),
  };
}

export function addressGroupScope(context: Context): Scope {
  return (parameters) => {
    if (context.is_admin) return undefined;
    const project = parameters.add(context.project_id, 'text');
    return (
      `(g.project_id = ${project} or g.id = any(array(select r.object_id from address_group_rbacs r ` +
      `where r.target_project in (${project}, '*') and r.action = 'access_as_shared')))`
    );
  };
}
