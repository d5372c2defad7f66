/** Periodic work over several machines: one runner at a time, also when one is killed. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Lifetime } from '#src/lib/lifetime.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import { type PeriodicOptions, periodic } from '#src/scheduler/mod.ts';
import { until } from '../rpc/support.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let life: Lifetime;
const errors: [string, LogFields | undefined][] = [];
const log: Logger = { ...silentLogger, error: (message, fields) => void errors.push([message, fields]) };

beforeAll(async () => {
  database = await migratedDatabase('periodic');
});
afterAll(() => database.drop());
beforeEach(async () => {
  life = new Lifetime();
  errors.length = 0;
  await database.sql`truncate periodic_work`;
});
afterEach(() => life.stop());

const start = async (options: Pick<PeriodicOptions, 'run'> & Partial<PeriodicOptions>) =>
  life.add(await periodic({ db: database.db, name: 'work', seconds: 0.1, log, ...options }).start());

test('three machines run the work one at a time, an interval apart', async () => {
  const runs: number[] = [];
  let running = 0;
  let most = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    runs.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
  };
  await Promise.all([1, 2, 3].map(() => start({ run })));
  await until(() => runs.length >= 8, 'it runs again and again');
  expect(most).toBe(1);
  const gaps = runs.slice(1).map((at, n) => at - runs[n]!);
  // The time of the database and that of the process differ by what a statement takes.
  expect(Math.min(...gaps)).toBeGreaterThan(80);
});

test('a run that takes longer than the interval and the lease is never overlapped', async () => {
  let running = 0;
  let most = 0;
  let done = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 700));
    running -= 1;
    done += 1;
  };
  await Promise.all([1, 2].map(() => start({ run, leaseSeconds: 0.3 })));
  await until(() => done >= 3, 'it runs again and again');
  expect(most).toBe(1);
});

test('what the work throws is logged, and the next run comes', async () => {
  let runs = 0;
  await start({
    run: async () => {
      if (++runs < 3) throw new Error(`run ${runs}`);
    },
  });
  await until(() => runs >= 4, 'it is run again');
  expect(errors.map(([message]) => message)).toEqual(Array(2).fill('periodic work failed and will be tried again'));
});

test('stop() tells the work, and waits for it', async () => {
  const told = Promise.withResolvers<void>();
  let ended = false;
  const worker = await start({
    run: async (signal) => {
      told.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = true;
    },
  });
  await told.promise;
  await worker.stop();
  expect(ended).toBe(true);
});

test('a runner that was stuck learns that it has lost the work', async () => {
  const lost = Promise.withResolvers<void>();
  const worker = await start({
    leaseSeconds: 0.3,
    run: async (signal) => {
      await database.sql`update periodic_work set runner = gen_random_uuid(), leased_until = now() + interval '1 hour'`;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      lost.resolve();
    },
  });
  await lost.promise;
  await worker.stop();
  const [row] = await database.sql`select leased_until > now() + interval '50 minutes' as kept from periodic_work`;
  expect(row?.['kept']).toBe(true);
});

test('who stands by is told so', async () => {
  let idle = 0;
  const run = async () => {};
  await start({ run, seconds: 60 });
  await until(async () => (await database.sql`select from periodic_work where due_at > now()`).length === 1, 'a run');
  await start({ run, seconds: 60, idle: () => void idle++ });
  await until(() => idle === 1, 'the other is idle');
});

test('when the runner is killed in the middle, another takes over after the lease', async () => {
  const path = new URL('runner.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [path, database.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const begun = Promise.withResolvers<string>();
    createInterface(child.stdout).once('line', begun.resolve);
    expect(await begun.promise).toBe('running');
    let runs = 0;
    await start({ run: async () => void runs++ });
    await until(
      async () => (await database.sql`select from periodic_work where leased_until > now()`).length === 1,
      'it is held',
    );
    expect(runs).toBe(0);
    child.kill('SIGKILL');
    await until(() => runs > 0, 'the other runs it');
  } finally {
    child.kill('SIGKILL');
  }
});
