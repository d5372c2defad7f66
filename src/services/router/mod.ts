/**
 * The router plugin: routers with their gateways, interfaces and routes, and floating IPs (neutron.services.l3_router). What
 * schedules routers to agents, tells these, or makes routers distributed or highly available is not here: it adds attributes to
 * `routers` and `floatingips` (`AttributeExtension`) and follows the callbacks below.
 *
 *   router            before, precommit, after of create, update, delete
 *   router_interface  before, precommit, after of create, delete   (of the router; metadata: port, subnets, gateway)
 *   router_gateway    precommit_delete, after_create, _update, _delete
 *   floatingip        before, precommit, after of create, update, delete
 */
import { joinExtensions } from '#src/db/mod.ts';
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { ROUTER_EXTENSIONS } from './definition.ts';
import { floatingIpVerbs } from './floatingips/service.ts';
import { Acting, coreTransactions, type RouterHost } from './host.ts';
import { followNetworks } from './networks.ts';
import { routerPolicies } from './policy.ts';
import { followDeletions } from './ports/deletion.ts';
import { guardPorts, portAttributes } from './ports/guards.ts';
import { readingOf } from './reading.ts';
import { interfaceVerbs } from './routers/interfaces.ts';
import { routerVerbs } from './routers/service.ts';

function create(host: PluginHost): Plugin {
  const routers = joinExtensions(host.attributeExtensions('routers'));
  const floatingips = joinExtensions(host.attributeExtensions('floatingips'));
  const router: RouterHost = {
    ...host,
    routers,
    floatingips,
    reading: readingOf(routers, floatingips),
    acting: new Acting(),
    together: coreTransactions(host.plugins),
  };
  guardPorts(router);
  followDeletions(router);
  followNetworks(router);
  return {
    type: 'L3_ROUTER_NAT',
    extensions: ROUTER_EXTENSIONS,
    verbs: { ...routerVerbs(router), ...interfaceVerbs(router), ...floatingIpVerbs(router) },
    policies: routerPolicies,
    quotas: [
      { name: 'router', default_limit: 10, table: 'routers' },
      { name: 'floatingip', default_limit: 50, table: 'floatingips' },
      // Of each router: what a project has in all is nothing that is limited.
      { name: 'router_route', default_limit: 30, table: 'routers', tables: [] },
    ],
    tagged: { routers: 'routers', floatingips: 'floatingips' },
  };
}

export default { attributes: () => ({ ports: portAttributes }), create } satisfies PluginModule;
