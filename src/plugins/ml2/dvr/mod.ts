/**
 * Distributed routing as L2 agents ask for it: DVRServerRpcCallback 1.1 (neutron.api.rpc.handlers.dvr_rpc, neutron.db.dvr_mac_db).
 * Each host routes with a MAC address of its own below `[DEFAULT] dvr_base_mac`, which all hosts know; it is made when the host
 * first asks, and goes with the last agent on the host.
 */
import * as v from 'valibot';
import { showRow } from '#src/db/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import { adminContext, type Context } from '#src/lib/context.ts';
import { isMac, parseIp, randomMac } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { MessageNotification, MessageReader, RpcEndpoint } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { HostMacAddressGenerationFailure } from '../errors.ts';
import { UUID } from '../rpc/arguments.ts';
import type { Ml2 } from '../state.ts';
import { subnetReading } from '../subnets/reading.ts';
import { gatewayMac, type HostMac, hostMac, hostMacs, portsOnHost, releaseMac, takeMac } from './store.ts';

const TRIES = 16;

const SUBNET = v.object({ subnet: UUID });
const IP = v.pipe(
  v.string(),
  v.check((text) => parseIp(text) !== null, 'must be an IP address'),
);
const SUBNET_WITH_ADDRESS = v.object({
  subnet: UUID,
  fixed_ips: v.nullish(
    v.pipe(v.array(v.looseObject({ ip_address: IP, subnet_id: v.optional(UUID) })), v.maxLength(100)),
  ),
});

/** Neutron tells all agents of all addresses, which take the list for the whole: so it is read when it is sent. */
const MACS_CHANGED: MessageNotification = {
  to: 'fanout',
  topic: 'q-agent-notifier-dvr-update',
  method: 'dvr_mac_address_update',
  args: {},
  reads: { dvr_macs: { reader: 'dvr_macs', id: 'all' } },
  version: '1.0',
  key: 'dvr_macs',
};

const dvrMacs: MessageReader = async (sql, ids) => {
  const macs = await hostMacs(sql);
  return new Map(ids.map((id) => [id, macs]));
};

/** Distributed routing's part of the plugin. */
export function dvr({ config, db, outbox, callbacks, extensions }: Ml2): PluginPart {
  const baseMac = config.string('DEFAULT', 'dvr_base_mac');
  if (!isMac(baseMac)) throw new Error(`[DEFAULT] dvr_base_mac: '${baseMac}' is not a MAC address`);
  const subnets = subnetReading(extensions.subnets)(adminContext());

  const macOf = async (context: Context, host: string): Promise<HostMac> => {
    for (let tries = 1; ; tries++) {
      const known = await hostMac(db.sql, host);
      if (known !== undefined) return known;
      if (tries > TRIES) throw new HostMacAddressGenerationFailure(host);
      // Whoever else makes one for the host meanwhile wins: it is read in the next turn.
      await db.transaction({ label: 'dvr_host_mac' }, async (tx) => {
        if (await takeMac(tx, host, randomMac(baseMac))) await outbox.add(tx, context, [MACS_CHANGED]);
      });
    }
  };

  const subnetWithGateway = async (host: string, id: string, ip: string | undefined): Promise<JsonObject> => {
    const subnet = await showRow(db.sql, subnets, id, undefined);
    const address = ip ?? subnet?.['gateway_ip'];
    if (subnet === undefined || typeof address !== 'string') return {};
    const gateway_mac = await gatewayMac(db.sql, host, id, address);
    return gateway_mac === undefined ? {} : { ...(subnet as JsonObject), gateway_mac };
  };

  callbacks.subscribe('agent', 'precommit_delete', async (payload) => {
    const { context, resource_id, original, tx } = payload as CallbackPayload<Resource>;
    if (tx === undefined || original === undefined) return;
    if (await releaseMac(tx, String(original['host']), resource_id)) await outbox.add(tx, context, [MACS_CHANGED]);
  });

  const endpoint: RpcEndpoint = {
    version: '1.1',
    methods: {
      get_dvr_mac_address_list: async () => await hostMacs(db.sql),

      get_dvr_mac_address_by_host: ({ context, host }) => macOf(context, host),

      async get_ports_on_host_by_subnet({ host }, args) {
        const { subnet } = parseArguments(SUBNET, 'get_ports_on_host_by_subnet', args);
        return await portsOnHost(db.sql, host, subnet);
      },

      async get_subnet_for_dvr({ host }, args) {
        const { subnet, fixed_ips } = parseArguments(SUBNET_WITH_ADDRESS, 'get_subnet_for_dvr', args);
        const address = fixed_ips?.[0];
        return await subnetWithGateway(host, address?.subnet_id ?? subnet, address?.ip_address);
      },
    },
  };
  return {
    readers: { dvr_macs: dvrMacs },
    rpcListeners: () => [{ topic: 'q-plugin', endpoints: [endpoint] }],
  };
}
