/** What L3 agents ask of routers and report of them: L3RpcCallback (neutron.api.rpc.handlers.l3_rpc) on `q-l3-plugin`. */
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { routerHosts } from './audience.ts';
import { l3Endpoint } from './endpoint.ts';

export { routerHosts } from './audience.ts';

export function routerRpc(router: RouterHost): PluginPart {
  return {
    audiences: { router: routerHosts },
    rpcListeners: () => [{ topic: 'q-l3-plugin', endpoints: [l3Endpoint(router)] }],
  };
}
