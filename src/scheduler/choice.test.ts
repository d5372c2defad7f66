import { expect, it } from 'vitest';
import { chooseAgents } from './choice.ts';

const agent = (id: string, load: number, availability_zone: string | null = null) => ({ id, load, availability_zone });
const ids = (agents: readonly { readonly id: string }[]) => agents.map(({ id }) => id);

it('by load, the least loaded are chosen', () => {
  const agents = [agent('a', 3), agent('b', 1), agent('c', 2)];
  expect(ids(chooseAgents(agents, 2, 'load'))).toEqual(['b', 'c']);
});

it('chance decides between equals', () => {
  const agents = [agent('a', 1), agent('b', 1)];
  const chances = [0.9, 0.1];
  expect(ids(chooseAgents(agents, 1, 'load', [], () => chances.shift()!))).toEqual(['b']);
});

it('by chance, load does not count', () => {
  const agents = [agent('a', 1), agent('b', 9)];
  const chances = [0.9, 0.1];
  expect(ids(chooseAgents(agents, 1, 'chance', [], () => chances.shift()!))).toEqual(['b']);
});

it('no more are chosen than there are, and none where none are needed', () => {
  const agents = [agent('a', 1)];
  for (const method of ['load', 'chance', 'zones'] as const) {
    expect(ids(chooseAgents(agents, 3, method))).toEqual(['a']);
    expect(chooseAgents(agents, 0, method)).toEqual([]);
    expect(chooseAgents(agents, -1, method)).toEqual([]);
    expect(chooseAgents([], 1, method)).toEqual([]);
  }
});

it('by zones, the least loaded of each zone comes before the second of any', () => {
  const agents = [agent('a1', 1, 'a'), agent('a2', 2, 'a'), agent('b1', 9, 'b'), agent('b2', 10, 'b')];
  expect(ids(chooseAgents(agents, 3, 'zones'))).toEqual(['a1', 'b1', 'a2']);
});

it('by zones, those where the resource is already come last', () => {
  const agents = [agent('a1', 1, 'a'), agent('b1', 9, 'b')];
  expect(ids(chooseAgents(agents, 1, 'zones', ['a']))).toEqual(['b1']);
  expect(ids(chooseAgents(agents, 1, 'zones', ['a', 'b']))).toEqual(['a1']);
});
