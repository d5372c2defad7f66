/**
 * How a write of subnet pools runs: before callbacks → one transaction (rows, precommit callbacks, quota last) → after
 * callbacks. Who changes a pool has its row locked, and so waits for the subnets that are being drawn from it.
 */
import { lockRow, showRow } from '#src/db/mod.ts';
import { SubnetPoolNotFound, subnetPoolScope } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource } from '#src/lib/plugin.ts';
import { subnetPoolReading } from './reading.ts';

const KIND = 'subnetpool';

export interface PoolLifecycle {
  show(context: Context, id: string, fields?: readonly string[]): Promise<Resource>;
  /** `write` gives the pools as they read. */
  create(
    context: Context,
    requests: readonly { readonly id: string; readonly body: Resource }[],
    write: (tx: Transaction) => Promise<readonly Resource[]>,
  ): Promise<readonly Resource[]>;
  /** `first` locks what is to be locked before the pool; `write` says whether it changed anything. */
  update(
    context: Context,
    call: Call,
    write: (tx: Transaction, original: Resource) => Promise<boolean>,
    first?: (tx: Transaction) => Promise<void>,
  ): Promise<Resource>;
  remove(context: Context, call: Call, write: (tx: Transaction, id: string) => Promise<void>): Promise<void>;
}

export function poolLifecycle({ db, callbacks, quota }: PluginHost): PoolLifecycle {
  const show = async (context: Context, id: string, fields?: readonly string[], tx?: Transaction) => {
    const pool = await showRow(tx ?? db.sql, subnetPoolReading(context), id, fields, subnetPoolScope(context));
    if (pool === undefined) throw new SubnetPoolNotFound(id);
    return pool;
  };
  /** Locked and then read, which sees what the lock waited for. */
  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const id = call.id ?? '';
    if (!isUuid(id)) throw new SubnetPoolNotFound(id);
    const [, pool] = await Promise.all([lockRow(tx, 'subnetpools', id, mode), show(context, id, undefined, tx)]);
    const revision = pool['revision_number'];
    if (call.if_match !== undefined && call.if_match !== revision) {
      throw new RevisionNumberConstraintFailed(`Constrained to ${call.if_match}, but current revision is ${revision}`);
    }
    return pool;
  };

  return {
    show,

    async create(context, requests, write) {
      for (const { id, body } of requests) {
        await callbacks.publish(KIND, 'before_create', { context, resource_id: id, request: body });
      }
      const payload = (latest: Resource, at: number) => ({
        context,
        resource_id: String(latest['id']),
        latest,
        request: requests[at]?.body ?? {},
      });
      const pools = await db.transaction({ label: 'create_subnetpool' }, async (tx) => {
        const made = await write(tx);
        for (const [at, pool] of made.entries()) {
          await callbacks.publish(KIND, 'precommit_create', { ...payload(pool, at), tx });
        }
        const owners = [...Map.groupBy(made, (pool) => String(pool['project_id']))];
        // In a fixed order, so that two bulk requests take the quota rows of several projects in the same order.
        for (const [project, own] of owners.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await quota.charge(tx, project, { [KIND]: own.length });
        }
        return made;
      });
      for (const [at, pool] of pools.entries()) await callbacks.publish(KIND, 'after_create', payload(pool, at));
      return pools;
    },

    async update(context, call, write, first) {
      const { id = '', body: request = {} } = call;
      const before = call.original ?? (await show(context, id));
      await callbacks.publish(KIND, 'before_update', { context, resource_id: id, original: before, request });
      const { original, latest } = await db.transaction({ label: 'update_subnetpool' }, async (tx) => {
        await first?.(tx);
        const original = await locked(tx, context, call, 'no key update');
        const changed = await write(tx, original);
        const latest = changed ? await show(context, id, undefined, tx) : original;
        const payload = { context, resource_id: id, original, latest, request, tx };
        await callbacks.publish(KIND, 'precommit_update', payload);
        return { original, latest };
      });
      await callbacks.publish(KIND, 'after_update', { context, resource_id: id, original, latest, request });
      if (original['address_scope_id'] !== latest['address_scope_id']) {
        await callbacks.publish('subnetpool_address_scope', 'after_update', { context, resource_id: id, latest });
      }
      return latest;
    },

    async remove(context, call, write) {
      const { id = '' } = call;
      const before = call.original ?? (await show(context, id));
      await callbacks.publish(KIND, 'before_delete', { context, resource_id: id, original: before });
      const original = await db.transaction({ label: 'delete_subnetpool' }, async (tx) => {
        const original = await locked(tx, context, call, 'update');
        await callbacks.publish(KIND, 'precommit_delete', { context, resource_id: id, original, tx });
        await write(tx, id);
        await quota.charge(tx, String(original['project_id']), { [KIND]: -1 });
        return original;
      });
      await callbacks.publish(KIND, 'after_delete', { context, resource_id: id, original });
    },
  };
}
