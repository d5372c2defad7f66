/**
 * Messages to L3 agents about routers and what changes them (neutron.api.rpc.agentnotifiers.l3_rpc_agent_api). They go to the
 * audience `router`, the hosts that have a router, or `router_port`, those of them that a port's floating IPs concern.
 */
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { routerPortHosts } from './audience.ts';
import { followRouters } from './follow.ts';

export { notificationAttributes } from './attributes.ts';
export {
  type ArpEntry,
  arpEntry,
  externalNetworkLeft,
  routerAdded,
  routerDeleted,
  routerRemoved,
  routerUpdated,
} from './messages.ts';

/** The notifier's part of the plugin; it listens to routers and what they have from now on. */
export function routerNotifications(router: RouterHost): PluginPart {
  followRouters(router);
  return { audiences: { router_port: routerPortHosts } };
}
