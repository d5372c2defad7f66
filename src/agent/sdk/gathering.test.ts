import { expect, test } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { gather } from './gathering.ts';

const never = new AbortController().signal;
const options = { name: 'work', log: silentLogger, signal: never };

test('gather() takes what comes meanwhile as the next batch, each name once', async () => {
  const batches: (readonly string[])[] = [];
  let go: () => void = () => {};
  const work = (names: readonly string[]) => {
    batches.push(names);
    return new Promise<void>((resolve) => {
      go = resolve;
    });
  };
  const backlog = gather({ ...options, work });
  backlog.add(['a', 'b']);
  await Promise.resolve();
  await Promise.resolve();
  for (let n = 0; n < 100; n++) backlog.add(['b', 'c']);
  const settled = backlog.settled();
  go();
  while (batches.length < 2) await Promise.resolve();
  go();
  await settled;
  expect(batches).toEqual([
    ['a', 'b'],
    ['b', 'c'],
  ]);
});

test('gather() does no more at once than its limit', async () => {
  const batches: number[] = [];
  const backlog = gather({ ...options, limit: 4, work: async (names) => void batches.push(names.length) });
  backlog.add(Array.from({ length: 10 }, (_, n) => String(n)));
  await backlog.settled();
  expect(batches).toEqual([4, 4, 2]);
});

test('gather() tries again what failed, with what came meanwhile', async () => {
  const batches: (readonly string[])[] = [];
  const backlog = gather({
    ...options,
    work: async (names) => {
      batches.push([...names].sort());
      if (batches.length > 1) return;
      backlog.add(['b']);
      throw new Error('not now');
    },
  });
  backlog.add(['a']);
  await backlog.settled();
  expect(batches).toEqual([['a'], ['a', 'b']]);
});

test('gather() ends when its signal does', async () => {
  const stop = new AbortController();
  const backlog = gather({
    ...options,
    signal: stop.signal,
    work: async () => {
      stop.abort();
      throw new Error('over');
    },
  });
  backlog.add(['a']);
  await backlog.settled();
});

test('gather() loses nothing that comes just when a batch ends', async () => {
  const done = new Set<string>();
  const backlog = gather({
    ...options,
    work: async (names) => {
      for (const name of names) done.add(name);
    },
  });
  for (let turns = 0; turns < 12; turns++) {
    backlog.add([`a${turns}`]);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    backlog.add([`b${turns}`]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(done).toContain(`b${turns}`);
  }
});
