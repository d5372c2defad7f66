/** What agents are told. The message carries an id and no data of the tenant: who is concerned asks for the rest. */
import type { Notification, Transaction } from '#src/plugin_api/mod.ts';
import { CHANGE_TOPIC, RPC_VERSION } from './contract.ts';
import { hostsOf } from './store.ts';

/** One message to each host that has ports of the networks. Call it with the networks locked. */
export async function contactsChanged(
  tx: Transaction,
  network_ids: readonly string[],
): Promise<readonly Notification[]> {
  const notifications: Notification[] = [];
  for (const network_id of network_ids) {
    for (const host of await hostsOf(tx, network_id)) {
      notifications.push({
        to: { host },
        topic: CHANGE_TOPIC,
        method: 'network_contacts_changed',
        args: { network_id },
        version: RPC_VERSION,
        key: `network_contacts:${network_id}`,
      });
    }
  }
  return notifications;
}
