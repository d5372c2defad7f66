/**
 * How a write runs, the same for networks, subnets and ports. Each reads top to bottom:
 *
 *   before callbacks → one transaction (store, drivers' precommit, precommit callbacks, outbox, quota last)
 *   → after callbacks → drivers' postcommit → the resource as it was read back
 *
 * What is committed stands, with one exception: resources whose creation a driver's postcommit fails are deleted again. The
 * same failure of an update of a network or subnet is answered, of a port it is logged, as of every deletion (Neutron's rules).
 *
 * Nothing in the transaction waits for anything but the database. Quota comes last, because its row stays locked to the end:
 * it goes out together with the COMMIT.
 */
import { lockRow, type Scope, showRow, type TableSql } from '#src/db/mod.ts';
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import { type Context, elevated } from '#src/lib/context.ts';
import type { Database, Last, Transaction } from '#src/lib/database.ts';
import { NeutronError, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Logger } from '#src/lib/log.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Call, Resource } from '#src/lib/plugin.ts';
import type { Quota } from '#src/lib/quota.ts';
import type { Outbox } from '#src/lib/rpc.ts';
import type { MechanismManager } from './managers/mechanism.ts';

export type Kind = 'network' | 'subnet' | 'port';

export interface LifecycleHost {
  readonly db: Database;
  readonly callbacks: CallbackRegistry;
  readonly outbox: Outbox;
  readonly quota: Quota;
  readonly mechanisms: MechanismManager;
  readonly log: Logger;
}

/** One kind of resource, as the lifecycle needs to know it. */
export interface Managed {
  readonly kind: Kind;
  /** Its table in the database. */
  readonly table: string;
  readonly reading: (context: Context) => TableSql;
  /** The same with what is told of one that is deleted beside what the API shows. */
  readonly lastReading?: TableSql;
  readonly scope: (context: Context) => Scope;
  /**
   * Locks what must be locked before the resource's own row, so that all writers take locks in one order. An async function: a
   * bare query of postgres.js is only sent when somebody waits for it, and would come last.
   */
  readonly lockFirst?: (tx: Transaction, id: string, body: Resource | undefined) => Promise<void> | undefined;
}

export interface CreateWork {
  readonly requests: readonly { readonly id: string; readonly body: Resource }[];
  /** Writes the rows and gives the resources as they read, in the order of the requests. */
  readonly write: (tx: Transaction, notify: Messages['notify']) => Promise<readonly Resource[]>;
  /** Runs the transaction; for those who know how to try again. */
  readonly attempt?: <Result>(transaction: () => Promise<Result>) => Promise<Result>;
  /** What is done with them after the commit, and gives them as they are then. A failure undoes the creation. */
  readonly complete?: (created: readonly Resource[]) => Promise<readonly Resource[]>;
  /** Deletes one that must not stay. */
  readonly undo: (context: Context, id: string) => Promise<unknown>;
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
  const { db, callbacks, outbox, quota, mechanisms, log } = host;
  const { kind } = managed;

  const visible = async (
    context: Context,
    id: string,
    tx?: Transaction,
    reading: TableSql = managed.reading(context),
  ): Promise<Resource> => {
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
      visible(context, id, tx, mode === 'update' ? managed.lastReading : undefined),
    ]);
    checkRevision(call, original);
    return original;
  };

  /** Who listens is shown what is about to change. */
  const announce = async (event: 'before_update' | 'before_delete', context: Context, call: Call) => {
    if (!callbacks.listens(kind, event)) return;
    const resource_id = idOf(call);
    const original = call.original ?? (await visible(context, resource_id));
    const request = event === 'before_update' ? { request: call.body ?? {} } : {};
    await callbacks.publish(kind, event, { context, resource_id, original, ...request });
  };

  /** Deletes what was just created, the newest first; what cannot be deleted is for an operator. */
  const takeBack = async (context: Context, created: readonly Resource[], undo: CreateWork['undo']): Promise<void> => {
    for (const { id } of created.toReversed()) {
      try {
        await undo(elevated(context), String(id));
      } catch (error) {
        if (error instanceof NeutronError && error.status === 404) continue;
        log.error('a resource is still there whose creation has failed: delete it', { kind, id, error });
      }
    }
  };

  const hasPrecommit = (): boolean =>
    callbacks.listens(kind, 'precommit_update') || mechanisms.hasPrecommit(`update_${kind}`);

  return {
    async create(context, { requests, write, attempt = (transaction) => transaction(), complete, undo }) {
      for (const { id, body } of requests) {
        await callbacks.publish(kind, 'before_create', { context, resource_id: id, request: body });
      }
      const created = await attempt(() =>
        db.transaction({ label: `create_${kind}` }, async (tx, last) => {
          const messages = new Messages();
          const { notify } = messages;
          const resources = await write(tx, notify);
          for (const [index, current] of resources.entries()) {
            await mechanisms.precommit(`create_${kind}`, { context, tx, current, notify });
            const request = requests[index]?.body ?? {};
            const payload = { context, resource_id: String(current['id']), latest: current, request, tx, notify };
            await callbacks.publish(kind, 'precommit_create', payload);
          }
          messages.send(outbox, tx, context);
          for (const [project, count] of countByProject(resources)) {
            await quota.charge(tx, project, { [kind]: count }, last);
          }
          return resources;
        }),
      );
      for (const [index, current] of created.entries()) {
        const request = requests[index]?.body ?? {};
        const payload = { context, resource_id: String(current['id']), latest: current, request };
        await callbacks.publish(kind, 'after_create', payload);
      }
      try {
        for (const current of created) {
          const failure = await mechanisms.postcommit(`create_${kind}`, { context, current });
          if (failure !== undefined) throw failure;
        }
        return await (complete?.(created) ?? created);
      } catch (error) {
        await takeBack(context, created, undo);
        throw error;
      }
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
        if (!changed && !hasPrecommit()) {
          // COMMIT goes out with them; what fails of them fails the transaction.
          sent.catch(() => {});
          return { original, reading };
        }
        const [current] = await sent;
        const messages = new Messages();
        const { notify } = messages;
        await mechanisms.precommit(`update_${kind}`, { context, tx, current, original, notify });
        const payload = { context, resource_id: id, original, latest: current, request: body, tx, notify };
        await callbacks.publish(kind, 'precommit_update', payload);
        messages.send(outbox, tx, context);
        return { original, reading };
      });
      const current = await reading;
      const payload = { context, resource_id: id, original, latest: current, request: body };
      await callbacks.publish(kind, 'after_update', payload);
      const failure = await mechanisms.postcommit(`update_${kind}`, { context, current, original });
      if (failure !== undefined && kind !== 'port') throw failure;
      return current;
    },

    async remove(context, call, write) {
      const id = idOf(call);
      await announce('before_delete', context, call);
      const original = await db.transaction({ label: `delete_${kind}` }, async (tx, last) => {
        const original = await locked(tx, context, call, 'update');
        const messages = new Messages();
        const { notify } = messages;
        await mechanisms.precommit(`delete_${kind}`, { context, tx, current: original, notify });
        await callbacks.publish(kind, 'precommit_delete', { context, resource_id: id, original, tx, notify });
        messages.send(outbox, tx, context);
        await write(tx, original, last);
        await quota.charge(tx, String(original['project_id']), { [kind]: -1 }, last);
        return original;
      });
      await callbacks.publish(kind, 'after_delete', { context, resource_id: id, original });
      await mechanisms.postcommit(`delete_${kind}`, { context, current: original });
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
