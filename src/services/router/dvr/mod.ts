/**
 * Distributed routers (neutron.db.l3_dvr_db, l3_dvrscheduler_db): on every host that has ports of theirs, where they route between
 * networks and lead floating IPs out; what has no floating IP goes by the SNAT that one agent has.
 *
 *   hosts.ts         where routers and floating IPs are, as SQL
 *   snat.ts          the SNAT ports that follow interfaces and gateways
 *   ports.ts, interfaces.ts: routers come to hosts and leave them; whereabouts.ts tells those
 *   agent_gateways.ts, gateway_events.ts, rpc.ts: ports of agents on external networks
 *   migration.ts     centralised to distributed and back
 */
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { joinParts, type PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { agentGateways } from './agent_gateways.ts';
import { dvrExtensions, dvrPolicies } from './definition.ts';
import { followGateways } from './gateway_events.ts';
import { ON_DISTRIBUTED } from './hosts.ts';
import { followLinks } from './interfaces.ts';
import { followMigrations } from './migration.ts';
import { DVR_INTERFACES, dvrInterfaces } from './port_view.ts';
import { followServedPorts } from './ports.ts';
import { dvrEndpoint } from './rpc.ts';
import { followSnat } from './snat.ts';
import { whereabouts } from './whereabouts.ts';

export { dvrAttributes } from './definition.ts';

const enabled = ({ config }: Pick<PluginHost, 'config'>): boolean => config.boolean('DEFAULT', 'enable_dvr');

/** What is read along with floating IPs. */
export const dvrFloatingIpAttributes: AttributeExtension = {
  attributes: {
    [ON_DISTRIBUTED]: { select: '(select d.distributed from routers d where d.id = f.router_id)', sort: false },
  },
  internal: [ON_DISTRIBUTED],
};

/** What is read along with ports; nothing where routers cannot be distributed. */
export const dvrPortAttributes = (host: Pick<PluginHost, 'config'>): AttributeExtension =>
  enabled(host)
    ? { attributes: { [DVR_INTERFACES]: dvrInterfaces }, internal: [DVR_INTERFACES] }
    : { attributes: {}, internal: [] };

export function distributedRouters(router: RouterHost): PluginPart {
  const gateways = agentGateways(router);
  followSnat(router);
  followServedPorts(router);
  followLinks(router);
  followGateways(router, gateways);
  followMigrations(router);
  return joinParts([
    { extensions: dvrExtensions(enabled(router)), policies: dvrPolicies },
    whereabouts(router.config.boolean('DEFAULT', 'host_dvr_for_dhcp')),
    { rpcListeners: () => [{ topic: 'q-l3-plugin', endpoints: [dvrEndpoint(router, gateways)] }] },
  ]);
}
