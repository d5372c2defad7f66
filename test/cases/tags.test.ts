import { describe, expect, it } from 'vitest';
import { type Caller, ids, unknownId, useCloud } from './support.ts';

const people = useCloud('tags');

describe('the tags of a network', () => {
  it('are added, asked for, replaced and taken away', async () => {
    const { alice } = people();
    const net = await alice.network();
    const tags = `/networks/${net.id}/tags`;
    const all = async () => (await alice.show('network', net.id)).tags.toSorted();
    await alice.ask(201, 'PUT', `${tags}/red`);
    await alice.ask(201, 'PUT', `${tags}/red`);
    await alice.ask(204, 'GET', `${tags}/red`);
    await alice.refused(404, 'TagNotFound').ask('GET', `${tags}/blue`);
    expect((await alice.ask(200, 'PUT', tags, { tags: ['b', 'a'] })).tags.toSorted()).toEqual(['a', 'b']);
    expect(await all()).toEqual(['a', 'b']);
    expect((await alice.ask(200, 'GET', tags)).tags.toSorted()).toEqual(['a', 'b']);
    await alice.ask(204, 'DELETE', `${tags}/a`);
    await alice.refused(404, 'TagNotFound').ask('DELETE', `${tags}/zzz`);
    await alice.ask(204, 'DELETE', tags);
    expect(await all()).toEqual([]);
  });

  it('are those of a network that there is, and that is seen', async () => {
    const { alice, bob } = people();
    const net = await bob.network();
    for (const id of [unknownId(), net.id]) {
      await alice.refused(404).ask('PUT', `/networks/${id}/tags/x`);
      await alice.refused(404).ask('GET', `/networks/${id}/tags`);
      await alice.refused(404).ask('DELETE', `/networks/${id}/tags`);
    }
    expect((await bob.show('network', net.id)).tags).toEqual([]);
  });

  it.each([{ tags: 'x' }, { tags: [1] }, { tags: ['a', 'a'] }, { tags: ['x'.repeat(256)] }, {}])(
    'are not %j',
    async (body) => {
      const { alice } = people();
      const net = await alice.network();
      await alice.refused(400).ask('PUT', `/networks/${net.id}/tags`, body);
    },
  );

  it('are one set, however many add to it at once', async () => {
    const { alice } = people();
    const net = await alice.network();
    const added = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(added.map((tag) => alice.ask(201, 'PUT', `/networks/${net.id}/tags/${tag}`)));
    expect((await alice.show('network', net.id)).tags.toSorted()).toEqual(added);
  });
});

describe('filters by tags', () => {
  async function tagged(caller: Caller) {
    const make = async (...tags: readonly string[]) => {
      const net = await caller.network();
      await caller.ask(200, 'PUT', `/networks/${net.id}/tags`, { tags });
      return net;
    };
    return { a: await make('red', 'blue'), b: await make('red'), c: await make('green'), d: await caller.network() };
  }

  it('find all of, any of, not all of, and none of the tags', async () => {
    const { alice } = people();
    const { a, b, c, d } = await tagged(alice);
    const found = async (query: string) => ids(await alice.list(`networks?${query}`));
    expect(await found('tags=red,blue')).toEqual([a.id]);
    expect(await found('tags=red&tags=blue')).toEqual([a.id]);
    expect(await found('tags-any=blue,green')).toEqual(ids([a, c]));
    expect(await found('not-tags=red,blue')).toEqual(ids([b, c, d]));
    expect(await found('not-tags-any=red,blue')).toEqual(ids([c, d]));
    expect(await found('tags=red&not-tags=blue')).toEqual([b.id]);
    expect(await found('tags=red&not-tags-any=blue,green')).toEqual([b.id]);
  });
});
