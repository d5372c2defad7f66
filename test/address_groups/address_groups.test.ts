/** Address groups through the API: their addresses in one form, changes of them, sharing, and what keeps them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { admin, type CallOptions, member, Stack, type Who } from '../support/stack.ts';

const [alice, bob] = ['a', 'b'].map((letter) => letter.repeat(32)) as [string, string];
const ALICE = member(alice);
const BOB = member(bob);

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('address_groups');
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

const call = (method: string, path: string, options: CallOptions = {}) =>
  stack.call(method, `/v2.0/${path}`, { as: ALICE, ...options });
const group = (body: Readonly<Record<string, unknown>> = {}, as: Who = ALICE) =>
  stack.create('address_group', body, as);
const change = (id: string, action: 'add' | 'remove', addresses: unknown, options: CallOptions = {}) =>
  call('PUT', `address-groups/${id}/${action}_addresses`, { body: { addresses }, ...options });
const shown = async (id: string) => (await call('GET', `address-groups/${id}`)).body.address_group;
const refused = (status: number, type: string) => ({ status, body: { NeutronError: { type } } });

async function refuses(status: number, type: string, request: () => ReturnType<typeof call>): Promise<void> {
  expect(await request()).toMatchObject(refused(status, type));
}

describe('an address group', () => {
  it('is answered as Neutron answers', async () => {
    const made = await group({ name: 'ag', addresses: ['10.1.0.0/16'] });
    expect(made).toEqual({
      id: expect.any(String),
      name: 'ag',
      description: '',
      project_id: alice,
      tenant_id: alice,
      addresses: ['10.1.0.0/16'],
      revision_number: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: made.created_at,
    });
    expect(await shown(made.id)).toEqual(made);
    expect(await group()).toMatchObject({ name: '', addresses: [], revision_number: 0 });
    expect(await group({ addresses: null })).toMatchObject({ addresses: [] });
  });

  it('has networks in canonical form, each once', async () => {
    const addresses = ['10.0.0.77/24', '10.0.0.0/24', '192.0.2.1/32', '2001:DB8::1/64', '0.0.0.0/0'];
    expect((await group({ addresses })).addresses).toEqual([
      '0.0.0.0/0',
      '10.0.0.0/24',
      '192.0.2.1/32',
      '2001:db8::/64',
    ]);
  });

  it('gets and loses addresses', async () => {
    const { id } = await group({ name: 'ag', addresses: ['10.0.0.0/24'] });
    const added = await change(id, 'add', ['192.0.2.1', '2001:db8::1', '10.0.1.9/24', '10.0.1.0/24']);
    expect(added).toMatchObject({
      status: 200,
      body: {
        address_group: {
          id,
          name: 'ag',
          shared: false,
          addresses: ['10.0.0.0/24', '10.0.1.0/24', '192.0.2.1/32', '2001:db8::1/128'],
          revision_number: 2,
        },
      },
    });
    const removed = await change(id, 'remove', ['10.0.1.77/24', '192.0.2.1']);
    expect(removed.body.address_group).toMatchObject({
      addresses: ['10.0.0.0/24', '2001:db8::1/128'],
      revision_number: 3,
    });
    expect((await change(id, 'add', [])).body.address_group.revision_number).toBe(3);
  });

  it.each<[string, 'add' | 'remove', unknown, number, string]>([
    ['an address that is there', 'add', ['10.9.0.0/24', '10.0.0.5/24'], 400, 'AddressesAlreadyExist'],
    ['an address that is not there', 'remove', ['10.0.0.0/24', '10.9.0.0/24'], 404, 'AddressesNotFound'],
    ['what is no address', 'add', ['x'], 400, 'AddrFormatError'],
    ['a number', 'add', [5], 400, 'AddrFormatError'],
    ['what is no list', 'remove', '10.0.0.0/24', 400, 'InvalidInput'],
    ['nothing', 'add', undefined, 400, 'InvalidInput'],
  ])('refuses %s, and changes nothing', async (_, action, addresses, status, type) => {
    const { id } = await group({ addresses: ['10.0.0.0/24'] });
    await refuses(status, type, () => change(id, action, addresses));
  });

  it('has every address that is added by many at once', async () => {
    const { id } = await group();
    const addresses = Array.from({ length: 20 }, (_, at) => `10.0.${at}.0/24`);
    const answers = await Promise.all(addresses.map((address) => change(id, 'add', [address])));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await shown(id)).addresses).toHaveLength(20);
    const again = await Promise.all(Array.from({ length: 6 }, () => change(id, 'add', ['172.16.0.0/12'])));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is changed, under the revision that If-Match names', async () => {
    const { id } = await group();
    const put = (address_group: object, headers = {}) =>
      call('PUT', `address-groups/${id}`, { body: { address_group }, headers });
    expect((await put({ name: 'new' })).body.address_group).toMatchObject({ name: 'new', revision_number: 1 });
    expect((await put({ name: 'new' })).body.address_group.revision_number).toBe(1);
    const stale = { 'If-Match': 'revision_number=0' };
    await refuses(412, 'RevisionNumberConstraintFailed', () => put({ name: 'x' }, stale));
    await refuses(412, 'RevisionNumberConstraintFailed', () => change(id, 'add', ['10.0.0.0/8'], { headers: stale }));
    await refuses(400, 'HTTPBadRequest', () => put({ addresses: [] }));
    await refuses(400, 'HTTPBadRequest', () => put({ shared: true }));
    await refuses(400, 'HTTPBadRequest', () => put({ description: 'x'.repeat(256) }));
  });

  it('several are made at once, or none', async () => {
    const bulk = (...address_groups: object[]) => call('POST', 'address-groups', { body: { address_groups } });
    const made = await bulk({ name: 'a', addresses: ['10.0.0.0/8'] }, { name: 'b' });
    expect(made.status).toBe(201);
    expect(made.body.address_groups).toMatchObject([{ name: 'a', addresses: ['10.0.0.0/8'] }, { name: 'b' }]);
    await refuses(400, 'HTTPBadRequest', () => bulk({ name: 'a' }, { addresses: ['x'] }));
  });
});

describe('a group that a rule points to', () => {
  const rule = async (remote_address_group_id: string, as: Who) => {
    const sg = await stack.create('security_group', { name: 'sg' }, as);
    return call('POST', 'security-group-rules', {
      as,
      body: { security_group_rule: { security_group_id: sg.id, direction: 'ingress', remote_address_group_id } },
    });
  };

  it('is not deleted', async () => {
    const { id } = await group();
    const made = await rule(id, ALICE);
    expect(made.status, made.text).toBe(201);
    await refuses(409, 'AddressGroupInUse', () => call('DELETE', `address-groups/${id}`));
    await call('DELETE', `security-group-rules/${made.body.security_group_rule.id}`);
    expect((await call('DELETE', `address-groups/${id}`)).status).toBe(204);
    expect(await call('GET', `address-groups/${id}`)).toMatchObject(refused(404, 'AddressGroupNotFound'));
  });

  it('is shared as long as others use it', async () => {
    const { id, revision_number } = await group({ addresses: ['10.0.0.0/8'] });
    const sees = async () => (await call('GET', 'address-groups', { as: BOB })).body.address_groups.length;
    expect(await sees()).toBe(0);
    expect(await call('GET', `address-groups/${id}`, { as: BOB })).toMatchObject(refused(404, 'AddressGroupNotFound'));
    const rbac_policy = { object_type: 'address_group', object_id: id, action: 'access_as_shared', target_tenant: bob };
    const policy = (await call('POST', 'rbac-policies', { body: { rbac_policy } })).body.rbac_policy;
    expect(policy.object_type).toBe('address_group');
    expect((await shown(id)).revision_number).toBe(revision_number + 1);
    expect(await sees()).toBe(1);
    expect((await call('GET', `address-groups/${id}`, { as: BOB })).body.address_group.addresses).toEqual([
      '10.0.0.0/8',
    ]);
    // Who may only use it is told of no more when it would change it (as Neutron does).
    const body = { address_group: { name: 'mine' } };
    await refuses(404, 'AddressGroupNotFound', () => call('PUT', `address-groups/${id}`, { as: BOB, body }));
    await refuses(404, 'AddressGroupNotFound', () => change(id, 'add', ['11.0.0.0/8'], { as: BOB }));
    await refuses(404, 'AddressGroupNotFound', () => call('DELETE', `address-groups/${id}`, { as: BOB }));
    const made = await rule(id, BOB);
    expect(made.status, made.text).toBe(201);
    await refuses(409, 'RbacPolicyInUse', () => call('DELETE', `rbac-policies/${policy.id}`));
    await call('DELETE', `security-group-rules/${made.body.security_group_rule.id}`, { as: BOB });
    expect((await call('DELETE', `rbac-policies/${policy.id}`)).status).toBe(204);
    expect(await sees()).toBe(0);
  });

  it('takes only the actions that it has', async () => {
    const { id } = await group();
    const rbac_policy = { object_type: 'address_group', object_id: id, target_tenant: bob };
    const post = (body: object) =>
      call('POST', 'rbac-policies', { body: { rbac_policy: { ...rbac_policy, ...body } } });
    await refuses(400, 'InvalidActionForType', () => post({ action: 'access_as_external' }));
    await refuses(404, 'AddressGroupNotFound', () =>
      post({ action: 'access_as_shared', object_id: crypto.randomUUID() }),
    );
  });
});

describe('lists', () => {
  it('are filtered and sorted', async () => {
    await group({ name: 'b', description: 'x' });
    await group({ name: 'a', addresses: ['10.0.0.0/8'] });
    await group({ name: 'c', project_id: bob }, admin);
    const names = async (query: string, as: Who = ALICE) =>
      (await call('GET', `address-groups?${query}`, { as })).body.address_groups.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names('sort_key=name&sort_dir=desc')).toEqual(['b', 'a']);
    expect(await names('description=x')).toEqual(['b']);
    expect(await names(`project_id=${bob}`)).toEqual([]);
    expect(await names(`project_id=${bob}`, admin)).toEqual(['c']);
    expect(await names('name=a&name=c')).toEqual(['a']);
    expect(await names('revision_number=1')).toEqual(['a']);
    expect((await call('GET', 'address-groups?shared=true')).status).toBe(400);
    const fields = await call('GET', 'address-groups?fields=addresses&name=a');
    expect(fields.body.address_groups).toEqual([{ addresses: ['10.0.0.0/8'] }]);
  });
});
