/** How NDP proxies are read, and by whom: by their project. */
import { type AttributeSql, anyOf, type Scope, standardAttributes, type TableSql } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { NDPProxyNotFound } from './errors.ts';

const owner: AttributeSql = { select: 'x.project_id' };

export const PROXY_READING: TableSql = {
  from: 'ndp_proxies x',
  key: 'x.id',
  attributes: {
    id: { select: 'x.id', type: 'uuid' },
    name: { select: 'x.name' },
    tenant_id: owner,
    project_id: owner,
    router_id: { select: 'x.router_id', type: 'uuid' },
    port_id: { select: 'x.port_id', type: 'uuid' },
    ip_address: {
      select: 'host(x.ip_address)',
      sort: 'x.ip_address',
      filter: ({ values }, parameters) => anyOf('x.ip_address', 'inet', values, parameters),
    },
    ...standardAttributes('x'),
  },
  changed: 'x.updated_at',
  notFound: (id) => new NDPProxyNotFound(id),
};

export const proxyScope =
  (context: Context): Scope =>
  (parameters) =>
    context.is_admin ? undefined : `x.project_id = ${parameters.add(context.project_id, 'text')}`;
