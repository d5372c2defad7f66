/** How address scopes are read, and what networks read of them. */
import type { AttributeSql, TableSql } from '#src/db/mod.ts';
import { AddressScopeNotFound } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';

const owner: AttributeSql = { select: 'a.project_id' };

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'a.id', type: 'uuid' },
  name: { select: 'a.name' },
  tenant_id: owner,
  project_id: owner,
  ip_version: { select: 'a.ip_version', type: 'integer' },
  shared: {
    select: `exists (select 1 from address_scope_rbacs r where r.object_id = a.id and r.target_project in ('*', me.project))`,
    type: 'boolean',
  },
};

/** Per caller, because `shared` is. */
export const addressScopeReading = (context: Context): TableSql => ({
  from: (parameters) =>
    `address_scopes a cross join (select ${parameters.add(context.project_id, 'text')} as project) me`,
  key: 'a.id',
  attributes: ATTRIBUTES,
  notFound: (id) => new AddressScopeNotFound(id),
});

const scopeOfNetwork = (version: 4 | 6) => ({
  select: `(select sp.address_scope_id from subnets ps join subnetpools sp on sp.id = ps.subnetpool_id
    where ps.network_id = n.id and ps.ip_version = ${version} limit 1)`,
  type: 'uuid' as const,
  sort: false as const,
});

/** All subnets of a network and IP version are in one scope, so any of them tells. */
export const scopesOfNetworks: AttributeExtension = {
  attributes: { ipv4_address_scope: scopeOfNetwork(4), ipv6_address_scope: scopeOfNetwork(6) },
};
