/** What agents of hosts ask for floating IPs of distributed routers: their ports on external networks (L3RpcCallback 1.13). */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { elevated } from '#src/lib/context.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import type { RouterHost } from '../host.ts';
import { describePort } from '../rpc/ports.ts';
import { routedNetworks } from '../rpc/store.ts';
import type { AgentGateways } from './agent_gateways.ts';

const NETWORK = v.object({ network_id: v.pipe(v.string(), v.check(isUuid, 'must be a UUID')) });

/** The host is the caller's, whatever the arguments say. */
export function dvrEndpoint({ db, plugins }: RouterHost, gateways: AgentGateways): RpcEndpoint {
  return {
    version: '1.13',
    methods: {
      async get_agent_gateway_port({ context, host }, args) {
        const { network_id } = parseArguments(NETWORK, 'get_agent_gateway_port', args);
        const id = await gateways.ensure(elevated(context), { network_id, host });
        if (id === undefined) return null;
        const [ports, networks] = await Promise.all([
          plugins.get('CORE')?.readers?.['port']?.(db.sql, [id]),
          routedNetworks(db.sql, [network_id]),
        ]);
        const port = ports?.get(id);
        return port === undefined ? null : describePort(port as JsonObject, networks);
      },

      async delete_agent_gateway_port({ context, host }, args) {
        const { network_id } = parseArguments(NETWORK, 'delete_agent_gateway_port', args);
        await gateways.release(elevated(context), { network_id, host });
        return null;
      },
    },
  };
}
