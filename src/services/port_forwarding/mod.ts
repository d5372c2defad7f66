/**
 * Service plugin `port_forwarding`: ports of one floating IP lead to ports of several addresses inside
 * (neutron.services.portforwarding).
 */
import type { PluginHost, PluginModule } from '#src/lib/plugin.ts';
import { floatingIpAttributes, portAttributes, routerAttributes } from './attributes.ts';
import { followOthers } from './callbacks.ts';
import { PORT_FORWARDING_EXTENSIONS } from './definition.ts';
import { portForwardingObject } from './objects.ts';
import { portForwardingPolicies } from './policy.ts';
import { portForwardingVerbs } from './service.ts';

export default {
  attributes: () => ({ floatingips: floatingIpAttributes, ports: portAttributes, routers: routerAttributes }),
  create(host: PluginHost) {
    followOthers(host.callbacks);
    return {
      type: 'PORTFORWARDING',
      extensions: PORT_FORWARDING_EXTENSIONS,
      verbs: portForwardingVerbs(host),
      policies: portForwardingPolicies,
      objects: [portForwardingObject(host)],
    };
  },
} satisfies PluginModule;
