/**
 * How a write runs, the same for networks, subnets and ports. Each reads top to bottom:
 *
 *   before callbacks → one transaction (store, drivers' precommit, precommit callbacks, outbox, quota last)
 *   → drivers' postcommit → after callbacks → the resource as it was read back
 *
 * Nothing in the transaction waits for anything but the database. Quota comes last, because its row stays locked to the end:
 * it goes out together with the COMMIT.
 */
import { lockRow, type Scope, showRow, type TableSql } from '#src/db/mod.ts';
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Database, Last, Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Call, Resource } from '#src/lib/plugin.ts';
import type { Quota } from '#src/lib/quota.ts';
import type { Notification, Outbox } from '#src/lib/rpc.ts';
import type { MechanismManager } from './managers/mechanism.ts';

export type Kind = 'network' | 'subnet' | 'port';

export interface LifecycleHost {
  readonly db: Database;
  readonly callbacks: CallbackRegistry;
  readonly outbox: Outbox;
  readonly quota: Quota;
  readonly mechanisms: MechanismManager;
}

/** One kind of resource, as the lifecycle needs to know it. */
export interface Managed {
  readonly kind: Kind;
  /** Its table in the database. */
  readonly table: string;
  readonly reading: (context: Context) => TableSql;
  readonly scope: (context: Context) => Scope;
  /**
   * Locks what must be locked before the resource's own row, so that all writers take locks in one order. An async function: a
   * bare query of postgres.js is only sent when somebody waits for it, and would come last.
   */
  readonly lockFirst?: (tx: Transaction, id: string, body: Resource | undefined) => Promise<void> | undefined;
  /** What agents are told of a change; runs in the transaction. */
  readonly notifications: (
    tx: Transaction,
    change: { readonly original?: Resource; readonly current?: Resource },
  ) => Promise<readonly Notification[]>;
  /** Whether `notifications` has nothing to say of this update, as is known before it. */
  readonly silent?: (original: Resource, body: Resource) => boolean;
}

export interface CreateWork {
  readonly requests: readonly { readonly id: string; readonly body: Resource }[];
  /** Writes the rows and gives the resources as they read, in the order of the requests. */
  readonly write: (tx: Transaction) => Promise<readonly Resource[]>;
  /** Runs the transaction; for those who know how to try again. */
  readonly attempt?: <Result>(transaction: () => Promise<Result>) => Promise<Result>;
}

/** Whether anything was changed, or the statements that change it, just sent: the reading goes out with them. */
export type Changed = boolean | { readonly underway: Promise<unknown> };

export interface Lifecycle {
  create(context: Context, work: CreateWork): Promise<readonly Resource[]>;
  update(
    context: Context,
    call: Call,
    write: (tx: Transaction, original: Resource, body: Resource) => Promise<Changed>,
  ): Promise<Resource>;
  remove(
    context: Context,
    call: Call,
    write: (tx: Transaction, original: Resource, last: Last) => Promise<void>,
  ): Promise<void>;
}

