/** Service plugin `auto_allocate`: "get me a network" (neutron.services.auto_allocate). Served where there are routers. */
import type { Plugin, PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { TOPOLOGY_EXTENSIONS } from './definition.ts';
import { topologyPolicies } from './policy.ts';
import { topologyVerbs } from './service.ts';

const create = (host: PluginHost): Plugin => ({
  type: 'auto-allocated-topology',
  // Known when all plugins are there: nobody asks earlier.
  get extensions() {
    return host.plugins.get('L3_ROUTER_NAT') === undefined ? [] : TOPOLOGY_EXTENSIONS;
  },
  verbs: topologyVerbs(host),
  policies: topologyPolicies,
});

export default { create } satisfies PluginModule;
