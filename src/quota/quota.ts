/** The quota engine over its store: which resources count, what their limits are, and who is over. */
import { errorDetail, violatedConstraint } from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import { OverQuota } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Limits, QuotaEngine, QuotaResource } from '#src/lib/quota.ts';
import { TenantQuotaNotFound } from './errors.ts';
import { defaultLimit } from './limits.ts';
import { createRoom } from './room.ts';
import * as store from './store.ts';

export type { Limits, QuotaDetail, QuotaEngine } from '#src/lib/quota.ts';

export interface QuotaOptions {
  /** Read at the first use, when all plugins have added theirs. */
  readonly resources: readonly QuotaResource[];
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
}

/** Makes the engine. */
export function createQuota({ resources, config, db, log }: QuotaOptions): QuotaEngine {
  const room = createRoom();
  let known: ReadonlyMap<string, store.LimitedResource> | undefined;

  function declared(): ReadonlyMap<string, store.LimitedResource> {
    known ??= new Map(
      resources.map((resource) => [resource.name, { ...resource, limit: defaultLimit(config, resource) }]),
    );
    return known;
  }

  function chargesOf(deltas: Readonly<Record<string, number>>): store.Charge[] {
    return Object.entries(deltas)
      .filter(([, delta]) => delta !== 0)
      .map(([name, delta]) => {
        const resource = declared().get(name);
        if (resource === undefined) throw new TypeError(`no plugin declares the quota resource '${name}'`);
        return { resource, delta };
      });
  }

  /** In the order of the declarations. */
  function complete(limits: Limits): Limits {
    return Object.fromEntries(Array.from(declared().values(), ({ name, limit }) => [name, limits[name] ?? limit]));
  }

  return {
    resourceNames: () => [...declared().keys()],
    defaults: () => complete({}),

    async check(_context, project_id, deltas) {
      const growing = chargesOf(deltas).filter(({ delta }) => delta > 0);
      if (growing.every(({ resource, delta }) => room.take(project_id, resource.name, delta))) return;
      const standings = await store.readStandings(
        db.sql,
        project_id,
        growing.map(({ resource }) => resource),
        { uncountedIfUnlimited: true },
      );
      refuse(standings.filter(({ resource, limit, used }) => limit >= 0 && used + deltas[resource]! > limit));
      for (const standing of standings) room.saw(project_id, standing);
    },

    async count(tx, project_id, deltas) {
      const charges = chargesOf(deltas);
      if (charges.length > 0) await store.charge(tx, project_id, charges, false);
    },

    async charge(tx, project_id, deltas, last) {
      const charges = chargesOf(deltas);
      if (charges.length === 0) return;
      const statement = store.charge(tx, project_id, charges, true);
      if (last !== undefined) return last(statement, asOverQuota);
      try {
        await statement;
      } catch (error) {
        throw asOverQuota(error);
      }
    },

    async getQuota(project_id) {
      return complete(byResource(await store.readLimits(db.sql, project_id)));
    },

    async listQuotas() {
      const rows = Map.groupBy(await store.readLimits(db.sql), (row) => row.project_id);
      return Array.from(rows, ([project_id, own]) => ({ project_id, limits: complete(byResource(own)) }));
    },

    async setQuota(project_id, limits) {
      const named = new Map(Object.entries(limits));
      await db.transaction({ label: 'update_quota' }, (tx) => store.writeLimits(tx, project_id, named));
    },

    async deleteQuota(project_id) {
      if ((await store.removeLimits(db.sql, project_id)) === 0) throw new TenantQuotaNotFound(project_id);
    },

    async details(project_id) {
      const standings = await store.readStandings(db.sql, project_id, [...declared().values()]);
      return Object.fromEntries(standings.map(({ resource, limit, used }) => [resource, { limit, used, reserved: 0 }]));
    },

    async rebuild() {
      let wrong = 0;
      for (const resource of declared().values()) {
        for (const { project_id, limit } of await store.usages(db.sql, resource)) {
          if (limit < 0) {
            await db.transaction({ label: 'forget_quota' }, (tx) => store.forget(tx, project_id, [resource.name]));
            continue;
          }
          const counted = await db.transaction({ label: 'rebuild_quota' }, (tx) =>
            store.recount(tx, project_id, resource),
          );
          if (counted === null || counted.was === counted.is) continue;
          wrong++;
          log.warn('quota usage was wrong and is counted again', { project_id, resource: resource.name, ...counted });
        }
      }
      return wrong;
    },
  };
}

function byResource(rows: readonly { readonly resource: string; readonly limit: number }[]): Limits {
  return Object.fromEntries(rows.map(({ resource, limit }) => [resource, limit]));
}

function asOverQuota(error: unknown): unknown {
  return violatedConstraint(error) === store.LIMIT_EXCEEDED ? new OverQuota(errorDetail(error).split(',')) : error;
}

function refuse(over: readonly store.Standing[]): void {
  if (over.length > 0) throw new OverQuota(over.map(({ resource }) => resource).toSorted());
}
