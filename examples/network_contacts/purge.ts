/** The worker that removes expired contacts. It runs in the shared `periodic worker` process; several servers may run it at once. */
import { adminContext, type PluginHost, type PluginWorker } from '#src/plugin_api/mod.ts';
import { contactsChanged } from './notifier.ts';
import { GROUP } from './options.ts';
import { uncount } from './service.ts';
import { deleteExpired, lockNetworks, networksWithExpired } from './store.ts';

/** Networks in one transaction at most: so none is long. */
const BATCH = 100;

export function purgeWorker({ config, db, log, metrics, outbox, quota }: PluginHost): PluginWorker {
  const interval = config.integer(GROUP, 'purge_interval') * 1000;
  const purged = metrics.counter('network_contacts_purged_total', 'Contacts removed because they had expired');

  /** Removes the expired contacts of some networks; whether there may be more. */
  const purgeSome = async (): Promise<boolean> => {
    const networks = await networksWithExpired(db.sql, BATCH);
    if (networks.length === 0) return false;
    const removed = await db.transaction({ label: 'purge_network_contacts' }, async (tx) => {
      const locked = await lockNetworks(tx, networks);
      const contacts = await deleteExpired(tx, locked);
      const changed = locked.filter((id) => contacts.some(({ network_id }) => network_id === id));
      await outbox.add(tx, adminContext(), await contactsChanged(tx, changed));
      await uncount(tx, quota, contacts);
      return contacts.length;
    });
    purged.add({}, removed);
    log.info('expired contacts were removed', { contacts: removed });
    return networks.length === BATCH;
  };

  const purge = async (): Promise<void> => {
    try {
      while (await purgeSome());
    } catch (error) {
      // A network may have gone meanwhile, or the database be away: the next round tries again.
      log.warn('expired contacts could not be removed', { error });
    }
  };

  return {
    name: 'network contacts purge',
    processes: 0,
    async start() {
      let running = purge();
      const timer = setInterval(() => {
        running = running.then(purge);
      }, interval);
      return {
        stop: async () => {
          clearInterval(timer);
          await running;
        },
      };
    },
  };
}
