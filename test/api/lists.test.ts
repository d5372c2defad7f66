import { beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from './support/harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  const boxes = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
    name,
    admin_state_up: name !== 'c',
    lids: [{ size: `10.${name}`, colour: name }],
  }));
  await harness.call('POST', '/v2.0/boxes', { body: { boxes: [...boxes, { name: '' }] } });
});

const list = async (query: string, as = 'admin') => {
  const { body, status } = await harness.call('GET', `/v2.0/boxes?${query}`, { as });
  expect(status).toBe(200);
  return body;
};
const names = async (query: string) =>
  (await list(`${query}&sort_key=name&sort_dir=asc`)).boxes.map((box: { name: string }) => box.name).join('');
const queryOf = async (query: string) => {
  await list(query);
  return harness.calls.at(-1)?.call.query;
};

describe('filters', () => {
  it.each([
    ['name=a&name=d', 'ad'],
    ['name=b&admin_state_up=True', 'b'],
    ['admin_state_up=0', 'c'],
    ['project_id=p-admin&name=a', 'a'],
    ['tenant_id=p1', ''],
    ['lids=colour=b&name=b', 'b'],
    ['lids=size=10.a&lids=size=10.b', 'ab'],
    ['lids=size_substr=0.c', 'c'],
    ['paint:colour=none&name=e', 'e'],
  ])('%s finds %s', async (query, found) => {
    expect(await names(query)).toBe(found);
  });

  it('with an empty value find what is empty', async () => {
    expect((await list('name=')).boxes).toHaveLength(1);
  });

  it('by tags carry all families, with their values apart', async () => {
    expect((await queryOf('tags=a,b&not-tags-any=c'))?.filters).toEqual([
      { attribute: 'tags', operator: 'in', values: ['a', 'b'] },
      { attribute: 'not-tags-any', operator: 'in', values: ['c'] },
    ]);
  });

  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00', '2026-01-01 02:30:00+02:30'])(
    'give the time of changed_since %s to the plugin, in UTC',
    async (time) => {
      expect(await queryOf(`changed_since=${encodeURIComponent(time)}`)).toMatchObject({
        filters: [],
        changed_since: '2026-01-01T00:00:00.000Z',
      });
    },
  );
});

describe('fields', () => {
  it('prune what is shown and leave what policy needs to be read', async () => {
    const { boxes } = await list('fields=id&fields=name&name=a');
    expect(boxes).toEqual([{ id: expect.any(String), name: 'a' }]);
    expect(harness.calls.at(-1)?.call.query?.fields).toContain('shared');
  });

  it.each(['project_id', 'tenant_id'])('show the owner by the name that is asked for: %s', async (name) => {
    expect((await list(`fields=${name}&name=a`)).boxes).toEqual([{ [name]: 'p-admin' }]);
  });

  it('that are empty show everything', async () => {
    expect((await list('fields=&name=a')).boxes[0]).toHaveProperty('status');
  });
});

describe('sorting', () => {
  it('ends with the primary key', async () => {
    expect((await queryOf('sort_key=name&sort_dir=desc&sort_key=status&sort_dir=asc'))?.sorts).toEqual([
      { attribute: 'name', direction: 'desc' },
      { attribute: 'status', direction: 'asc' },
      { attribute: 'id', direction: 'asc' },
    ]);
    expect((await queryOf(''))?.sorts).toEqual([{ attribute: 'id', direction: 'asc' }]);
  });
});

describe('pages', () => {
  const follow = async (href: string) => (await harness.call('GET', href.replace('http://localhost:9696', ''))).body;
  const linkOf = (body: { boxes_links: { rel: string; href: string }[] }, rel: string) =>
    body.boxes_links.find((link) => link.rel === rel)?.href;

  it('are walked to the end and back by their links, which keep the query', async () => {
    const there: string[] = [];
    let body = await list('limit=2&sort_key=name&sort_dir=desc&fields=name&fields=id&admin_state_up=true');
    for (let href = linkOf(body, 'next'); href !== undefined; href = linkOf(body, 'next')) {
      there.push(...body.boxes.map((box: { name: string }) => box.name));
      expect(href).toContain('admin_state_up=true');
      expect(href).toContain('fields=name&fields=id');
      body = await follow(href);
    }
    there.push(...body.boxes.map((box: { name: string }) => box.name));
    expect(there).toEqual(['e', 'd', 'b', 'a', '']);

    const back: string[] = [...body.boxes.map((box: { name: string }) => box.name)];
    for (let href = linkOf(body, 'previous'); href !== undefined; href = linkOf(body, 'previous')) {
      expect(href).toContain('page_reverse=True');
      body = await follow(href);
      back.unshift(...body.boxes.map((box: { name: string }) => box.name));
    }
    expect(back).toEqual(there);
    expect(linkOf(body, 'next')).not.toContain('page_reverse');
  });

  it('have no links unless there is a limit', async () => {
    expect(await list('')).not.toHaveProperty('boxes_links');
    expect(await list('limit=0')).not.toHaveProperty('boxes_links');
  });

  it('are cut to pagination_max_limit, limit or not', async () => {
    harness = createHarness({ config: { DEFAULT: { pagination_max_limit: '2' } } });
    await harness.call('POST', '/v2.0/boxes', { body: { boxes: [{}, {}, {}] } });
    for (const query of ['', 'limit=3', 'limit=0']) {
      const body = await list(query);
      expect(body.boxes).toHaveLength(2);
      expect(linkOf(body, 'next')).toBeDefined();
    }
    expect((await list('limit=1')).boxes).toHaveLength(1);
  });

  it('link to network_link_prefix where one is configured', async () => {
    harness = createHarness({ config: { DEFAULT: { network_link_prefix: 'https://api.example/net' } } });
    await harness.call('POST', '/v2.0/boxes', { body: { box: {} } });
    expect(linkOf(await list('limit=1'), 'next')).toMatch(
      /^https:\/\/api\.example\/net\/v2\.0\/boxes\?limit=1&marker=/,
    );
  });
});
