/**
 * What L3 agents are told of routers (neutron.api.rpc.agentnotifiers.l3_rpc_agent_api). Neutron reads in the request which agents
 * there are; here a message goes to the hosts that have the router when it is sent. Each is about one router, so that nobody hears
 * of another's.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { MessageNotification, Recipients } from '#src/lib/rpc.ts';

const TOPIC = 'l3_agent';

const message = (
  router_id: string,
  method: string,
  version: string,
  args: JsonObject,
  to: MessageNotification['to'] = { audience: 'router', of: [router_id] },
): MessageNotification => ({ to, topic: TOPIC, method, args, version, key: `router:${router_id}` });

/** A router is other than it was: who has it asks for it. */
export const routerUpdated = (id: string, to?: Recipients): MessageNotification =>
  message(id, 'routers_updated', '1.1', { routers: [id] }, to);

/** A router is gone, of these hosts. */
export const routerDeleted = (id: string, hosts: readonly string[]): MessageNotification =>
  message(id, 'router_deleted', '1.0', { router_id: id }, { hosts });

/** An agent has a router from now on. */
export const routerAdded = (id: string, host: string): MessageNotification =>
  message(id, 'router_added_to_agent', '1.0', { payload: [id] }, { host });

/** An agent has a router no more. */
export const routerRemoved = (id: string, host: string): MessageNotification =>
  message(id, 'router_removed_from_agent', '1.0', { payload: { router_id: id } }, { host });

/** An address on a subnet of a distributed router and the MAC address that it stands for: routers do not ask the network for it. */
export interface ArpEntry {
  readonly ip_address: string;
  readonly mac_address: string;
  readonly subnet_id: string;
}

/** An address is there (`add`), or no more (`del`). */
export const arpEntry = (id: string, change: 'add' | 'del', entry: ArpEntry): MessageNotification =>
  message(id, `${change}_arp_entry`, '1.2', { payload: { router_id: id, arp_table: { ...entry } } });

/** Nothing of a host leads to an external network by distributed routers any more. */
export const externalNetworkLeft = (network_id: string, hosts: readonly string[]): MessageNotification => ({
  to: { hosts },
  topic: TOPIC,
  method: 'fipnamespace_delete_on_ext_net',
  args: { ext_net_id: network_id },
  version: '1.0',
  key: `network:${network_id}`,
});
