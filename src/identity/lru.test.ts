import { expect, test } from 'vitest';
import { Lru } from './lru.ts';

test('the entry that was not asked for the longest goes first', () => {
  const lru = new Lru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  expect(lru.get('a')).toBe(1);
  lru.set('c', 3);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
});

test('setting an entry anew does not push another out', () => {
  const lru = new Lru<number>(2);
  lru.set('a', 1);
  lru.set('b', 2);
  lru.set('b', 3);
  expect([lru.get('a'), lru.get('b')]).toEqual([1, 3]);
});
