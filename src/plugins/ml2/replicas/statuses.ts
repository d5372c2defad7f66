/**
 * What becomes of replicas, in one transaction of a fixed number of statements. Drivers are told of each replica as of a port that
 * is bound to its host; listeners of the port itself, where it shows another status then.
 */
import { showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { Binder } from '../binding/mod.ts';
import { portReading } from '../ports/reading.ts';
import type { StatusHost } from '../status/mod.ts';
import { lockChanging, type ReplicaChange, summarize, writeChanges } from './store.ts';

interface Change {
  readonly original: Resource;
  readonly latest: Resource;
}

/** What was changed: replicas as drivers see them, and ports. */
interface Changed {
  readonly replicas: readonly Change[];
  readonly ports: readonly Change[];
}

type Notify = (...notifications: readonly Notification[]) => void;

export interface ReplicaStatuses {
  /** Changes replicas; those that are not there are left alone. */
  set(context: Context, changes: readonly ReplicaChange[]): Promise<void>;
  /** The same as part of a transaction, of whose end nobody is told. */
  setInside(tx: Transaction, context: Context, changes: readonly ReplicaChange[], notify: Notify): Promise<void>;
}

export type ReplicaStatusHost = StatusHost & { readonly binder: Pick<Binder, 'released'> };

const idOf = (port: Resource): string => String(port['id']);

export function replicaStatuses(host: ReplicaStatusHost): ReplicaStatuses {
  const { db, callbacks, mechanisms, outbox, extensions, binder } = host;
  const reading = portReading(extensions.ports);

  const write = async (
    tx: Transaction,
    context: Context,
    changes: readonly ReplicaChange[],
    notify: Notify,
  ): Promise<Changed> => {
    const ids = [...new Set(changes.map(({ port_id }) => port_id))];
    // Sent at once: each sees what those before it have written.
    const [, written, before, read] = await Promise.all([
      lockChanging(tx, changes),
      writeChanges(tx, changes),
      summarize(tx, ids),
      showRows(tx, reading, ids),
    ]);
    const now = new Map(read.map((port) => [idOf(port), port]));
    const replicas = written.flatMap(({ port_id, host, vif_type, vif_details, before, after }) => {
      const port = now.get(port_id);
      if (port === undefined || before === after) return [];
      const here = {
        ...port,
        'binding:host_id': host,
        'binding:vif_type': vif_type,
        'binding:vif_details': vif_details,
      };
      return [{ original: { ...here, status: before }, latest: { ...here, status: after } }];
    });
    const ports = read.flatMap((latest) => {
      const was = before.get(idOf(latest));
      return was === undefined ? [] : [{ original: { ...latest, ...was }, latest }];
    });
    for (const { original, latest } of replicas) {
      await mechanisms.precommit('update_port', { context, tx, current: latest, original, notify });
    }
    for (const { original, latest } of ports) {
      await callbacks.publish('port', 'precommit_update', { ...payload(context, original, latest), tx, notify });
    }
    return { replicas, ports };
  };

  return {
    async set(context, changes) {
      if (changes.length === 0) return;
      const { replicas, ports } = await db.transaction({ label: 'port_replicas' }, async (tx) => {
        const messages = new Messages();
        const changed = await write(tx, context, changes, messages.notify);
        messages.send(outbox, tx, context);
        return changed;
      });
      for (const { original, latest } of ports) {
        await callbacks.publish('port', 'after_update', payload(context, original, latest));
      }
      for (const { original, latest } of replicas) {
        await mechanisms.postcommit('update_port', { context, current: latest, original });
      }
      const down = replicas.filter(({ latest }) => latest['status'] === 'DOWN');
      if (down.length > 0) await binder.released(down.map(({ latest }) => String(latest['network_id'])));
    },

    async setInside(tx, context, changes, notify) {
      if (changes.length > 0) await write(tx, context, changes, notify);
    },
  };
}

const payload = (context: Context, original: Resource, latest: Resource) => ({
  ...{ context, resource_id: idOf(latest), original, latest },
  request: { status: latest['status'] },
});
