import { expect, test } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { inParallel } from './parallel.ts';
import { Resync } from './resync.ts';

const signal = new AbortController().signal;

test('a resynchronisation runs once for many reasons, and again for one that comes while it runs', async () => {
  const resync = new Resync({ spread: 5, log: silentLogger, signal });
  const runs: string[] = [];
  resync.add(async (reason) => {
    runs.push(reason);
    if (runs.length === 1) void resync.request('revived');
  });
  await Promise.all([resync.request('session lost'), resync.request('revived'), resync.request('new')]);
  expect(runs).toEqual(['session lost', 'revived']);
});

test('a resynchronisation that fails is tried again, in the order of its works', async () => {
  const resync = new Resync({ spread: 5, log: silentLogger, signal });
  const runs: string[] = [];
  resync.add(async () => void runs.push('first'));
  resync.add(async () => {
    runs.push('second');
    if (runs.length < 4) throw new Error('the server is away');
  });
  await resync.request('start');
  expect(runs).toEqual(['first', 'second', 'first', 'second']);
});

test('resynchronisations of many agents are spread', async () => {
  const begun: number[] = [];
  const start = performance.now();
  const agents = Array.from({ length: 50 }, async () => {
    const resync = new Resync({ spread: 200, log: silentLogger, signal });
    resync.add(async () => void begun.push(performance.now() - start));
    await resync.request('session lost');
  });
  await Promise.all(agents);
  expect(Math.max(...begun) - Math.min(...begun)).toBeGreaterThan(100);
  const first = new Resync({ spread: 60_000, log: silentLogger, signal });
  await first.request('start');
});

test('inParallel() does so many at once, and ends with the first failure', async () => {
  let running = 0;
  let most = 0;
  await inParallel(Array.from({ length: 20 }), 3, async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running--;
  });
  expect(most).toBe(3);
  const done: number[] = [];
  const work = inParallel([0, 1, 2, 3], 1, async (n) => {
    if (n === 1) throw new Error('no');
    done.push(n);
  });
  await expect(work).rejects.toThrow('no');
  expect(done).toEqual([0]);
});

test('a resynchronisation that is requested just when one ends is not lost', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const resync = new Resync({ spread: 0, log: silentLogger, signal });
    let runs = 0;
    resync.add(async () => void runs++);
    await resync.request('start');
    const first = resync.request('asked');
    while (runs < 2) await new Promise((resolve) => setTimeout(resolve, 0));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await resync.request('revived');
    await first;
    expect(runs).toBe(3);
  }
});
