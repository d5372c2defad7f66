import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCidr, parseCidr } from '#src/lib/net/mod.ts';
import { bestFit, cidrsOf, mergeRanges, type Range, rangesCover, rangesMeet, subtractRanges } from './prefixes.ts';

const nets = (...texts: string[]): Range[] => texts.map((text) => parseCidr(text)!);
const compact = (...texts: string[]): string[] =>
  cidrsOf(parseCidr(texts[0]!)!.version, nets(...texts)).map(formatCidr);

describe('cidrsOf()', () => {
  test.each<[string[], string[]]>([
    [
      ['10.9.0.0/24', '10.8.0.0/24', '10.8.1.0/24'],
      ['10.8.0.0/23', '10.9.0.0/24'],
    ],
    [['10.8.0.0/16', '10.8.4.0/24'], ['10.8.0.0/16']],
    [
      ['10.0.1.0/24', '10.0.2.0/24'],
      ['10.0.1.0/24', '10.0.2.0/24'],
    ],
    [['0.0.0.0/1', '128.0.0.0/1'], ['0.0.0.0/0']],
    [['fd00::/65', 'fd00:0:0:0:8000::/65'], ['fd00::/64']],
    [['::/0'], ['::/0']],
  ])('%j makes %j', (given, expected) => {
    expect(compact(...given)).toEqual(expected);
  });
});

describe('subtractRanges()', () => {
  test('leaves what is not removed, however the holes lie', () => {
    const left = subtractRanges(nets('10.0.0.0/24', '10.0.2.0/24'), nets('10.0.0.64/26', '10.0.2.0/25', '10.0.9.0/24'));
    expect(cidrsOf(4, left).map(formatCidr)).toEqual(['10.0.0.0/26', '10.0.0.128/25', '10.0.2.128/25']);
    expect(subtractRanges(nets('10.0.0.0/24', '10.0.2.0/24'), nets('10.0.0.0/22'))).toEqual([]);
  });

  const ranges = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 })).map(([first, size]) => ({
      first: BigInt(first),
      last: BigInt(first + size),
    })),
    { maxLength: 8 },
  );
  const members = (list: readonly Range[]) =>
    new Set(
      list.flatMap(({ first, last }) => Array.from({ length: Number(last - first) + 1 }, (_, n) => first + BigInt(n))),
    );

  test('agrees with sets of addresses', () => {
    fc.assert(
      fc.property(ranges, ranges, (some, others) => {
        const [a, b] = [members(some), members(others)];
        expect(members(mergeRanges(some))).toEqual(a);
        expect(members(subtractRanges(some, others))).toEqual(new Set([...a].filter((one) => !b.has(one))));
        expect(rangesMeet(some, others)).toBe([...a].some((one) => b.has(one)));
        expect(rangesCover(some, others)).toBe([...b].every((one) => a.has(one)));
        expect(members(cidrsOf(4, some))).toEqual(a);
      }),
    );
  });
});

describe('bestFit()', () => {
  const best = (free: string[], prefixlen: number) => {
    const found = bestFit(4, nets(...free), prefixlen);
    return found === undefined ? undefined : formatCidr(found);
  };
  test('takes the smallest free network that has room, and of those the first', () => {
    expect(best(['10.0.0.0/16'], 24)).toBe('10.0.0.0/24');
    expect(best(['10.0.0.0/16', '10.3.0.0/25', '10.4.0.0/25'], 26)).toBe('10.3.0.0/26');
    expect(best(['10.0.0.0/16', '10.3.0.0/25'], 24)).toBe('10.0.0.0/24');
    expect(best(['10.3.0.0/25'], 24)).toBeUndefined();
    expect(best([], 24)).toBeUndefined();
  });
});
