/**
 * The router plugin (neutron.services.l3_router): routers with their gateways, interfaces and routes, and floating IPs. Whatever
 * else routers are is a part in a folder of its own, which adds attributes to `routers` and `floatingips` and follows the callbacks
 * below; service plugins do the same from outside.
 *
 *   router            before, precommit, after of create, update, delete
 *   router_interface  before, precommit, after of create, delete   (of the router; metadata: port, subnets, gateway)
 *   router_gateway    precommit_create, _delete (metadata: port), after_create, _update, _delete
 *   router_agents     precommit_create, _delete (metadata: RouterAgentsChange)
 *   floatingip        before, precommit, after of create, update, delete
 */
import { joinExtensions } from '#src/db/mod.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { joinParts, type PluginPart } from '#src/lib/plugin_parts.ts';
import { agentAttributes, createScheduling, l3Agents } from './agents/mod.ts';
import { ROUTER_EXTENSIONS } from './definition.ts';
import { distributedRouters, dvrAttributes, dvrFloatingIpAttributes, dvrPortAttributes } from './dvr/mod.ts';
import { flavorAttributes, routerFlavors } from './flavors/mod.ts';
import { floatingIpVerbs } from './floatingips/service.ts';
import { gatewayAttributes, gateways } from './gateways/mod.ts';
import { haAttributes, haNetworkAttributes, highAvailability } from './ha/mod.ts';
import { Acting, coreTransactions, type RouterHost } from './host.ts';
import { routerTransactions } from './joint.ts';
import { followNetworks } from './networks.ts';
import { notificationAttributes, routerNotifications } from './notifications/mod.ts';
import { routerPolicies } from './policy.ts';
import { followDeletions } from './ports/deletion.ts';
import { guardPorts, portAttributes } from './ports/guards.ts';
import { readingOf } from './reading.ts';
import { interfaceVerbs } from './routers/interfaces.ts';
import { routerVerbs } from './routers/service.ts';
import { routerRpc } from './rpc/mod.ts';

export { routerUpdated } from './notifications/mod.ts';
export { routerHosts } from './rpc/mod.ts';

/** What the parts add to the attributes of routers. */
const OWN_ATTRIBUTES: readonly ((host: PluginHost) => AttributeExtension)[] = [
  agentAttributes,
  haAttributes,
  dvrAttributes,
  notificationAttributes,
  gatewayAttributes,
  flavorAttributes,
];

/** What is read along with ports. */
function portAttributesOf(host: Pick<PluginHost, 'config'>): AttributeExtension {
  const distributed = dvrPortAttributes(host);
  return {
    attributes: { ...portAttributes.attributes, ...distributed.attributes },
    internal: [...(portAttributes.internal ?? []), ...(distributed.internal ?? [])],
  };
}

function create(host: PluginHost): Plugin {
  const routers = joinExtensions([...OWN_ATTRIBUTES.map((of) => of(host)), ...host.attributeExtensions('routers')]);
  const floatingips = joinExtensions([dvrFloatingIpAttributes, ...host.attributeExtensions('floatingips')]);
  const together = coreTransactions(host.plugins);
  const router: RouterHost = {
    ...host,
    routers,
    floatingips,
    reading: readingOf(routers, floatingips),
    acting: new Acting(),
    scheduling: createScheduling({ ...host, together }),
    together,
  };
  guardPorts(router);
  followDeletions(router);
  followNetworks(router);
  const parts: readonly PluginPart[] = [
    { extensions: ROUTER_EXTENSIONS, verbs: routerVerbs(router), policies: routerPolicies },
    { verbs: interfaceVerbs(router) },
    { verbs: floatingIpVerbs(router) },
    gateways(),
    routerFlavors(router),
    l3Agents(router),
    routerRpc(router),
    routerNotifications(router),
    highAvailability(router),
    distributedRouters(router),
  ];
  return {
    type: 'L3_ROUTER_NAT',
    ...joinParts(parts),
    together: routerTransactions(router, (joined) => ({ ...routerVerbs(joined), ...interfaceVerbs(joined) })),
    quotas: [
      { name: 'router', default_limit: 10, table: 'routers' },
      { name: 'floatingip', default_limit: 50, table: 'floatingips' },
      // Of each router: what a project has in all is nothing that is limited.
      { name: 'router_route', default_limit: 30, table: 'routers', tables: [] },
    ],
    tagged: { routers: 'routers', floatingips: 'floatingips' },
  };
}

export default {
  attributes: (host) => ({ ports: portAttributesOf(host), networks: haNetworkAttributes }),
  create,
} satisfies PluginModule;
