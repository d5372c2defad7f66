import { describe, expect, test } from 'vitest';
import { parseIni } from './ini.ts';

const values = (text: string) => parseIni(text).entries.map(({ section, key, value }) => [section, key, value]);

describe('parseIni() reads', () => {
  test.each<[string, string, string[][]]>([
    ['key = value', '[a]\nk = v', [['a', 'k', 'v']]],
    ['key: value', '[a]\nk: v', [['a', 'k', 'v']]],
    [
      'the sign that comes first',
      '[a]\nu = http://h:1\np: a=b',
      [
        ['a', 'u', 'http://h:1'],
        ['a', 'p', 'a=b'],
      ],
    ],
    ['comments of both kinds', '# one\n; two\n[a]\n#k = 1\nk = 2 # stays', [['a', 'k', '2 # stays']]],
    [
      'continuation lines',
      '[a]\nk = x,\n  y,\n\tz\nl = 1',
      [
        ['a', 'k', 'x,\ny,\nz'],
        ['a', 'l', '1'],
      ],
    ],
    [
      'one pair of quotes',
      `[a]\nk = "v"\nl = 'it''s'\nm = "`,
      [
        ['a', 'k', 'v'],
        ['a', 'l', "it''s"],
        ['a', 'm', '"'],
      ],
    ],
    ['an empty value', '[a]\nk =', [['a', 'k', '']]],
    [
      'a section twice and a key twice',
      '[a]\nk=1\n[b]\n[a]\nk=2',
      [
        ['a', 'k', '1'],
        ['a', 'k', '2'],
      ],
    ],
    ['Windows line ends and a byte order mark', '\uFEFF[a]\r\nk = v\r\n', [['a', 'k', 'v']]],
  ])('%s', (_, text, expected) => expect(values(text)).toEqual(expected));

  test('the line of each assignment', () => {
    expect(parseIni('[a]\n\nk = x\n  y\nl = z').entries.map(({ line }) => line)).toEqual([3, 5]);
  });
});

describe('parseIni() reports', () => {
  test.each([
    ['a key before any section', 'k = v', 1],
    ['a section without an end', '[a\nk = v', 1],
    ['a section without a name', '[]', 1],
    ['a line that is nothing', '[a]\nhello', 2],
    ['a value without a key', '[a]\n= v', 2],
    ['a continuation of nothing', '[a]\n\n  v', 3],
    ['a continuation after a blank line', '[a]\nk = v\n\n  w', 4],
  ])('%s', (_, text, line) => expect(parseIni(text).problems.map((problem) => problem.line)).toContain(line));
});
