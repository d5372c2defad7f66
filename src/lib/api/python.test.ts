import { describe, expect, it } from 'vitest';
import { isPrintable, pythonEquals, pythonInt, pythonLength, pythonRepr, pythonStr } from './python.ts';

describe('pythonRepr()', () => {
  it.each([
    [null, 'None'],
    [true, 'True'],
    ['abc', "'abc'"],
    ["it's", '"it\'s"'],
    [`"it's"`, `'"it\\'s"'`],
    ['a\nb\t\\\x00\x7f\u200b', "'a\\nb\\t\\\\\\x00\\x7f\\u200b'"],
    ['é 😀', "'é 😀'"],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    [1e-7, '1e-07'],
    [[1, 'a', null], "[1, 'a', None]"],
    [{ a: [true], 'b c': {} }, "{'a': [True], 'b c': {}}"],
  ])('of %j', (value, text) => expect(pythonRepr(value)).toBe(text));
});

describe('pythonStr()', () => {
  it('leaves strings alone, but not those inside lists', () => {
    expect(pythonStr('a')).toBe('a');
    expect(pythonStr(['a'])).toBe("['a']");
  });
});

describe('pythonInt()', () => {
  it.each([
    [1.9, 1],
    [-1.9, -1],
    [true, 1],
    [' 12 ', 12],
    ['1_000', 1000],
    ['+5', 5],
    ['1.5', null],
    ['0x10', null],
    ['', null],
    [null, null],
    [[], null],
    [Number.POSITIVE_INFINITY, null],
  ])('of %j is %j', (value, number) => expect(pythonInt(value)).toBe(number));
});

describe('pythonEquals()', () => {
  it('takes booleans for numbers but no string for one', () => {
    expect(pythonEquals(true, 1)).toBe(true);
    expect(pythonEquals('1', 1)).toBe(false);
    expect(pythonEquals(null, 0)).toBe(false);
  });
});

describe('text', () => {
  it('is measured in code points', () => expect(pythonLength('a😀é')).toBe(3));
  it('is printable without controls, separators and unassigned code points', () => {
    expect(isPrintable('a b é 😀')).toBe(true);
    for (const text of ['a\tb', 'a\u00a0b', '\u2028', '\ud800', '\u0378']) expect(isPrintable(text)).toBe(false);
  });
});
