import { beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from './support/harness.ts';

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});

async function createBox(body: object = {}, as = 'alice') {
  const { body: answer, status } = await harness.call('POST', '/v2.0/boxes', { as, body: { box: body } });
  expect(status).toBe(201);
  return answer.box;
}

const verbs = () => harness.calls.map(({ verb }) => verb);

describe('creation', () => {
  it('answers 201 with the visible attributes, both names of the owner among them', async () => {
    const { status, body } = await harness.call('POST', '/v2.0/boxes', { as: 'alice', body: { box: { name: 'a' } } });
    expect(status).toBe(201);
    expect(body.box).toEqual({
      id: expect.any(String),
      name: 'a',
      tenant_id: 'p1',
      project_id: 'p1',
      admin_state_up: true,
      status: 'ACTIVE',
      shared: false,
      lids: [],
      revision_number: 0,
      updated_at: null,
      'paint:colour': 'none',
      tags: [],
    });
  });

  it('gives the verb the prepared body', async () => {
    await createBox({ admin_state_up: 'False' });
    expect(harness.calls).toMatchObject([{ verb: 'create_box', call: { body: { admin_state_up: false, name: '' } } }]);
  });

  it('reads a body as JSON that nobody has told the type of, as `curl -d` sends it', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain; charset=utf-8']) {
      const headers = { 'Content-Type': type };
      const { status } = await harness.call('POST', '/v2.0/boxes', { body: { box: { name: 'a' } }, headers });
      expect([type, status]).toEqual([type, 201]);
    }
  });

  it('creates several by the bulk verb and answers them under the collection', async () => {
    const { status, body } = await harness.call('POST', '/v2.0/boxes', {
      body: { boxes: [{ name: 'a' }, { box: { name: 'b' } }] },
    });
    expect(status).toBe(201);
    expect(body.boxes.map((box: { name: string }) => box.name)).toEqual(['a', 'b']);
    expect(verbs()).toEqual(['create_box_bulk']);
  });

  it('creates several one by one where there is no bulk verb, and takes all back when one fails', async () => {
    const box_id = (await createBox({}, 'admin')).id;
    const good = await harness.call('POST', '/v2.0/wooden-things', {
      body: { wooden_things: [{ box_id }, { box_id, name: 'b' }] },
    });
    expect(good.status).toBe(201);
    expect(harness.things.size).toBe(2);
    const bad = await harness.call('POST', '/v2.0/wooden-things', {
      body: { wooden_things: [{ box_id }, { box_id, name: 'conflict' }] },
    });
    expect(bad.status).toBe(409);
    expect(harness.things.size).toBe(2);
  });

  it('checks the body before the quota and the quota before policy', async () => {
    for (let made = 0; made < 3; made += 1) await createBox({}, 'bob');
    const quota = await harness.call('POST', '/v2.0/boxes', { as: 'bob', body: { box: { shared: true } } });
    expect(quota).toMatchObject({ status: 409, body: { NeutronError: { type: 'OverQuota' } } });
    expect(quota.body.NeutronError.message).toBe("Quota exceeded for resources: ['box'].");
    const body = await harness.call('POST', '/v2.0/boxes', { as: 'bob', body: { box: { foo: 1 } } });
    expect(body.status).toBe(400);
  });

  it('counts a bulk body as many', async () => {
    const boxes = [{}, {}, {}, {}];
    expect((await harness.call('POST', '/v2.0/boxes', { as: 'bob', body: { boxes } })).status).toBe(409);
    expect(harness.boxes.size).toBe(0);
  });
});

describe('items', () => {
  it('are shown by their member name', async () => {
    const box = await createBox({ name: 'a' });
    const { status, body } = await harness.call('GET', `/v2.0/boxes/${box.id}`, { as: 'alice' });
    expect({ status, body }).toEqual({ status: 200, body: { box } });
  });

  it('are shown with the fields asked for, and read with those that policy needs', async () => {
    const box = await createBox({ name: 'a' });
    const { body } = await harness.call('GET', `/v2.0/boxes/${box.id}?fields=name&fields=nonsense`, { as: 'alice' });
    expect(body).toEqual({ box: { name: 'a' } });
    expect(harness.calls.at(-1)?.call.fields?.toSorted()).toEqual(['id', 'name', 'project_id', 'shared', 'tenant_id']);
  });

  it('are updated with the original at hand', async () => {
    const box = await createBox();
    const { status, body } = await harness.call('PUT', `/v2.0/boxes/${box.id}`, {
      as: 'alice',
      body: { box: { name: 'z' } },
    });
    expect(status).toBe(200);
    expect(body.box).toMatchObject({ name: 'z', revision_number: 1 });
    expect(harness.calls.at(-1)?.call).toMatchObject({ body: { name: 'z' }, original: { name: '' } });
  });

  it('are deleted with 204 and no body', async () => {
    const box = await createBox();
    const { status, body } = await harness.call('DELETE', `/v2.0/boxes/${box.id}`, { as: 'alice' });
    expect({ status, body }).toEqual({ status: 204, body: undefined });
    expect((await harness.call('GET', `/v2.0/boxes/${box.id}`)).status).toBe(404);
  });

  it.each([
    ['revision_number=0', 200],
    ['revision_number=7', 412],
    ['revision_number=x', 200],
    ['"etag"', 200],
  ])('with If-Match: %s answer %i to an update', async (header, status) => {
    const box = await createBox();
    const answer = await harness.call('PUT', `/v2.0/boxes/${box.id}`, {
      body: { box: { name: 'y' } },
      headers: { 'If-Match': header },
    });
    expect(answer.status).toBe(status);
    if (status === 412) expect(answer.body.NeutronError.type).toBe('RevisionNumberConstraintFailed');
  });
});

