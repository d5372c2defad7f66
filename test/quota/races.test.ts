/** Quotas when many create at once, from several pools as several workers do; and while limits come and go. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { openDatabase } from '#src/db/mod.ts';
import type { Database } from '#src/lib/database.ts';
import { OverQuota } from '#src/lib/errors.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createQuota, type QuotaEngine } from '#src/quota/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

/** A process: its own pool and its own engine. */
interface Worker {
  readonly db: Database & Stoppable;
  readonly quota: QuotaEngine;
}

let database: TestDatabase;
let workers: readonly Worker[];
const retried: string[] = [];

beforeAll(async () => {
  database = await migratedDatabase('races');
  await database.sql`create table widgets (id bigserial primary key, project_id varchar(255) not null)`;
  await database.sql`create index on widgets (project_id)`;
  const metrics = {
    ...silentMetrics,
    counter: (name: string) => ({ add: () => void (name.includes('retries') && retried.push(name)) }),
  };
  workers = [1, 2, 3].map(() => {
    const options = { url: database.url, applicationName: 'worker', poolSize: 5, log: silentLogger, metrics };
    const db = openDatabase(options);
    const resources = [{ name: 'widget', default_limit: -1, table: 'widgets' }];
    return {
      db,
      quota: createQuota({
        resources,
        config: configFrom(allOptions, { quotas: { default_quota: -1 } }),
        db,
        log: silentLogger,
      }),
    };
  });
}, 30_000);
afterAll(async () => {
  await Promise.all(workers.map(({ db }) => db.stop()));
  await database.drop();
});

const worker = (at: number): Worker => workers[at % workers.length]!;

/** Creates as plugins do, the charge going out with the COMMIT; whether the quota allowed it. */
async function create(
  { db, quota }: Worker,
  project: string,
  count = 1,
  end: 'commit' | 'abort' = 'commit',
): Promise<boolean> {
  try {
    await db.transaction({ label: 'create' }, async (tx, last) => {
      await tx`insert into widgets (project_id) select ${project} from generate_series(1, ${count}::int)`;
      if (end === 'abort') {
        await quota.charge(tx, project, { widget: count });
        throw new Error('given up');
      }
      await quota.charge(tx, project, { widget: count }, last);
    });
    return true;
  } catch (error) {
    if (error instanceof OverQuota) return false;
    if ((error as Error).message === 'given up') return true;
    throw error;
  }
}

async function remove({ db, quota }: Worker, project: string): Promise<void> {
  await db.transaction({ label: 'delete' }, async (tx, last) => {
    const { count } = await tx`
      delete from widgets where id in (
        select id from widgets where project_id = ${project} limit 1 for update skip locked)`;
    if (count > 0) await quota.charge(tx, project, { widget: -count }, last);
  });
}

async function rows(project: string): Promise<number> {
  const [row] = await database.sql<
    { n: number }[]
  >`select count(*)::int as n from widgets where project_id = ${project}`;
  return row!.n;
}

/** The usage row beside the truth, as one moment had them: they are written by the same transactions. */
async function drift(): Promise<readonly unknown[]> {
  return await database.sql`
    select u.project_id, u.in_use, c.n from quota_usages u
    cross join lateral (select count(*)::int as n from widgets w where w.project_id = u.project_id) c where u.in_use <> c.n`;
}

test('of 10,000 creations at once exactly those within the limits succeed', async () => {
  const limits = new Map([...Array(10).keys()].map((at) => [`racing-${at}`, 100 + at * 90]));
  for (const [project, limit] of limits) await worker(0).quota.setQuota(project, { widget: limit });
  const succeeded = new Map<string, number>();
  await Promise.all(
    Array.from({ length: 10_000 }, async (_, at) => {
      const project = `racing-${at % limits.size}`;
      if (await create(worker(at), project)) succeeded.set(project, (succeeded.get(project) ?? 0) + 1);
    }),
  );
  expect(Object.fromEntries(succeeded)).toEqual(Object.fromEntries(limits));
  for (const [project, limit] of limits) {
    expect([await rows(project), (await worker(1).quota.details(project))['widget']]).toEqual([
      limit,
      { limit, used: limit, reserved: 0 },
    ]);
  }
  expect(retried).toEqual([]);
}, 120_000);

test('nobody waits for another where there is no limit, and nothing is kept', async () => {
  const [first, second] = workers;
  await first!.db.transaction({ label: 'create' }, async (tx) => {
    await tx`insert into widgets (project_id) values ('free')`;
    await first!.quota.charge(tx, 'free', { widget: 1 });
    // Inside of the other's transaction: it would wait for ever.
    expect(await create(second!, 'free')).toBe(true);
    await remove(second!, 'free');
  });
  expect(await database.sql`select 1 from quota_usages where project_id = 'free'`).toEqual([]);
  expect((await first!.quota.details('free'))['widget']).toEqual({ limit: -1, used: 1, reserved: 0 });
});

test('the count is true at every moment while limits are set and taken away under load', async () => {
  const project = 'changing';
  let going = true;
  const load = Array.from({ length: 12 }, async (_, at) => {
    for (let turn = at; going; turn++) {
      if (turn % 5 === 4) await remove(worker(at), project);
      else await create(worker(at), project, 1 + (turn % 3), turn % 7 === 6 ? 'abort' : 'commit');
    }
  });
  const watched: unknown[] = [];
  const { quota } = worker(0);
  try {
    for (let turn = 0; turn < 15; turn++) {
      const limit = (await rows(project)) + 20;
      await quota.setQuota(project, { widget: limit });
      for (let look = 0; look < 10; look++) watched.push(...(await drift()));
      // Who began without a limit may still end; nobody begins so any more.
      await create(worker(turn), project);
      const most = Math.max(limit, await rows(project));
      for (let look = 0; look < 10; look++) if ((await rows(project)) > most) watched.push({ limit, most });
      await quota.setQuota(project, { widget: -1 });
      await create(worker(turn), project);
    }
  } finally {
    going = false;
    await Promise.all(load);
  }
  expect(watched).toEqual([]);
  const limit = (await rows(project)) + 10;
  await quota.setQuota(project, { widget: limit });
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, at) => create(worker(at), project)));
  expect(outcomes.filter(Boolean)).toHaveLength(10);
  expect([await rows(project), (await quota.details(project))['widget']!.used]).toEqual([limit, limit]);
}, 60_000);

test('rebuild() takes away the usage of projects without a limit, which then wait for nobody', async () => {
  await database.sql`insert into quota_usages values ('free', 'widget', 12)`;
  expect(await worker(0).quota.rebuild()).toBe(0);
  expect(await database.sql`select 1 from quota_usages where project_id = 'free'`).toEqual([]);
});

test('a limit that is met while a transaction without one is under way counts what that writes', async () => {
  const [first, second] = workers;
  const project = 'between';
  const charged = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const slow = first!.db.transaction({ label: 'create' }, async (tx) => {
    await tx`insert into widgets (project_id) select ${project} from generate_series(1, 3)`;
    await first!.quota.charge(tx, project, { widget: 3 });
    charged.resolve();
    await commit.promise;
  });
  await charged.promise;
  await second!.quota.setQuota(project, { widget: 3 });
  const refused = create(second!, project);
  commit.resolve();
  await slow;
  expect(await refused).toBe(false);
  expect(await rows(project)).toBe(3);
});
