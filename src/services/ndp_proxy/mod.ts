/** Service plugin `ndp_proxy`: routers answer outside for IPv6 addresses of ports inside (neutron.services.ndp_proxy). */
import type { PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { portAttributes, routerAttributes } from './attributes.ts';
import { followOthers } from './callbacks.ts';
import { NDP_PROXY_EXTENSIONS } from './definition.ts';
import { ndpProxyObject } from './objects.ts';
import { ndpProxyPolicies } from './policy.ts';
import { ndpProxyVerbs } from './service.ts';

export default {
  attributes: ({ config }) => ({ ports: portAttributes, routers: routerAttributes(config) }),
  create(host: PluginHost) {
    followOthers(host.callbacks);
    return {
      type: 'NDPPROXY',
      extensions: NDP_PROXY_EXTENSIONS,
      verbs: ndpProxyVerbs(host),
      policies: ndpProxyPolicies,
      objects: [ndpProxyObject(host)],
    };
  },
} satisfies PluginModule;