export function createLifecycle(host: LifecycleHost, managed: Managed): Lifecycle {
  const { db, callbacks, outbox, quota, mechanisms } = host;
  const { kind } = managed;

  const visible = async (context: Context, id: string, tx?: Transaction): Promise<Resource> => {
    const reading = managed.reading(context);
    const resource = await showRow(tx ?? db.sql, reading, id, undefined, managed.scope(context));
    if (resource === undefined) throw reading.notFound(id);
    return resource;
  };

  /** The row locked and read, in statements sent at once; the reading sees what the lock waited for. */
  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const id = idOf(call);
    if (!isUuid(id)) throw managed.reading(context).notFound(id);
    // Statements go in the order of these calls, which counts.
    const [, , original] = await Promise.all([
      managed.lockFirst?.(tx, id, call.body),
      lockRow(tx, managed.table, id, mode),
      visible(context, id, tx),
    ]);
    checkRevision(call, original);
    return original;
  };

  const notify = async (tx: Transaction, context: Context, change: Parameters<Managed['notifications']>[1]) => {
    const notifications = await managed.notifications(tx, change);
    if (notifications.length > 0) await outbox.add(tx, context, notifications);
  };

  /** Who listens is shown what is about to change. */
  const announce = async (event: 'before_update' | 'before_delete', context: Context, call: Call) => {
    if (!callbacks.listens(kind, event)) return;
    const resource_id = idOf(call);
    const original = call.original ?? (await visible(context, resource_id));
    const request = event === 'before_update' ? { request: call.body ?? {} } : {};
    await callbacks.publish(kind, event, { context, resource_id, original, ...request });
  };

  const hasPrecommit = (): boolean =>
    callbacks.listens(kind, 'precommit_update') || mechanisms.hasPrecommit(`update_${kind}`);

  return {
    async create(context, { requests, write, attempt = (transaction) => transaction() }) {
      for (const { id, body } of requests) {
        await callbacks.publish(kind, 'before_create', { context, resource_id: id, request: body });
      }
      const created = await attempt(() =>
        db.transaction({ label: `create_${kind}` }, async (tx, last) => {
          const resources = await write(tx);
          for (const [index, current] of resources.entries()) {
            await mechanisms.precommit(`create_${kind}`, { context, tx, current });
            const request = requests[index]?.body ?? {};
            const payload = { context, resource_id: String(current['id']), latest: current, request, tx };
            await callbacks.publish(kind, 'precommit_create', payload);
            await notify(tx, context, { current });
          }
          for (const [project, count] of countByProject(resources)) {
            await quota.charge(tx, project, { [kind]: count }, last);
          }
          return resources;
        }),
      );
      for (const [index, current] of created.entries()) {
        await mechanisms.postcommit(`create_${kind}`, { context, current });
        const request = requests[index]?.body ?? {};
        const payload = { context, resource_id: String(current['id']), latest: current, request };
        await callbacks.publish(kind, 'after_create', payload);
      }
      return created;
    },

    async update(context, call, write) {
      const id = idOf(call);
      const body = call.body ?? {};
      await announce('before_update', context, call);
      const { original, reading } = await db.transaction({ label: `update_${kind}` }, async (tx) => {
        const original = await locked(tx, context, call, 'no key update');
        const changed = await write(tx, original, body);
        const reading = changed ? visible(context, id, tx) : Promise.resolve(original);
        const sent = Promise.all([reading, typeof changed === 'object' ? changed.underway : undefined]);
        if (!hasPrecommit() && (!changed || managed.silent?.(original, body))) {
          // COMMIT goes out with them; what fails of them fails the transaction.
          sent.catch(() => {});
          return { original, reading };
        }
        const [current] = await sent;
        await mechanisms.precommit(`update_${kind}`, { context, tx, current, original });
        const payload = { context, resource_id: id, original, latest: current, request: body, tx };
        await callbacks.publish(kind, 'precommit_update', payload);
        if (changed) await notify(tx, context, { original, current });
        return { original, reading };
      });
      const current = await reading;
      await mechanisms.postcommit(`update_${kind}`, { context, current, original });
      const payload = { context, resource_id: id, original, latest: current, request: body };
      await callbacks.publish(kind, 'after_update', payload);
      return current;
    },

    async remove(context, call, write) {
      const id = idOf(call);
      await announce('before_delete', context, call);
      const original = await db.transaction({ label: `delete_${kind}` }, async (tx, last) => {
        const original = await locked(tx, context, call, 'update');
        await mechanisms.precommit(`delete_${kind}`, { context, tx, current: original });
        await callbacks.publish(kind, 'precommit_delete', { context, resource_id: id, original, tx });
        await Promise.all([notify(tx, context, { original }), write(tx, original, last)]);
        await quota.charge(tx, String(original['project_id']), { [kind]: -1 }, last);
        return original;
      });
      await mechanisms.postcommit(`delete_${kind}`, { context, current: original });
      await callbacks.publish(kind, 'after_delete', { context, resource_id: id, original });
    },
  };
}

function idOf(call: Call): string {
  if (call.id === undefined) throw new TypeError('this verb needs the id of an item');
  return call.id;
}

function checkRevision({ if_match: expected }: Call, resource: Resource): void {
  const revision = resource['revision_number'];
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}

/** In a fixed order, so that two bulk requests take the quota rows of several projects in the same order. */
function countByProject(resources: readonly Resource[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const project = String(resource['project_id']);
    counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
