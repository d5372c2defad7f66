/**
 * Highly available routers (neutron.db.l3_hamode_db): on several agents, which agree by VRRP who of them is active.
 *
 *   networks.ts    the network that a project's routers hear of each other on, and their virtual router ids
 *   ports.ts       the ports that agents have there
 *   lifecycle.ts   routers that become highly available, and that stop being it
 *   states.ts      which agent is active, and why there is never more than one
 */
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { HA_EXTENSIONS } from './definition.ts';
import { followRouters } from './lifecycle.ts';
import { haNetworks } from './networks.ts';
import { haPolicies } from './policy.ts';
import { followAgents } from './ports.ts';
import { haEndpoint } from './rpc.ts';
import { haSettings } from './settings.ts';
import { haStates } from './states.ts';

export { haAttributes, haNetworkAttributes } from './attributes.ts';

export function highAvailability(router: RouterHost): PluginPart {
  const settings = haSettings(router.config);
  const states = haStates(router, settings);
  followRouters(router, haNetworks(router, settings));
  followAgents(router);
  return {
    extensions: HA_EXTENSIONS,
    policies: haPolicies,
    rpcListeners: () => [{ topic: 'q-l3-plugin', endpoints: [haEndpoint(router, states)] }],
  };
}
