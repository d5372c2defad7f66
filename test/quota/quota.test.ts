import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { adminContext } from '#src/lib/context.ts';
import { NeutronError, OverQuota } from '#src/lib/errors.ts';
import { type LogFields, silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createQuota } from '#src/quota/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

const RESOURCES = [
  { name: 'widget', default_limit: 10, table: 'widgets' },
  { name: 'gadget', default_limit: 3, table: 'gadgets' },
  { name: 'free', default_limit: -1, table: 'widgets' },
];
const PROJECT = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);

let test: TestDatabase;
const warnings: LogFields[] = [];
const retries: string[] = [];

function makeQuota(options: Parameters<typeof configFrom>[1] = {}) {
  return createQuota({
    resources: RESOURCES,
    config: configFrom(allOptions, options),
    db: test.db,
    log: { ...silentLogger, warn: (_, fields) => void warnings.push(fields ?? {}) },
  });
}
let quota: ReturnType<typeof makeQuota>;

beforeAll(async () => {
  test = await migratedDatabase('quota', {
    poolSize: 12,
    metrics: {
      ...silentMetrics,
      counter: (name) => ({ add: (labels) => void (name.includes('retries') && retries.push(labels!['label']!)) }),
    },
  });
  await test.sql`CREATE TABLE widgets (id serial PRIMARY KEY, project_id varchar(255) NOT NULL)`;
  await test.sql`CREATE TABLE gadgets (id serial PRIMARY KEY, project_id varchar(255) NOT NULL)`;
  quota = makeQuota();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.sql`TRUNCATE widgets, gadgets, quotas, quota_usages`;
  warnings.length = 0;
  retries.length = 0;
});

/** Creates objects as a plugin does: rows first, the charge last. */
function create(tables: Readonly<Record<string, number>>, project = PROJECT, end: 'commit' | 'abort' = 'commit') {
  return test.db.transaction({ label: 'create' }, async (tx) => {
    for (const [name, count] of Object.entries(tables)) {
      for (let made = 0; made < count; made++) {
        await tx`INSERT INTO ${tx(`${name}s`)} (project_id) VALUES (${project})`;
      }
    }
    await quota.charge(tx, project, tables);
    if (end === 'abort') throw new Error('given up');
  });
}

function remove(name: string, project = PROJECT) {
  return test.db.transaction({ label: 'delete' }, async (tx) => {
    const { count } = await tx`
      DELETE FROM ${tx(`${name}s`)} WHERE id IN (
        SELECT id FROM ${tx(`${name}s`)} WHERE project_id = ${project} LIMIT 1 FOR UPDATE SKIP LOCKED)`;
    if (count > 0) await quota.charge(tx, project, { [name]: -count });
  });
}

const used = async (name: string, project = PROJECT) => (await quota.details(project))[name]!.used;
async function rows(name: string, project = PROJECT): Promise<number> {
  const [row] = await test.sql<{ count: number }[]>`
    SELECT count(*)::int FROM ${test.sql(`${name}s`)} WHERE project_id = ${project}`;
  return row!.count;
}
/** How many went through; each of the others must have met OverQuota. */
async function successes(attempts: readonly Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(attempts);
  for (const one of settled) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(OverQuota);
  return settled.filter((one) => one.status === 'fulfilled').length;
}
const many = <T>(count: number, run: (index: number) => Promise<T>) =>
  Array.from({ length: count }, (_, at) => run(at));

