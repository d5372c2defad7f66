/** RPC of L2 agents: their devices, networks and tunnels (RpcCallbacks), on `q-plugin`. */

import type { PluginPart } from '#src/lib/plugin_parts.ts';
import { arrivals } from '../drivers/l2population/mod.ts';
import type { Ml2 } from '../state.ts';
import { TUNNEL_AUDIENCES, tunnelSync } from '../tunnels/mod.ts';
import type { Wiring } from './devices.ts';
import { rpcCallbacks } from './endpoint.ts';

/** The L2 agents' part of the plugin. */
export function l2Rpc(ml2: Ml2): PluginPart {
  const populates = ml2.mechanisms.drivers.some(({ name }) => name === 'l2population');
  const wiring: Wiring = populates ? { wired: arrivals(ml2) } : {};
  const endpoint = rpcCallbacks({ ...ml2, wiring }, { tunnel_sync: tunnelSync(ml2) });
  return { audiences: TUNNEL_AUDIENCES, rpcListeners: () => [{ topic: 'q-plugin', endpoints: [endpoint] }] };
}
