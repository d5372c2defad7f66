import { describe, expect, it } from 'vitest';
import { together } from './together.ts';

function setUp() {
  const batches: string[][] = [];
  const ask = together<string, string>(
    (item) => item[0] ?? '',
    async (items) => {
      batches.push([...items]);
      await new Promise((resolve) => setTimeout(resolve));
      if (items.some((item) => item.endsWith('!'))) throw new Error('bad');
      return items.map((item) => item.toUpperCase());
    },
  );
  return { batches, ask };
}

describe('together()', () => {
  it('does at once what comes first, and then all that has come meanwhile, of each key apart', async () => {
    const { batches, ask } = setUp();
    expect(await Promise.all(['a1', 'a2', 'a3', 'b1'].map(ask))).toEqual(['A1', 'A2', 'A3', 'B1']);
    expect(batches).toEqual([['a1'], ['b1'], ['a2', 'a3']]);
    expect(await ask('a4')).toBe('A4');
  });

  it('makes at most a hundred a batch', async () => {
    const { batches, ask } = setUp();
    await Promise.all(Array.from({ length: 202 }, (_, n) => ask(`a${n}`)));
    expect(batches.map(({ length }) => length)).toEqual([1, 100, 100, 1]);
  });

  it('fails only for the one that fails', async () => {
    const { ask } = setUp();
    const outcomes = await Promise.allSettled(['a1', 'a2', 'a!', 'a3'].map(ask));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });
});
