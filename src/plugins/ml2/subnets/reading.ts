/** How subnets are read; what they share with their network is looked up there. */
import { type AttributeSql, anyOf, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { SubnetNotFound } from '#src/lib/errors.ts';
import type { ResourceExtensions } from '../managers/extension.ts';
import { PREFIX_DELEGATION } from './request.ts';

const owner: AttributeSql = { select: 's.project_id' };
const nullable = (expression: string): AttributeSql => ({ select: expression, sort: `coalesce(${expression}, '')` });

const ATTRIBUTES: Readonly<Record<string, AttributeSql>> = {
  id: { select: 's.id', type: 'uuid' },
  name: { select: 's.name' },
  tenant_id: owner,
  project_id: owner,
  network_id: { select: 's.network_id', type: 'uuid' },
  ip_version: { select: 's.ip_version', type: 'integer' },
  subnetpool_id: {
    select: `case when s.prefix_delegated then '${PREFIX_DELEGATION}' else s.subnetpool_id::text end`,
    sort: `coalesce(s.subnetpool_id::text, '')`,
    filter: ({ values }, parameters) => {
      const ofPools = anyOf('s.subnetpool_id', 'uuid', values, parameters);
      const kept = `(${ofPools} and not s.prefix_delegated)`;
      return values.includes(PREFIX_DELEGATION) ? `(${kept} or s.prefix_delegated)` : kept;
    },
  },
  enable_dhcp: { select: 's.enable_dhcp', type: 'boolean' },
  ipv6_ra_mode: nullable('s.ipv6_ra_mode'),
  ipv6_address_mode: nullable('s.ipv6_address_mode'),
  gateway_ip: {
    select: 'host(s.gateway_ip)',
    sort: `coalesce(s.gateway_ip, '0.0.0.0')`,
    filter: (filter, parameters) => anyOf('s.gateway_ip', 'inet', filter.values, parameters),
  },
  cidr: { select: 's.cidr', type: 'cidr' },
  allocation_pools: { select: 's.allocation_pools', sort: false },
  host_routes: { select: 's.host_routes', sort: false },
  dns_nameservers: { select: 'array_to_json(s.dns_nameservers)', sort: false },
  service_types: { select: 'array_to_json(s.service_types)', sort: false },
  'router:external': {
    select: 'exists (select 1 from external_networks x where x.network_id = s.network_id)',
    type: 'boolean',
  },
  shared: {
    select: `exists (select 1 from network_rbacs r where r.network_id = s.network_id and r.action = 'access_as_shared' and r.target_project in ('*', me.project))`,
    type: 'boolean',
  },
  ...standardAttributes('s'),
};

/** The reading of subnets with what extension drivers add; per caller, because `shared` is. */
export function subnetReading(extensions: ResourceExtensions): (context: Context) => TableSql {
  const attributes = { ...ATTRIBUTES, ...extensions.attributes };
  return (context) => ({
    from: (parameters) =>
      `subnets s cross join (select ${parameters.add(context.project_id, 'text')} as project) me${extensions.joins}`,
    key: 's.id',
    attributes,
    changed: 's.updated_at',
    notFound: (id) => new SubnetNotFound(id),
  });
}
