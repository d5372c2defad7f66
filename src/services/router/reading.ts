/** How routers, floating IPs and their pools are read, and by whom: by their project. */
import {
  type AttributeSql,
  anyOf,
  quotedJson,
  type ResourceExtensions,
  type Scope,
  standardAttributes,
  type TableSql,
} from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { FloatingIPNotFound, RouterNotFound } from './errors.ts';

/** Whether the caller sees everything. */
export const seesAll = (context: Context): boolean => context.is_admin || context.is_advsvc || context.is_service;

const owned =
  (alias: string) =>
  (context: Context): Scope =>
  (parameters) =>
    seesAll(context) ? undefined : `${alias}.project_id = ${parameters.add(context.project_id, 'text')}`;

export const routerScope = owned('r');
export const floatingIpScope = owned('f');

/** The addresses of the port that goes by the alias, as JSON. */
export const fixedIpsOf = (port: string): string =>
  `coalesce((select json_agg(json_build_object('subnet_id', a.subnet_id, 'ip_address', host(a.ip_address))
    order by a.position, a.subnet_id) from ip_allocations a where a.port_id = ${port}.id), '[]'::json)`;

const routerOwner: AttributeSql = { select: 'r.project_id' };

const ROUTER: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'r.id', type: 'uuid' },
  name: { select: 'r.name' },
  tenant_id: routerOwner,
  project_id: routerOwner,
  admin_state_up: { select: 'r.admin_state_up', type: 'boolean' },
  status: { select: 'r.status', json: quotedJson('r.status') },
  external_gateway_info: {
    select: `case when g.id is not null then json_build_object('network_id', g.network_id,
      'external_fixed_ips', ${fixedIpsOf('g')}, 'enable_snat', r.enable_snat) end`,
    sort: false,
  },
  enable_snat: { select: 'r.enable_snat', type: 'boolean' },
  /** Not shown: for those who go on with the router. */
  gw_port_id: { select: 'r.gw_port_id', type: 'uuid' },
  routes: { select: 'r.routes', sort: false },
  ...standardAttributes('r'),
};

const floatingOwner: AttributeSql = { select: 'f.project_id' };
const address = (column: string): AttributeSql => ({
  select: `host(${column})`,
  sort: `coalesce(${column}, '0.0.0.0')`,
  filter: ({ values }, parameters) => anyOf(column, 'inet', values, parameters),
});

const FLOATING: Readonly<Record<string, AttributeSql>> = {
  id: { select: 'f.id', type: 'uuid' },
  floating_ip_address: address('f.floating_ip_address'),
  floating_network_id: { select: 'f.floating_network_id', type: 'uuid' },
  router_id: { select: 'f.router_id', type: 'uuid', sort: `coalesce(f.router_id::text, '')` },
  port_id: { select: 'f.fixed_port_id', type: 'uuid' },
  fixed_ip_address: address('f.fixed_ip_address'),
  tenant_id: floatingOwner,
  project_id: floatingOwner,
  status: { select: 'f.status', json: quotedJson('f.status') },
  dns_name: { select: 'f.dns_name' },
  dns_domain: { select: 'f.dns_domain' },
  port_details: {
    select: `case when d.id is not null then json_build_object('name', d.name, 'network_id', d.network_id,
      'mac_address', d.mac_address, 'admin_state_up', d.admin_state_up, 'status', d.status,
      'device_id', d.device_id, 'device_owner', d.device_owner) end`,
    sort: false,
  },
  /** Not shown. */
  floating_port_id: { select: 'f.floating_port_id', type: 'uuid' },
  ...standardAttributes('f'),
};

export interface Reading {
  readonly routers: TableSql;
  readonly floatingips: TableSql;
}

/** The readings with what others add to the resources. The limits keep the planner from joining whole tables. */
export function readingOf(routers: ResourceExtensions, floatingips: ResourceExtensions): Reading {
  return {
    routers: {
      from: `routers r${routers.joins}`,
      joins: { g: 'left join lateral (select id, network_id from ports where id = r.gw_port_id limit 1) g on true' },
      key: 'r.id',
      attributes: { ...ROUTER, ...routers.attributes },
      changed: 'r.updated_at',
      notFound: (id) => new RouterNotFound(id),
    },
    floatingips: {
      from: `floatingips f${floatingips.joins}`,
      joins: { d: 'left join lateral (select * from ports where id = f.fixed_port_id limit 1) d on true' },
      key: 'f.id',
      attributes: { ...FLOATING, ...floatingips.attributes },
      changed: 'f.updated_at',
      notFound: (id) => new FloatingIPNotFound(id),
    },
  };
}

/** Pools are the IPv4 subnets of the external networks that the caller sees; they show as the caller's. */
export function poolReading(context: Context): TableSql {
  return {
    from: (parameters) =>
      `subnets s join external_networks x on x.network_id = s.network_id
       cross join (select ${parameters.add(context.project_id ?? '', 'text')} as project) me`,
    key: 's.id',
    attributes: {
      subnet_id: { select: 's.id', type: 'uuid' },
      subnet_name: { select: 's.name' },
      network_id: { select: 's.network_id', type: 'uuid' },
      cidr: { select: 's.cidr', type: 'cidr' },
      project_id: { select: 'me.project' },
    },
    notFound: (id) => new RouterNotFound(id),
  };
}

/** A condition on networks that go by `n`: the caller's own, and those that are shared with it in any way. */
export function networkVisible(context: Context, parameters: { add(value: unknown, cast?: string): string }): string {
  if (seesAll(context)) return 'true';
  const project = parameters.add(context.project_id, 'text');
  return `(n.project_id = ${project} or exists (
    select 1 from network_rbacs v where v.network_id = n.id and v.target_project in (${project}, '*')))`;
}

export const poolScope =
  (context: Context): Scope =>
  (parameters) =>
    `s.ip_version = 4 and exists (select 1 from networks n where n.id = s.network_id and ${networkVisible(context, parameters)})`;
