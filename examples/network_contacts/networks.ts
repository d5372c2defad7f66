/** The network's life, as far as it concerns contacts: those who must be asked keep it; the others go with it. */
import type { PluginHost } from '#src/plugin_api/mod.ts';
import { NetworkContactMustBeAsked } from './errors.ts';
import { uncount } from './service.ts';
import { deleteContactsOf, mustBeAsked } from './store.ts';

/**
 * Subscribes to deletions of networks. In the transaction (precommit) and not before it: the network is locked there, so
 * no contact can appear between the look and the deletion; and contacts that go are counted down with it.
 */
export function keepNetworksWithContacts({ callbacks, quota }: Pick<PluginHost, 'callbacks' | 'quota'>): void {
  callbacks.subscribe('network', 'precommit_delete', async ({ resource_id, tx }) => {
    if (tx === undefined) return;
    const emails = await mustBeAsked(tx, resource_id);
    if (emails.length > 0) throw new NetworkContactMustBeAsked(resource_id, emails);
    await uncount(tx, quota, await deleteContactsOf(tx, resource_id));
  });
}
