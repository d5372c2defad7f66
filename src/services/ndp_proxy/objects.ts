/** The object NDPProxy 1.0, which the hosts of the router are told of (neutron.objects.ndp_proxy). */
import { objectType, standardFields } from '#src/db/mod.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { Notification, VersionedObjectType } from '#src/lib/rpc.ts';
import { routersOfHost, withRouters } from '#src/services/router/rpc/contract.ts';

export function ndpProxyObject({ config, plugins }: Pick<PluginHost, 'config' | 'plugins'>): VersionedObjectType {
  const routers = routersOfHost(config);
  return objectType({
    name: 'NDPProxy',
    version: '1.0',
    from: 'ndp_proxies x',
    key: 'x.id',
    revision: 'x.revision_number',
    data: {
      columns: {
        id: 'x.id',
        name: 'x.name',
        project_id: 'x.project_id',
        router_id: 'x.router_id',
        port_id: 'x.port_id',
        ip_address: 'host(x.ip_address)',
        ...standardFields('x'),
      },
    },
    filters: {
      id: ['x.id', 'uuid'],
      router_id: ['x.router_id', 'uuid'],
      port_id: ['x.port_id', 'uuid'],
      project_id: ['x.project_id', 'text'],
      revision_number: ['x.revision_number', 'integer'],
    },
    concerns: (host) => `x.router_id in (${routers(host)})`,
    audience: withRouters(plugins, 'select id, router_id from ndp_proxies where id = any($1::uuid[])'),
  });
}

/** The proxy is new, other than it was, or gone: hosts of its router are told. */
export const proxyChanged = (id: string, router_id: string): Notification => ({
  object: 'NDPProxy',
  id,
  key: `ndp_proxy:${id}`,
  also: [{ audience: 'router', of: [router_id] }],
});
