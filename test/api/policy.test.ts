import { beforeEach, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from './support/harness.ts';

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});

const create = async (as: string, collection: string, body: object) => {
  const member = { boxes: 'box', 'wooden-things': 'wooden_thing' }[collection]!;
  const answer = await harness.call('POST', `/v2.0/${collection}`, { as, body: { [member]: body } });
  expect(answer.status).toBe(201);
  return answer.body[member];
};
const verbs = () => harness.calls.splice(0).map(({ verb }) => verb);

describe('attributes', () => {
  it('that policy withholds are left out of every answer', async () => {
    const made = await create('alice', 'boxes', { secret: 's' });
    expect(made).not.toHaveProperty('secret');
    const path = `/v2.0/boxes/${made.id}`;
    expect((await harness.call('GET', path, { as: 'alice' })).body.box).not.toHaveProperty('secret');
    expect((await harness.call('GET', path)).body.box.secret).toBe('s');
    expect((await harness.call('GET', '/v2.0/boxes', { as: 'alice' })).body.boxes[0]).not.toHaveProperty('secret');
    const changed = await harness.call('PUT', path, { as: 'alice', body: { box: { name: 'b' } } });
    expect(changed.body.box).not.toHaveProperty('secret');
  });

  it('that are not visible are never shown', async () => {
    expect(await create('admin', 'boxes', {})).not.toHaveProperty('internal');
  });

  it('are withheld item by item where the rule says so', async () => {
    await create('alice', 'boxes', { name: 'own' });
    await create('admin', 'boxes', { name: 'shared', shared: true });
    const { boxes } = (await harness.call('GET', '/v2.0/boxes?sort_key=name&sort_dir=asc', { as: 'alice' })).body;
    expect(boxes.map((box: object) => 'paint:colour' in box)).toEqual([true, false]);
  });

  it('that are set to their default ask nothing', async () => {
    await create('alice', 'boxes', { shared: 'false', lids: [] });
    expect(harness.asked).not.toContain('create_box:shared');
  });
});

describe('lists', () => {
  it('drop what the caller may not read', async () => {
    const own = await create('alice', 'boxes', {});
    await create('bob', 'boxes', {});
    const { body } = await harness.call('GET', '/v2.0/boxes', { as: 'alice' });
    expect(body.boxes.map((box: { id: string }) => box.id)).toEqual([own.id]);
  });

  it('ask a rule that reads nothing of the items once', async () => {
    for (let made = 0; made < 5; made += 1) await create('admin', 'boxes', {});
    harness.asked.length = 0;
    await harness.call('GET', '/v2.0/boxes');
    expect(harness.asked.filter((rule) => rule === 'get_box')).toHaveLength(1);
    expect(harness.asked.filter((rule) => rule === 'get_box:secret')).toHaveLength(1);
  });
});

describe('parents', () => {
  beforeEach(async () => {
    const mine = await create('alice', 'boxes', {});
    const theirs = await create('bob', 'boxes', {});
    const another = await create('bob', 'boxes', {});
    await create('admin', 'wooden-things', { name: '1', box_id: mine.id });
    await create('admin', 'wooden-things', { name: '2', box_id: theirs.id });
    await create('admin', 'wooden-things', { name: '3', box_id: another.id });
    await create('alice', 'wooden-things', { name: '4', box_id: mine.id });
    verbs();
  });
  const seen = async (as: string, query = '') => {
    const { body } = await harness.call('GET', `/v2.0/wooden-things?sort_key=name&sort_dir=asc${query}`, { as });
    return body.wooden_things.map((thing: { name: string }) => thing.name).join('');
  };

  it('decide what the owner of a parent sees, all of them read with one call', async () => {
    expect(await seen('alice')).toBe('14');
    expect(verbs()).toEqual(['get_wooden_things', 'get_boxes']);
    expect(await seen('bob')).toBe('23');
  });

  it('are not read where the rule holds without', async () => {
    expect(await seen('admin')).toBe('1234');
    expect(await seen('alice', '&tenant_id=p1')).toBe('4');
    expect(verbs()).toEqual(['get_wooden_things', 'get_wooden_things']);
  });

  it('are read with the rights of an administrator', async () => {
    await seen('alice');
    expect(harness.calls.find(({ verb }) => verb === 'get_boxes')?.context).toMatchObject({
      is_admin: true,
      project_id: 'p1',
    });
  });

  it('that are gone leave the item hidden, and the list whole', async () => {
    harness.boxes.clear();
    expect(await seen('alice')).toBe('4');
  });

  it('are read once for an item, whatever is asked of it', async () => {
    const id = [...harness.things.values()].find((thing) => thing['name'] === '2')?.['id'];
    const path = `/v2.0/wooden-things/${id}`;
    expect((await harness.call('DELETE', path, { as: 'alice' })).body.NeutronError).toEqual({
      type: 'ThingNotFound',
      message: `Thing ${id} could not be found.`,
      detail: '',
    });
    expect(verbs().filter((verb) => verb === 'get_box')).toHaveLength(1);
    expect((await harness.call('DELETE', path, { as: 'bob' })).status).toBe(204);
  });
});

it('a hidden object answers as one that does not exist', async () => {
  const hidden = await create('admin', 'wooden-things', { box_id: (await create('admin', 'boxes', {})).id });
  const answers = [hidden.id, '6f4d1c54-6d9c-4f7e-9d9b-0a8c1d1f2a3b'].map(async (id) => {
    const { status, body } = await harness.call('GET', `/v2.0/wooden-things/${id}`, { as: 'alice' });
    return JSON.stringify({ status, body }).replaceAll(id, 'ID');
  });
  const [one, other] = await Promise.all(answers);
  expect(one).toBe(other);
});