describe('charge()', () => {
  it('lets exactly the limit through when many create at once, the first row being made meanwhile', async () => {
    expect(await successes(many(40, () => create({ widget: 1 })))).toBe(10);
    expect([await rows('widget'), await used('widget')]).toEqual([10, 10]);
  });

  it('counts objects that are older than its row', async () => {
    await test.sql`INSERT INTO widgets (project_id) SELECT ${PROJECT} FROM generate_series(1, 7)`;
    expect(await successes(many(20, () => create({ widget: 1 })))).toBe(3);
    expect([await rows('widget'), await used('widget')]).toEqual([10, 10]);
  });

  it('takes several resources in any order without a deadlock', async () => {
    await create({ widget: 1, gadget: 1 });
    await quota.setQuota(PROJECT, { widget: 30, gadget: 1000 });
    const attempts = many(60, (at) => create(at % 2 ? { widget: 1, gadget: 1 } : { gadget: 1, widget: 1 }));
    expect(await successes(attempts)).toBe(29);
    expect([await rows('widget'), await used('widget'), await rows('gadget'), await used('gadget')]).toEqual([
      30, 30, 30, 30,
    ]);
    expect(retries).toEqual([]);
  });

  it('gives back what a transaction that rolls back had taken', async () => {
    await expect(create({ widget: 1 }, PROJECT, 'abort')).rejects.toThrow('given up');
    expect(await used('widget')).toBe(0);
    await create({ widget: 2 });
    await expect(create({ widget: 3 }, PROJECT, 'abort')).rejects.toThrow('given up');
    expect([await rows('widget'), await used('widget')]).toEqual([2, 2]);
    expect(await successes(many(20, () => create({ widget: 1 }, PROJECT)))).toBe(8);
  });

  it('stays exact while some create, some delete and some give up', async () => {
    await quota.setQuota(PROJECT, { widget: 5 });
    const over: number[] = [];
    await Promise.all(
      many(150, async (at) => {
        try {
          if (at % 3 === 0) await remove('widget');
          else await create({ widget: 1 + (at % 2) }, PROJECT, at % 7 === 0 ? 'abort' : 'commit');
        } catch (error) {
          if (!(error instanceof OverQuota || (error as Error).message === 'given up')) throw error;
        }
        const count = await rows('widget');
        if (count > 5) over.push(count);
      }),
    );
    expect(over).toEqual([]);
    expect(await used('widget')).toBe(await rows('widget'));
  });

  it('is all or nothing and names every resource that is over', async () => {
    await create({ widget: 9, gadget: 3 });
    await expect(create({ widget: 2, gadget: 1 })).rejects.toThrow(
      "Quota exceeded for resources: ['gadget', 'widget'].",
    );
    expect([await used('widget'), await used('gadget')]).toEqual([9, 3]);
    await create({ widget: 1 });
  });

  it('lets a project below a lowered limit delete but not create', async () => {
    await create({ widget: 4 });
    await quota.setQuota(PROJECT, { widget: 2 });
    await remove('widget');
    await expect(create({ widget: 1 })).rejects.toBeInstanceOf(OverQuota);
    expect(await used('widget')).toBe(3);
  });

  it('knows no limit at -1, and each project for itself', async () => {
    await quota.setQuota(PROJECT, { widget: -1 });
    await create({ widget: 15 });
    await expect(create({ widget: 15 }, OTHER)).rejects.toBeInstanceOf(OverQuota);
    await create({ widget: 10 }, OTHER);
  });

  it('refuses a resource that nobody declares', async () => {
    const charging = test.db.transaction({ label: 'x' }, (tx) => quota.charge(tx, PROJECT, { nope: 1 }));
    await expect(charging).rejects.toThrow("no plugin declares the quota resource 'nope'");
  });
});

describe('check()', () => {
  it('throws OverQuota when there is plainly no room', async () => {
    const context = adminContext();
    await create({ widget: 9 });
    await quota.check(context, PROJECT, { widget: 1, free: 1000 });
    await expect(quota.check(context, PROJECT, { widget: 2 })).rejects.toThrow("['widget']");
    await quota.check(context, PROJECT, { widget: -1 });
    await quota.check(context, PROJECT, {});
  });
});

describe('limits', () => {
  it('come from the options, then from the project', async () => {
    const configured = makeQuota({ quotas: { default_quota: 77 } });
    expect(configured.defaults()).toEqual({ widget: 10, gadget: 3, free: 77 });
    await configured.setQuota(PROJECT, { gadget: 9 });
    expect(await configured.getQuota(PROJECT)).toEqual({ widget: 10, gadget: 9, free: 77 });
    expect(await configured.getQuota(OTHER)).toEqual(configured.defaults());
    expect(await configured.listQuotas()).toEqual([
      { project_id: PROJECT, limits: { widget: 10, gadget: 9, free: 77 } },
    ]);
  });
  it('go back to the defaults', async () => {
    await quota.setQuota(PROJECT, { widget: 1 });
    await quota.deleteQuota(PROJECT);
    expect(await quota.getQuota(PROJECT)).toEqual(quota.defaults());
    const again = await quota.deleteQuota(PROJECT).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(NeutronError);
    expect(again).toMatchObject({ type: 'TenantQuotaNotFound', status: 404 });
  });
});

describe('rebuild()', () => {
  it('corrects wrong usage while creations go on', async () => {
    await quota.setQuota(PROJECT, { widget: 1000 });
    await create({ widget: 3 });
    await create({ widget: 2 }, OTHER);
    await test.sql`UPDATE quota_usages SET in_use = 500`;
    const [wrong] = await Promise.all([quota.rebuild(), ...many(30, () => create({ widget: 1 }))]);
    expect(wrong).toBe(2);
    expect([await rows('widget'), await used('widget'), await used('widget', OTHER)]).toEqual([33, 33, 2]);
    expect(warnings).toHaveLength(2);
    expect(await quota.rebuild()).toBe(0);
  });
});
