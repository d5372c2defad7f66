/** Tags through the API: on every collection that carries them, their filters, and changes at once. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCallbacks } from '#src/callbacks/mod.ts';
import { adminContext } from '#src/lib/context.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import tag from '#src/services/tag/mod.ts';
import { admin, type CallOptions, member, Stack } from '../support/stack.ts';

const ALICE = member('alice');
const BOB = member('bob');

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('tags', {
    ml2: { extension_drivers: ['port_security', 'tag_ports_during_bulk_creation'] },
  });
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

const network = (body: Readonly<Record<string, unknown>> = {}) => stack.create('network', body, ALICE);
const call = (method: string, path: string, options: CallOptions = {}) =>
  stack.call(method, `/v2.0/${path}`, { as: ALICE, ...options });
const shown = async (id: string) => (await call('GET', `networks/${id}`)).body.network;

describe('the tags of a network', () => {
  it('are added, asked for, replaced and removed', async () => {
    const { id } = await network();
    const tags = `networks/${id}/tags`;
    expect(await call('PUT', `${tags}/red`)).toMatchObject({ status: 201, text: 'null' });
    expect(await call('GET', `${tags}/red`)).toMatchObject({ status: 204, text: '' });
    expect(await call('GET', `${tags}/blue`)).toMatchObject({
      status: 404,
      body: { NeutronError: { type: 'TagNotFound' } },
    });
    expect(await call('PUT', tags, { body: { tags: ['b', 'a'] } })).toMatchObject({
      status: 200,
      body: { tags: ['b', 'a'] },
    });
    expect(await call('POST', tags, { body: { tags: ['c', 'a'] } })).toMatchObject({
      status: 200,
      body: { tags: ['c', 'a'] },
    });
    expect((await call('GET', tags)).body).toEqual({ tags: ['a', 'b', 'c'] });
    expect((await shown(id)).tags).toEqual(['a', 'b', 'c']);
    expect((await call('DELETE', `${tags}/b`)).status).toBe(204);
    expect((await call('DELETE', `${tags}/b`)).body.NeutronError.type).toBe('TagNotFound');
    expect((await call('GET', tags)).body).toEqual({ tags: ['a', 'c'] });
    expect((await call('DELETE', tags)).status).toBe(204);
    expect((await shown(id)).tags).toEqual([]);
  });

  it.each(['{}', '"{}"', 'null', 'x'])('are added by their path alone, whatever the body says: %s', async (body) => {
    const { id } = await network();
    expect((await call('PUT', `networks/${id}/tags/a`, { body })).status).toBe(201);
    expect((await shown(id)).tags).toEqual(['a']);
  });

  it('count one revision for each change, and none for what changes nothing', async () => {
    const { id, revision_number: first } = await network();
    const revision = async () => (await shown(id)).revision_number - first;
    await call('PUT', `networks/${id}/tags`, { body: { tags: ['a', 'b', 'c'] } });
    expect(await revision()).toBe(1);
    await call('PUT', `networks/${id}/tags/a`);
    await call('PUT', `networks/${id}/tags`, { body: { tags: ['c', 'b', 'a'] } });
    await call('POST', `networks/${id}/tags`, { body: { tags: [] } });
    await call('DELETE', `networks/${id}/tags/zzz`);
    expect(await revision()).toBe(1);
    await call('DELETE', `networks/${id}/tags`);
    expect(await revision()).toBe(2);
    await call('DELETE', `networks/${id}/tags`);
    expect(await revision()).toBe(2);
  });

  it('change only under the revision that If-Match names', async () => {
    const { id, revision_number } = await network();
    const headers = { 'If-Match': `revision_number=${revision_number}` };
    expect((await call('PUT', `networks/${id}/tags/a`, { headers })).status).toBe(201);
    expect(await call('PUT', `networks/${id}/tags/b`, { headers })).toMatchObject({
      status: 412,
      body: { NeutronError: { type: 'RevisionNumberConstraintFailed' } },
    });
    expect((await shown(id)).tags).toEqual(['a']);
  });

  it('cost as many statements, however many they are', async () => {
    const { id } = await network();
    const statements = async (tags: readonly string[]) => {
      const before = stack.counted('nucleon_sql_statements_total');
      await call('PUT', `networks/${id}/tags`, { body: { tags } });
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    // The network is read, and changed in a transaction of one statement.
    expect(await statements(['a'])).toBe(4);
    expect(await statements(Array.from({ length: 500 }, (_, at) => `t${at}`))).toBe(4);
  });

  it('may be any text of 255 characters, and are ordered by code points', async () => {
    const { id } = await network();
    const tags = ['ß', 'Z', 'a b', 'a,b', 'x'.repeat(255), '', '☃', '😀'];
    expect((await call('PUT', `networks/${id}/tags`, { body: { tags } })).status).toBe(200);
    const kept = (await call('GET', `networks/${id}/tags`)).body.tags;
    expect(kept).toEqual(['', 'Z', 'a b', 'a,b', 'x'.repeat(255), 'ß', '☃', '😀']);
    expect((await call('GET', `networks/${id}/tags/${encodeURIComponent('a b')}`)).status).toBe(204);
    expect((await call('DELETE', `networks/${id}/tags/${encodeURIComponent('😀')}`)).status).toBe(204);
  });

  it.each<[string, string, unknown]>([
    ['a list that is none', 'PUT', { tags: 'x' }],
    ['a body without tags', 'POST', { tag: 'x' }],
    ['no body', 'PUT', undefined],
    ['the same tag twice', 'PUT', { tags: ['a', 'a'] }],
    ['a tag that is no text', 'POST', { tags: [1] }],
    ['a tag that is null', 'POST', { tags: [null] }],
    ['a tag that is too long', 'PUT', { tags: ['x'.repeat(256)] }],
  ])('%s is refused', async (_, method, body) => {
    const { id } = await network();
    expect(await call(method, `networks/${id}/tags`, { body })).toMatchObject({
      status: 400,
      body: { NeutronError: { type: 'InvalidInput' } },
    });
  });

  it('a tag of the path that is too long is refused', async () => {
    const { id } = await network();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await call(method, `networks/${id}/tags/${'x'.repeat(256)}`)).body.NeutronError.type).toBe(
        'InvalidInput',
      );
    }
  });

  it('are all there when many are added at once', async () => {
    const { id, revision_number } = await network();
    const names = Array.from({ length: 20 }, (_, at) => `t${String(at).padStart(2, '0')}`);
    const answers = await Promise.all([...names, ...names].map((name) => call('PUT', `networks/${id}/tags/${name}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const now = await shown(id);
    expect(now.tags).toEqual(names);
    expect(now.revision_number).toBe(revision_number + names.length);
  });
});

describe('who may', () => {
  it('another project learns nothing of the network', async () => {
    const { id } = await network();
    await call('PUT', `networks/${id}/tags/a`);
    const none = crypto.randomUUID();
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['GET', '/a', undefined],
      ['PUT', '/a', undefined],
      ['PUT', '', { tags: ['x'] }],
      ['POST', '', { tags: ['x'] }],
      ['DELETE', '/a', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const options = { as: BOB, body };
      const answer = await call(method, `networks/${id}/tags${suffix}`, options);
      const nothing = await call(method, `networks/${none}/tags${suffix}`, options);
      expect(answer).toMatchObject({ status: 404, body: { NeutronError: { type: 'NetworkNotFound' } } });
      expect(answer.text.replaceAll(id, '')).toBe(nothing.text.replaceAll(none, ''));
    }
  });

  it('an administrator is told of a network that is not there, whatever its id looks like', async () => {
    for (const id of [crypto.randomUUID(), 'no-id']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect(await call(method, `networks/${id}/tags/a`, { as: admin })).toMatchObject({
          status: 404,
          body: { NeutronError: { type: 'NetworkNotFound' } },
        });
      }
    }
  });

  it('whoever sees a shared network reads its tags and does not change them', async () => {
    const { id } = await stack.create('network', { shared: true, project_id: 'alice' });
    await call('PUT', `networks/${id}/tags/a`);
    expect((await call('GET', `networks/${id}/tags`, { as: BOB })).body).toEqual({ tags: ['a'] });
    expect((await call('PUT', `networks/${id}/tags/b`, { as: BOB })).status).toBe(403);
    expect((await call('DELETE', `networks/${id}/tags`, { as: BOB })).status).toBe(403);
  });

  it("a network's owner tags the subnets and reads the tags of the ports of others on it", async () => {
    const lan = await stack.create('network', { project_id: 'alice' });
    const port = await stack.create('port', { network_id: lan.id, project_id: 'bob' });
    await stack.call('PUT', `/v2.0/ports/${port.id}/tags/a`, { as: BOB });
    expect((await call('GET', `ports/${port.id}/tags`)).body).toEqual({ tags: ['a'] });
    expect((await call('PUT', `ports/${port.id}/tags/b`)).status).toBe(403);
    expect((await call('DELETE', `ports/${port.id}/tags`)).status).toBe(204);
  });

  it('readers do not tag', async () => {
    const { id } = await network();
    const as = { project: 'alice', roles: 'reader' };
    expect((await call('PUT', `networks/${id}/tags/a`, { as })).status).toBe(403);
    expect((await call('GET', `networks/${id}/tags`, { as })).status).toBe(200);
  });
});

describe('every collection that carries tags', () => {
  it('has the routes and the attribute', async () => {
    const lan = await network();
    const subnet = await stack.create('subnet', { network_id: lan.id, ip_version: 4, cidr: '10.0.0.0/24' }, ALICE);
    const port = await stack.create('port', { network_id: lan.id }, ALICE);
    for (const [collection, member, id] of [
      ['networks', 'network', lan.id],
      ['subnets', 'subnet', subnet.id],
      ['ports', 'port', port.id],
    ]) {
      expect((await call('PUT', `${collection}/${id}/tags`, { body: { tags: ['a'] } })).status).toBe(200);
      expect((await call('GET', `${collection}/${id}`)).body[member]).toMatchObject({ tags: ['a'] });
      expect((await call('GET', `${collection}?tags=a&fields=id`)).body).toEqual({ [collection]: [{ id }] });
    }
  });

  it('a port is made with tags, several in one request too', async () => {
    const lan = await network();
    const one = await stack.create('port', { network_id: lan.id, tags: ['b', 'a'] }, ALICE);
    expect(one.tags).toEqual(['a', 'b']);
    const ports = [['x'], []].map((tags) => ({ network_id: lan.id, tags }));
    const many = await call('POST', 'ports', { body: { ports } });
    expect(many.body.ports.map(({ tags }: { tags: unknown }) => tags)).toEqual([['x'], []]);
    expect((await call('PUT', `ports/${one.id}`, { body: { port: { tags: [] } } })).status).toBe(400);
    expect((await call('POST', 'networks', { body: { network: { tags: ['a'] } } })).status).toBe(400);
  });
});

describe('lists', () => {
  it.each<[string, string[]]>([
    ['tags=red,blue', ['a']],
    ['tags=red&tags=blue', ['a']],
    ['tags=red', ['a', 'b']],
    ['tags-any=blue,green', ['a', 'c']],
    ['not-tags=red,blue', ['b', 'c', 'd']],
    ['not-tags-any=red,blue', ['c', 'd']],
    ['tags=red&not-tags=blue', ['b']],
    ['tags=nothing', []],
    ['not-tags-any=nothing', ['a', 'b', 'c', 'd']],
  ])('by %s', async (query, expected) => {
    for (const [name, tags] of [
      ['a', ['red', 'blue']],
      ['b', ['red']],
      ['c', ['green']],
      ['d', []],
    ] as const) {
      const { id } = await network({ name });
      await call('PUT', `networks/${id}/tags`, { body: { tags } });
    }
    const answer = await call('GET', `networks?${query}&sort_key=name&sort_dir=asc&fields=name`);
    expect(answer.body.networks.map(({ name }: { name: string }) => name)).toEqual(expected);
  });

  it('find the few that carry tags by an index', async () => {
    const { sql } = stack.database;
    await sql`
      insert into networks (id, project_id, name, status, mtu, tags)
      select gen_random_uuid(), 'p', '', 'ACTIVE', 1500, case when i % 200 = 0 then array['t' || i, 'all'] else '{}' end
      from generate_series(1, 20000) i`;
    await sql`analyze networks`;
    for (const [condition, tags] of [
      [`(n.tags <> '{}' and n.tags @> $1::text[])`, ['t400']],
      [`(n.tags <> '{}' and n.tags && $1::text[])`, ['t400', 't600']],
    ] as const) {
      const plan = await sql.unsafe(`explain (format text) select n.id from networks n where ${condition}`, [
        tags as never,
      ]);
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('networks_tags');
    }
  });
});

describe('whoever listens', () => {
  it('is told of each change, and can refuse it', async () => {
    const callbacks = createCallbacks({ log: silentLogger });
    const plugins = { all: () => stack.plugins, get: () => undefined };
    const { verbs } = tag.create({ db: stack.database.db, callbacks, plugins });
    const told: unknown[] = [];
    callbacks.subscribe('tag', 'after_update', ({ original, latest }) => void told.push(original, latest));
    callbacks.subscribe('tag', 'precommit_update', ({ latest }) => {
      if ((latest as { tags: readonly string[] }).tags.includes('bad')) throw new InvalidInput('no such tag here');
    });
    const { id } = await network();
    const put = (name: string) =>
      verbs['update_network_tag']?.(adminContext(), { id: name, parents: { network: id } }) ?? Promise.reject();
    await put('a');
    await put('a');
    const about = { collection: 'networks', id };
    expect(told).toEqual([
      { ...about, tags: [] },
      { ...about, tags: ['a'] },
    ]);
    await expect(put('bad')).rejects.toThrow('no such tag here');
    expect((await shown(id)).tags).toEqual(['a']);
  });
});
