/** The object PortForwarding 1.3, which the hosts of the floating IP's router are told of (neutron.objects.port_forwarding). */
import { objectType, standardFields } from '#src/db/mod.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import type { Notification, VersionedObjectType } from '#src/lib/rpc.ts';
import { routersOfHost, withRouters } from '#src/services/router/rpc/contract.ts';
import { portSql, rangeSql } from './reading.ts';

const ROUTERS = `
  select w.id, f.router_id from port_forwardings w join floatingips f on f.id = w.floatingip_id
  where w.id = any($1::uuid[]) and f.router_id is not null`;

export function portForwardingObject({ config, plugins }: Pick<PluginHost, 'config' | 'plugins'>): VersionedObjectType {
  const routers = routersOfHost(config);
  return objectType({
    name: 'PortForwarding',
    version: '1.3',
    from: 'port_forwardings w join floatingips f on f.id = w.floatingip_id',
    key: 'w.id',
    revision: 'w.revision_number',
    data: {
      columns: {
        id: 'w.id',
        floatingip_id: 'w.floatingip_id',
        external_port: portSql('external'),
        external_port_range: rangeSql('external'),
        protocol: 'w.protocol',
        internal_port_id: 'w.internal_port_id',
        internal_ip_address: 'host(w.internal_ip_address)',
        internal_port: portSql('internal'),
        internal_port_range: rangeSql('internal'),
        floating_ip_address: 'host(f.floating_ip_address)',
        router_id: 'f.router_id',
        ...standardFields('w'),
      },
    },
    filters: {
      id: ['w.id', 'uuid'],
      floatingip_id: ['w.floatingip_id', 'uuid'],
      internal_port_id: ['w.internal_port_id', 'uuid'],
      protocol: ['w.protocol', 'text'],
      router_id: ['f.router_id', 'uuid'],
      revision_number: ['w.revision_number', 'integer'],
    },
    concerns: (host) => `f.router_id in (${routers(host)})`,
    audience: withRouters(plugins, ROUTERS),
  });
}

/** The forwarding is new, other than it was, or gone: hosts of its router, or of the one that it had, are told. */
export const forwardingChanged = (id: string, router_id: string | null): Notification => ({
  object: 'PortForwarding',
  id,
  key: `port_forwarding:${id}`,
  ...(router_id === null ? {} : { also: [{ audience: 'router', of: [router_id] }] }),
});
