import { describe, expect, it } from 'vitest';
import { thoseThatFail } from './failing.ts';

async function run(items: readonly string[], error: (item: string) => Error | undefined) {
  const done = new Set<string>();
  let calls = 0;
  const failed = await thoseThatFail(items, async (some) => {
    calls += 1;
    for (const item of some) {
      const wrong = error(item);
      if (wrong !== undefined) throw wrong;
    }
    for (const item of some) done.add(item);
  });
  return { calls, done: [...done], failed: failed.map(({ item }) => item) };
}
const bad = (item: string) => (item.endsWith('!') ? new Error('bad') : undefined);

describe('thoseThatFail()', () => {
  it('works once where nothing fails, and not at all for nothing', async () => {
    expect(await run(['a', 'b'], bad)).toEqual({ calls: 1, done: ['a', 'b'], failed: [] });
    expect(await run([], bad)).toEqual({ calls: 0, done: [], failed: [] });
  });

  it('finds those that fail, and does the others', async () => {
    const items = Array.from({ length: 1000 }, (_, n) => (n === 3 || n === 700 ? `${n}!` : `${n}`));
    const { calls, done, failed } = await run(items, bad);
    expect(failed).toEqual(['3!', '700!']);
    expect(done).toHaveLength(998);
    expect(calls).toBeLessThan(45);
  });

  it('does not try one by one when the database is away', async () => {
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    expect(await run(['a', 'b', 'c'], () => away)).toEqual({ calls: 1, done: [], failed: ['a', 'b', 'c'] });
  });
});
