/** The object ConntrackHelper 1.0, which the hosts of the router are told of (neutron.objects.conntrack_helper). */
import { objectType } from '#src/db/mod.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { Notification, VersionedObjectType } from '#src/lib/rpc.ts';
import { routersOfHost, withRouters } from '#src/services/router/rpc/contract.ts';

export function conntrackHelperObject({
  config,
  plugins,
}: Pick<PluginHost, 'config' | 'plugins'>): VersionedObjectType {
  const routers = routersOfHost(config);
  return objectType({
    name: 'ConntrackHelper',
    version: '1.0',
    from: 'conntrack_helpers c',
    key: 'c.id',
    revision: 'c.revision_number',
    data: {
      columns: { id: 'c.id', router_id: 'c.router_id', protocol: 'c.protocol', port: 'c.port', helper: 'c.helper' },
    },
    filters: { id: ['c.id', 'uuid'], router_id: ['c.router_id', 'uuid'] },
    concerns: (host) => `c.router_id in (${routers(host)})`,
    audience: withRouters(plugins, 'select id, router_id from conntrack_helpers where id = any($1::uuid[])'),
  });
}

/** The helper is new, other than it was, or gone: hosts of its router are told. */
export const helperChanged = (id: string, router_id: string): Notification => ({
  object: 'ConntrackHelper',
  id,
  key: `conntrack_helper:${id}`,
  also: [{ audience: 'router', of: [router_id] }],
});
