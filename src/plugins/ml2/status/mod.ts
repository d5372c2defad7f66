/**
 * Statuses of ports, and what a port waits for before it is ACTIVE (neutron.db.provisioning_blocks, and update_port_status of
 * the ML2 plugin).
 *
 *   DOWN    bound to no host, disabled, or not wired (again)
 *   BUILD   its agent has asked for its details and is wiring it
 *   ACTIVE  everybody that it waited for has reported
 *   ERROR   its agent could not wire it
 *
 * A block says that an entity must still report: `L2` is written when a driver that has an agent binds the port, `DHCP` when a
 * DHCP agent has to serve its addresses first. Reports come for many ports at once: each call is one transaction of a fixed
 * number of statements, in which ports are locked in the order of their ids. A report that says nothing new writes nothing.
 */
import { showRows } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { LifecycleHost } from '../lifecycle.ts';
import type { ExtensionManager } from '../managers/extension.ts';
import { portReading } from '../ports/reading.ts';
import {
  type Before,
  insertBlocks,
  lockChanging,
  lockWaiting,
  type PortReport,
  type ProvisioningBlock,
  type ProvisioningEntity,
  preparedPorts,
  removeBlocks,
  type StatusChange,
  writeStatuses,
} from './store.ts';

export type { PortReport, PortStatus, ProvisioningBlock, ProvisioningEntity, StatusChange } from './store.ts';

export interface PortStatuses {
  /** Makes ports wait for entities, in the transaction that gives the entities work. */
  block(tx: Transaction, blocks: readonly ProvisioningBlock[]): Promise<void>;
  /**
   * An entity has done its part for ports: those that wait for nobody else, are bound and enabled become ACTIVE. Where the
   * report names a host, a port that is not bound there is left as it is. Gives the ports that have changed.
   */
  provisioned(
    context: Context,
    entity: ProvisioningEntity,
    reports: readonly PortReport[],
  ): Promise<readonly Resource[]>;
  /** Ports are wired on hosts that a migration has prepared for them: it waits for that before it moves them. */
  arrived(context: Context, reports: readonly PortReport[]): Promise<void>;
  /** Sets statuses of ports that are bound to the host which says so. Gives the ports that have changed. */
  setStatus(context: Context, changes: readonly StatusChange[]): Promise<readonly Resource[]>;
}

/** What the statuses of ports lean on. */
export interface StatusHost extends Pick<LifecycleHost, 'db' | 'callbacks' | 'outbox'> {
  readonly mechanisms: Pick<LifecycleHost['mechanisms'], 'precommit' | 'postcommit'>;
  readonly extensions: { readonly ports: Pick<ExtensionManager['ports'], 'attributes' | 'joins'> };
}

type Change = { readonly original: Resource; readonly latest: Resource };

/** What is told of ports that are prepared on a host and wired there, while they are still active on another. */
export const PREPARED_PORT = 'prepared_port';

export function createStatuses({ db, outbox, callbacks, mechanisms, extensions }: StatusHost): PortStatuses {
  const reading = portReading(extensions.ports);

  /** In the transaction, when they are written: tells drivers and listeners, leaves their messages. */
  const tell = async (
    tx: Transaction,
    context: Context,
    before: Before,
    ports: readonly Resource[],
    provisioned_by?: ProvisioningEntity,
  ): Promise<readonly Change[]> => {
    const changes = ports.flatMap((latest) => {
      const was = before.get(idOf(latest));
      return was === undefined ? [] : [{ original: { ...latest, ...was }, latest }];
    });
    if (changes.length === 0) return [];
    const messages: Notification[] = [];
    const notify = (...more: readonly Notification[]) => void messages.push(...more);
    for (const { original, latest } of changes) {
      await mechanisms.precommit('update_port', { context, tx, current: latest, original, notify });
    }
    // At once: who writes something for each of them can write it for all.
    await Promise.all(
      changes.map(({ original, latest }) => {
        const request = { status: latest['status'], ...(provisioned_by === undefined ? {} : { provisioned_by }) };
        const payload = { context, resource_id: idOf(latest), original, latest, request, tx, notify };
        return callbacks.publish('port', 'precommit_update', payload);
      }),
    );
    // COMMIT goes out with it; if it fails, so does the transaction.
    outbox.add(tx, context, messages).catch(() => {});
    return changes;
  };

  const published = async (context: Context, changes: readonly Change[]): Promise<readonly Resource[]> => {
    for (const { original, latest } of changes) {
      await mechanisms.postcommit('update_port', { context, current: latest, original });
      const request = { status: latest['status'] };
      await callbacks.publish('port', 'after_update', {
        context,
        resource_id: idOf(latest),
        original,
        latest,
        request,
      });
    }
    return changes.map(({ latest }) => latest);
  };

  return {
    async block(tx, blocks) {
      if (blocks.length > 0) await insertBlocks(tx, blocks);
    },

    async provisioned(context, entity, reports) {
      const named = reports.filter(({ port_id }) => isUuid(port_id));
      if (named.length === 0) return [];
      const changes = await db.transaction({ label: 'port_provisioned' }, async (tx) => {
        const waiting = new Set(await lockWaiting(tx, entity, named));
        if (waiting.size === 0) return [];
        const locked = named.filter(({ port_id }) => waiting.has(port_id));
        // Sent at once: the reading sees what the writing before it has written.
        const [before, ports] = await Promise.all([
          removeBlocks(tx, entity, locked),
          showRows(tx, reading, [...waiting]),
        ]);
        return await tell(tx, context, before, ports, entity);
      });
      return await published(context, changes);
    },

    async arrived(context, reports) {
      if (!callbacks.listens(PREPARED_PORT, 'precommit_update')) return;
      await db.transaction({ label: 'port_arrived' }, async (tx) => {
        const prepared = await preparedPorts(
          tx,
          reports.filter(({ port_id }) => isUuid(port_id)),
        );
        const ports = await showRows(tx, reading, prepared);
        await Promise.all(
          ports.map((latest) =>
            callbacks.publish(PREPARED_PORT, 'precommit_update', { context, resource_id: idOf(latest), latest, tx }),
          ),
        );
      });
    },

    async setStatus(context, changes) {
      const wanted = new Map(changes.map((change) => [change.port_id, change]));
      const named = [...wanted.values()].filter(({ port_id }) => isUuid(port_id));
      if (named.length === 0) return [];
      const written = await db.transaction({ label: 'port_status' }, async (tx) => {
        // Sent at once. The writing asks anew what the lock may have been waited for: a port that has moved stays as it is.
        const [, before, ports] = await Promise.all([
          lockChanging(tx, named),
          writeStatuses(tx, named),
          showRows(tx, reading, [...wanted.keys()].filter(isUuid)),
        ]);
        return await tell(tx, context, before, ports);
      });
      return await published(context, written);
    },
  };
}

const idOf = (port: Resource): string => String(port['id']);
