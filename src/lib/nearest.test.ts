import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

describe('editDistance()', () => {
  test.each([
    ['', '', 0],
    ['port', '', 4],
    ['port', 'ports', 1],
    ['prot', 'port', 1],
    ['kitten', 'sitting', 3],
  ])('of %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});

describe('nearest()', () => {
  const names = ['api_workers', 'rpc_workers', 'bind_port', 'bind_host'];
  test('finds the name that was meant', () => expect(nearest('api_worker', names)).toBe('api_workers'));
  test('does not mind the case', () => expect(nearest('BIND_PROT', names)).toBe('bind_port'));
  test('answers nothing when no name is near', () => expect(nearest('colour', names)).toBeUndefined());
});
