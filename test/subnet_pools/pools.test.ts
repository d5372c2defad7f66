/** Subnet pools themselves, through the API, on PostgreSQL. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { member, Stack } from '../support/stack.ts';
import { ALICE, BOB, type Body, callerOf, POOLS, refusal } from './support.ts';

let stack: Stack;
const alice = callerOf(() => stack);
const admin = callerOf(() => stack, { project: 'admin', roles: 'admin' });
beforeAll(async () => {
  stack = await Stack.start('subnet_pools');
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

describe('POST /v2.0/subnetpools', () => {
  test('gives what Neutron gives: lengths as text, prefixes merged and in order', async () => {
    const pool = await alice.pool({
      name: 'p',
      description: 'd',
      prefixes: ['10.9.0.7/24', '10.8.0.0/24', '10.8.1.0/24'],
      default_prefixlen: 26,
      default_quota: '512',
    });
    expect(pool).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'p',
      description: 'd',
      tenant_id: 'alice',
      project_id: 'alice',
      prefixes: ['10.8.0.0/23', '10.9.0.0/24'],
      ip_version: 4,
      min_prefixlen: '8',
      max_prefixlen: '32',
      default_prefixlen: '26',
      default_quota: 512,
      is_default: false,
      shared: false,
      address_scope_id: null,
      tags: [],
      revision_number: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await alice.showPool(pool.id)).toEqual(pool);
  });

  test.each<[string, Body, Body]>([
    ['IPv4', { prefixes: ['10.0.0.0/8'] }, { min_prefixlen: '8', max_prefixlen: '32', default_prefixlen: '8' }],
    ['IPv6', { prefixes: ['fd00::/48'] }, { min_prefixlen: '64', max_prefixlen: '128', default_prefixlen: '64' }],
    ['a least length', { prefixes: ['10.0.0.0/8'], min_prefixlen: 24 }, { default_prefixlen: '24' }],
  ])('takes its lengths by default from %s', async (_, body, expected) => {
    expect(await alice.pool(body)).toMatchObject(expected);
  });

  const TEN = { prefixes: ['10.0.0.0/8'] };
  test.each<[string, Body, string, number?]>([
    ['no name', { ...TEN, name: '' }, 'HTTPBadRequest'],
    ['no prefixes', { prefixes: [] }, 'EmptySubnetPoolPrefixList'],
    ['prefixes left out', {}, 'HTTPBadRequest'],
    ['prefixes of both versions', { prefixes: ['10.0.0.0/8', 'fd00::/32'] }, 'PrefixVersionMismatch'],
    ['a prefix that is none', { prefixes: ['10.0.0.0'] }, 'HTTPBadRequest'],
    ['the same prefix twice', { prefixes: ['10.0.0.0/8', '10.0.0.0/8'] }, 'HTTPBadRequest'],
    ['least over most', { ...TEN, min_prefixlen: 28, max_prefixlen: 24 }, 'IllegalSubnetPoolPrefixBounds'],
    ['most over the version', { ...TEN, max_prefixlen: 33 }, 'IllegalSubnetPoolPrefixBounds'],
    ['default over most', { ...TEN, default_prefixlen: 33 }, 'IllegalSubnetPoolPrefixBounds'],
    ['default under least', { ...TEN, min_prefixlen: 16, default_prefixlen: 9 }, 'IllegalSubnetPoolPrefixBounds'],
    ['a negative length', { ...TEN, min_prefixlen: -1 }, 'HTTPBadRequest'],
    ['a negative quota', { ...TEN, default_quota: -1 }, 'HTTPBadRequest'],
    ['a quota beyond all numbers', { ...TEN, default_quota: 10 ** 30 }, 'HTTPBadRequest'],
    ['ip_version, which follows from the prefixes', { ...TEN, ip_version: 4 }, 'HTTPBadRequest'],
    ['shared, by a member', { ...TEN, shared: true }, 'PolicyNotAuthorized', 403],
    ['is_default, by a member', { ...TEN, is_default: true }, 'PolicyNotAuthorized', 403],
    ['an unknown scope', { ...TEN, address_scope_id: crypto.randomUUID() }, 'AddressScopeNotFound', 404],
  ])('refuses %s', async (_, body, type, status = 400) => {
    expect(refusal(await alice.tryPool(body))).toEqual([status, type]);
  });

  test('makes several at once or none', async () => {
    const bodies = (...prefixes: string[]) => ({ subnetpools: prefixes.map((p) => ({ name: p, prefixes: [p] })) });
    const made = await stack.call('POST', POOLS, { as: ALICE, body: bodies('10.0.0.0/16', 'fd00::/48') });
    expect(made.status).toBe(201);
    expect(made.body.subnetpools.map((pool: Body) => pool['ip_version'])).toEqual([4, 6]);
    const wrong = bodies('10.1.0.0/16', '10.2.0.0/16');
    const refused = await stack.call('POST', POOLS, {
      as: ALICE,
      body: { subnetpools: [...wrong.subnetpools, { name: 'x', prefixes: ['10.0.0.0/8'], max_prefixlen: 40 }] },
    });
    expect(refused.status).toBe(400);
  });

  test('is counted against the quota', async () => {
    await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { subnetpool: 1 } } });
    const first = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    expect(refusal(await alice.tryPool({ prefixes: ['10.1.0.0/16'] }))).toEqual([409, 'OverQuota']);
    await stack.call('DELETE', `${POOLS}/${first.id}`, { as: ALICE });
    await alice.pool({ prefixes: ['10.1.0.0/16'] });
  });
});

describe('the default pool', () => {
  test('is one of each IP version, whoever comes first', async () => {
    const tries = ['10.0.0.0/16', '10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16'].map((prefix) =>
      admin.tryPool({ prefixes: [prefix], is_default: true }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expect(refusal(answer)).toEqual([400, 'InvalidInput']);
    await admin.pool({ prefixes: ['fd00::/48'], is_default: true });
    const other = await admin.pool({ prefixes: ['10.4.0.0/16'] });
    expect(refusal(await admin.changePool(other.id, { is_default: true }))).toEqual([400, 'InvalidInput']);
    const first = answers.find(({ status }) => status === 201)!.body.subnetpool;
    expect((await admin.changePool(first.id, { is_default: true, name: 'still' })).status).toBe(200);
    expect((await admin.changePool(first.id, { is_default: false })).status).toBe(200);
    expect((await admin.changePool(other.id, { is_default: true })).body.subnetpool.is_default).toBe(true);
  });
});

describe('PUT /v2.0/subnetpools/{id}', () => {
  test('changes what is asked, and the revision once', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    const changes = {
      name: 'n',
      description: 'd',
      default_quota: 7,
      min_prefixlen: 16,
      max_prefixlen: 28,
      default_prefixlen: 24,
      prefixes: ['10.0.0.0/16', '10.1.0.0/16', '10.9.0.0/16'],
    };
    const { body } = await alice.changePool(pool.id, changes);
    expect(body.subnetpool).toEqual({
      ...pool,
      ...changes,
      min_prefixlen: '16',
      max_prefixlen: '28',
      default_prefixlen: '24',
      prefixes: ['10.0.0.0/15', '10.9.0.0/16'],
      revision_number: 1,
      updated_at: body.subnetpool.updated_at,
    });
    expect(await alice.showPool(pool.id)).toEqual(body.subnetpool);
    expect((await alice.changePool(pool.id, changes)).body.subnetpool.revision_number).toBe(1);
  });

  test.each<[string, Body, string]>([
    ['fewer prefixes', { prefixes: ['10.0.0.0/17'] }, 'IllegalSubnetPoolPrefixUpdate'],
    ['other prefixes', { prefixes: ['10.1.0.0/16'] }, 'IllegalSubnetPoolPrefixUpdate'],
    ['no prefixes', { prefixes: [] }, 'IllegalSubnetPoolPrefixUpdate'],
    ['prefixes of the other version', { prefixes: ['10.0.0.0/16', 'fd00::/48'] }, 'PrefixVersionMismatch'],
    ['least over most', { min_prefixlen: 33 }, 'IllegalSubnetPoolPrefixBounds'],
    ['most under default', { max_prefixlen: 20 }, 'IllegalSubnetPoolPrefixBounds'],
    ['default under least', { default_prefixlen: 4 }, 'IllegalSubnetPoolPrefixBounds'],
  ])('refuses %s', async (_, body, type) => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24 });
    expect(refusal(await alice.changePool(pool.id, body))).toEqual([400, type]);
  });

  test('of N conditional updates exactly one wins', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        stack.call('PUT', `${POOLS}/${pool.id}`, {
          as: ALICE,
          body: { subnetpool: { name: `n${n}` } },
          headers: { 'If-Match': 'revision_number=0' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
  });
});

describe('lists of subnet pools', () => {
  test('filter and sort by every attribute that says so', async () => {
    const a = await alice.pool({ name: 'a', prefixes: ['10.0.0.0/8'], min_prefixlen: 9, default_quota: 5 });
    const b = await alice.pool({ name: 'b', prefixes: ['fd00::/48'], description: 'six' });
    await stack.call('PUT', `${POOLS}/${b.id}/tags/red`, { as: ALICE });
    const found = async (query: string) => {
      const { body, text } = await stack.call('GET', `${POOLS}?fields=id&${query}`, { as: ALICE });
      expect(body.subnetpools, text).toBeDefined();
      return body.subnetpools.map((pool: Body) => pool['id']);
    };
    for (const query of [
      'name=a',
      `id=${a.id}`,
      'ip_version=4',
      'min_prefixlen=9',
      'max_prefixlen=32',
      'default_prefixlen=9',
      'default_quota=5',
      'not-tags=red',
    ]) {
      expect(await found(query), query).toEqual([a.id]);
    }
    expect(await found('description=six')).toEqual([b.id]);
    expect(await found('tags=red')).toEqual([b.id]);
    expect(await found('is_default=false&shared=false&project_id=alice')).toHaveLength(2);
    // As numbers: 9 comes before 64.
    for (const key of ['name', 'min_prefixlen', 'max_prefixlen', 'default_prefixlen', 'ip_version']) {
      expect(await found(`sort_key=${key}&sort_dir=asc`), key).toEqual([a.id, b.id]);
    }
    for (const key of ['id', 'default_quota', 'is_default', 'shared', 'address_scope_id', 'tenant_id']) {
      expect(await found(`sort_key=${key}&sort_dir=desc`), key).toHaveLength(2);
    }
    const page = await stack.call('GET', `${POOLS}?limit=1&sort_key=min_prefixlen&sort_dir=asc&marker=${a.id}`, {
      as: ALICE,
    });
    expect(page.body.subnetpools.map((pool: Body) => pool['id'])).toEqual([b.id]);
  });

  test('show what is shared, in a fixed number of statements', async () => {
    const shared = await admin.pool({ prefixes: ['10.0.0.0/8'], shared: true });
    await admin.pool({ prefixes: ['10.0.0.0/8'] });
    const path = `${POOLS}/${shared.id}`;
    expect((await stack.call('GET', path, { as: BOB })).body.subnetpool).toEqual(shared);
    expect((await stack.call('PUT', path, { as: BOB, body: { subnetpool: { name: 'x' } } })).status).toBe(403);
    expect((await stack.call('GET', POOLS, { as: BOB })).body.subnetpools).toEqual([shared]);
    const counted = async () => {
      const before = stack.counted('nucleon_sql_statements_total');
      await stack.call('GET', POOLS, { as: BOB });
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    const one = await counted();
    for (let n = 0; n < 5; n++) await admin.pool({ prefixes: ['10.0.0.0/8', '172.16.0.0/12'], shared: true });
    expect(await counted()).toBe(one);
  });
});

describe('DELETE /v2.0/subnetpools/{id}', () => {
  test('is refused while subnets have prefixes of it', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24 });
    const subnet = await alice.subnet(await alice.network(), { subnetpool_id: pool.id });
    const path = `${POOLS}/${pool.id}`;
    expect(refusal(await stack.call('DELETE', path, { as: ALICE }))).toEqual([400, 'SubnetPoolDeleteError']);
    await stack.call('DELETE', `/v2.0/subnets/${subnet.id}`, { as: ALICE });
    expect((await stack.call('DELETE', path, { as: ALICE })).status).toBe(204);
    expect(refusal(await stack.call('GET', path, { as: ALICE }))).toEqual([404, 'SubnetPoolNotFound']);
  });

  test('of deletions and allocations at once, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const network = await alice.network();
      const pool = await alice.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24 });
      const [made, gone] = await Promise.all([
        alice.trySubnet(network, { subnetpool_id: pool.id }),
        stack.call('DELETE', `${POOLS}/${pool.id}`, { as: ALICE }),
      ]);
      expect(['201 400', '404 204']).toContain(`${made.status} ${gone.status}`);
    }
    expect(stack.errors).toEqual([]);
  });
});

describe('sharing by RBAC policies', () => {
  const [HERS, HIS] = [member('a'.repeat(32)), member('b'.repeat(32))];
  const [hers, his] = [callerOf(() => stack, HERS), callerOf(() => stack, HIS)];
  const share = (object_type: string, object_id: string, target_tenant = HIS.project) =>
    stack.call('POST', '/v2.0/rbac-policies', {
      as: HERS,
      body: { rbac_policy: { object_type, object_id, target_tenant, action: 'access_as_shared' } },
    });
  const takeBack = async (answer: Awaited<ReturnType<typeof share>>) =>
    await stack.call('DELETE', `/v2.0/rbac-policies/${answer.body.rbac_policy.id}`, { as: HERS });

  test('lets a project draw from a pool, and is not taken back while it has', async () => {
    const pool = await hers.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24 });
    const network = await his.network();
    expect(refusal(await his.trySubnet(network, { subnetpool_id: pool.id }))).toEqual([404, 'SubnetPoolNotFound']);
    const shared = await share('subnetpool', pool.id);
    expect(shared.status).toBe(201);
    expect(await his.showPool(pool.id)).toMatchObject({ id: pool.id, shared: true });
    const subnet = await his.subnet(network, { subnetpool_id: pool.id });
    expect(refusal(await takeBack(shared))).toEqual([409, 'RbacPolicyInUse']);
    await stack.call('DELETE', `/v2.0/subnets/${subnet.id}`);
    expect((await takeBack(shared)).status).toBe(204);
    expect(await his.showPool(pool.id)).toBeUndefined();
  });

  test('lets a project put pools into a scope, and is not taken back while they are', async () => {
    const scope = await hers.scope();
    const shared = await share('address_scope', scope.id);
    const pool = await his.pool({ prefixes: ['10.0.0.0/16'], address_scope_id: scope.id });
    expect(refusal(await takeBack(shared))).toEqual([409, 'RbacPolicyInUse']);
    await stack.call('DELETE', `/v2.0/subnetpools/${pool.id}`);
    expect((await takeBack(shared)).status).toBe(204);
  });

  test('of a pool in a scope reaches no further than that of the scope', async () => {
    const scope = await hers.scope();
    const pool = await hers.pool({ prefixes: ['10.0.0.0/16'], address_scope_id: scope.id });
    expect(refusal(await share('subnetpool', pool.id))).toEqual([400, 'RbacPolicyInitError']);
    await share('address_scope', scope.id);
    expect((await share('subnetpool', pool.id)).status).toBe(201);
  });
});