describe('actions', () => {
  it('of an item call the verb of their name and answer what it gives', async () => {
    const box = await createBox();
    const { status, body } = await harness.call('PUT', `/v2.0/boxes/${box.id}/spin-box`, {
      as: 'alice',
      body: { fast: true },
    });
    expect({ status, body }).toEqual({ status: 200, body: { spun: box.id, body: { fast: true } } });
  });

  it('may have no body', async () => {
    const box = await createBox();
    expect((await harness.call('PUT', `/v2.0/boxes/${box.id}/spin_box`)).body).toEqual({ spun: box.id, body: {} });
  });

  it('are not found on items of others, and denied on readable ones', async () => {
    const hidden = await createBox();
    const shared = await createBox({ shared: true }, 'admin');
    const spin = async (id: string) => (await harness.call('PUT', `/v2.0/boxes/${id}/spin_box`, { as: 'bob' })).body;
    expect(await spin(hidden.id)).toMatchObject({ NeutronError: { type: 'BoxNotFound' } });
    expect(await spin(shared.id)).toMatchObject({ NeutronError: { type: 'PolicyNotAuthorized' } });
    expect(verbs()).not.toContain('spin_box');
  });

  it('of a collection stand before its items, with the verb that the definition names', async () => {
    const { body } = await harness.call('GET', '/v2.0/shop/orders/summary', { as: 'alice' });
    expect(body).toEqual({ summary: { project: 'p1' } });
    expect((await harness.call('GET', '/v2.0/shop/orders/o1/total.json')).body).toEqual({
      total: { order: 'o1', sum: 1 },
    });
  });
});

it("an action without a rule of its own asks the item's", async () => {
  const total = (as: string) => harness.call('GET', '/v2.0/shop/orders/o1/total', { as });
  expect((await total('alice')).body.NeutronError.message).toBe('rule:get_order is disallowed by policy');
  expect((await total('admin')).status).toBe(200);
});

describe('sub-resources', () => {
  it('pass the ids above to the verb of the composed name', async () => {
    const box = await createBox();
    const made = await harness.call('POST', `/v2.0/boxes/${box.id}/hinges`, {
      as: 'alice',
      body: { hinge: { name: 'h' } },
    });
    expect(made.status).toBe(201);
    expect(harness.calls.findLast(({ verb }) => verb === 'create_box_hinge')?.call.parents).toEqual({ box: box.id });
    const list = await harness.call('GET', `/v2.0/boxes/${box.id}/hinges/`, { as: 'alice' });
    expect(list.body.hinges).toHaveLength(1);
  });

  it('ask policy of the owner of what stands above', async () => {
    const box = await createBox();
    const denied = await harness.call('POST', `/v2.0/boxes/${box.id}/hinges`, { as: 'bob', body: { hinge: {} } });
    expect(denied.status).toBe(404);
    const list = await harness.call('GET', `/v2.0/boxes/${box.id}/hinges`, { as: 'bob' });
    expect(list.body.hinges).toEqual([]);
  });

  it('that are raw take and give bodies as they are, also on the collection', async () => {
    const box = await createBox();
    const path = `/v2.0/boxes/${box.id}/labels`;
    expect(await harness.call('PUT', path, { body: { labels: ['a', 'b'] } })).toMatchObject({
      status: 200,
      body: { labels: ['a', 'b'] },
    });
    expect(await harness.call('PUT', `${path}/c`)).toMatchObject({ status: 201, body: null });
    expect(await harness.call('GET', `${path}/c`)).toMatchObject({ status: 204, body: undefined });
    expect((await harness.call('DELETE', `${path}/a`)).status).toBe(204);
    expect((await harness.call('GET', path, { as: 'alice' })).body).toEqual({ labels: ['b', 'c'] });
    expect((await harness.call('DELETE', path)).status).toBe(204);
    expect((await harness.call('POST', path, { body: {} })).status).toBe(405);
    expect((await harness.call('GET', path, { as: 'bob' })).body.NeutronError.type).toBe('BoxNotFound');
  });
});

describe('routes', () => {
  it.each([
    ['/v2.0/boxes'],
    ['/v2.0/boxes/'],
    ['/v2.0/boxes.json'],
    ['/v2.0/wooden_things'],
    ['/v2.0/wooden-things'],
    ['/v2.0/wooden-things.json'],
    ['/v2.0/shop/orders'],
  ])('%s names a collection', async (path) => {
    expect((await harness.call('GET', path)).status).toBe(200);
  });

  it.each([
    ['/v2.0'],
    ['/v2.0/foos'],
    ['/v2.0/orders'],
    ['/v2.0/shop'],
    ['/v2.0//boxes'],
    ['/v2.0/boxes//'],
    ['/v2.0/boxes/1/nonsense'],
    ['/v2.0/boxes/1/hinges/2/3'],
    ['/v2.0/boxes/%'],
    ['/v2.0/boxes/%00'],
    ['/v2.0/constructor'],
    ['/v2.0/__proto__'],
    ['/v3'],
  ])('%s names nothing', async (path) => {
    const { status, body } = await harness.call('GET', path);
    expect({ status, body }).toEqual({
      status: 404,
      body: { NeutronError: { type: 'HTTPNotFound', message: 'The resource could not be found.', detail: '' } },
    });
  });

  it('decode ids once', async () => {
    const { body } = await harness.call('GET', '/v2.0/boxes/a%2Fb%2520c');
    expect(body.NeutronError.message).toBe('Box a/b%20c could not be found.');
  });
});
