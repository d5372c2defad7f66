/** Prefixes of pools: adding, removing, taking in subnets of networks; and the address scopes that pools are in. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Stack } from '../support/stack.ts';
import { ALICE, BOB, callerOf, refusal } from './support.ts';

let stack: Stack;
const alice = callerOf(() => stack, ALICE);
const bob = callerOf(() => stack, BOB);
const admin = callerOf(() => stack, { project: 'admin', roles: 'admin' });
beforeAll(async () => {
  stack = await Stack.start('pool_prefixes');
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

describe('add_prefixes', () => {
  test('adds, merges and answers all prefixes', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/24'] });
    const answer = await alice.act(pool.id, 'add_prefixes', { prefixes: ['10.0.1.0/24', '10.7.0.1/24'] });
    expect([answer.status, answer.body]).toEqual([200, { prefixes: ['10.0.0.0/23', '10.7.0.0/24'] }]);
    expect(await alice.showPool(pool.id)).toMatchObject({ prefixes: answer.body.prefixes, revision_number: 1 });
    await alice.act(pool.id, 'add_prefixes', { prefixes: ['10.0.0.0/24'] });
    expect(await alice.showPool(pool.id)).toMatchObject({ revision_number: 1 });
  });

  test.each([
    [{}],
    [{ prefixes: [] }],
    [{ prefixes: '10.0.0.0/24' }],
    [{ prefixes: [7] }],
    [{ prefixes: ['10.0.0.0'] }],
    [{ prefixes: [null] }],
  ])('refuses %j', async (body) => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/24'] });
    for (const action of ['add_prefixes', 'remove_prefixes']) {
      expect(refusal(await alice.act(pool.id, action, body))).toEqual([400, 'HTTPBadRequest']);
    }
  });

  test('refuses the other IP version', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/24'] });
    const answer = await alice.act(pool.id, 'add_prefixes', { prefixes: ['fd00::/48'] });
    expect(refusal(answer)).toEqual([400, 'PrefixVersionMismatch']);
  });

  test('of twenty at once loses none', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/24'] });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => alice.act(pool.id, 'add_prefixes', { prefixes: [`10.${n + 1}.0.0/24`] })),
    );
    expect((await alice.showPool(pool.id)).prefixes).toHaveLength(21);
  });
});

describe('remove_prefixes', () => {
  test('splits prefixes, and leaves alone what the pool does not have', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/22'] });
    const answer = await alice.act(pool.id, 'remove_prefixes', { prefixes: ['10.0.1.0/24', '192.168.0.0/16'] });
    expect(answer.body).toEqual({ prefixes: ['10.0.0.0/24', '10.0.2.0/23'] });
    const same = await alice.act(pool.id, 'remove_prefixes', { prefixes: ['192.168.0.0/16', 'fd00::/48'] });
    expect(same.body).toEqual(answer.body);
    expect(await alice.showPool(pool.id)).toMatchObject({ revision_number: 1 });
  });

  test('refuses what a subnet has addresses of', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    await alice.subnet(await alice.network(), { subnetpool_id: pool.id, cidr: '10.0.4.0/24' });
    for (const prefix of ['10.0.4.0/24', '10.0.4.128/25', '10.0.0.0/16']) {
      const answer = await alice.act(pool.id, 'remove_prefixes', { prefixes: [prefix] });
      expect(refusal(answer)).toEqual([400, 'IllegalSubnetPoolPrefixUpdate']);
    }
    const rest = await alice.act(pool.id, 'remove_prefixes', { prefixes: ['10.0.128.0/17'] });
    expect(rest.body).toEqual({ prefixes: ['10.0.0.0/17'] });
  });

  test('of removals and allocations at once, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const network = await alice.network();
      const pool = await alice.pool({ prefixes: ['10.0.0.0/24'], default_prefixlen: 24 });
      const [made, removed] = await Promise.all([
        alice.trySubnet(network, { subnetpool_id: pool.id }),
        alice.act(pool.id, 'remove_prefixes', { prefixes: ['10.0.0.0/24'] }),
      ]);
      expect(['201 400', '409 200']).toContain(`${made.status} ${removed.status}`);
    }
  });

  test('may leave nothing, and a pool without prefixes can be changed and filled again', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/24'] });
    expect((await alice.act(pool.id, 'remove_prefixes', { prefixes: ['10.0.0.0/8'] })).body).toEqual({ prefixes: [] });
    expect((await alice.changePool(pool.id, { name: 'empty' })).status).toBe(200);
    const wrong = await alice.act(pool.id, 'add_prefixes', { prefixes: ['fd00::/48'] });
    expect(refusal(wrong)).toEqual([400, 'PrefixVersionMismatch']);
    expect((await alice.act(pool.id, 'add_prefixes', { prefixes: ['10.1.0.0/24'] })).status).toBe(200);
  });
});

describe('onboard_network_subnets', () => {
  const onboard = (pool: { id: string }, network_id: unknown, caller = alice) =>
    caller.act(pool.id, 'onboard_network_subnets', { network_id });

  test("takes in the network's subnets of the pool's IP version", async () => {
    const pool = await alice.pool({ prefixes: ['172.16.0.0/16'] });
    const network = await alice.network();
    const a = await alice.subnet(network, { cidr: '10.0.0.0/24' });
    const b = await alice.subnet(network, { cidr: '10.0.1.0/24' });
    const six = await alice.subnet(network, { ip_version: 6, cidr: 'fd00::/64' });
    const { revision_number } = (await stack.call('GET', `/v2.0/networks/${network.id}`)).body.network;
    const answer = await onboard(pool, network.id);
    expect(answer.status).toBe(200);
    expect(answer.body.toSorted((x: { cidr: string }, y: { cidr: string }) => (x.cidr < y.cidr ? -1 : 1))).toEqual([
      { id: a.id, cidr: '10.0.0.0/24' },
      { id: b.id, cidr: '10.0.1.0/24' },
    ]);
    expect((await alice.showPool(pool.id)).prefixes).toEqual(['10.0.0.0/23', '172.16.0.0/16']);
    const { subnets } = (await stack.call('GET', `/v2.0/subnets?subnetpool_id=${pool.id}&fields=id`)).body;
    expect(subnets).toHaveLength(2);
    const shown = (await stack.call('GET', `/v2.0/subnets/${a.id}`)).body.subnet;
    expect(shown).toMatchObject({ subnetpool_id: pool.id, revision_number: a.revision_number + 1 });
    expect((await stack.call('GET', `/v2.0/subnets/${six.id}`)).body.subnet.subnetpool_id).toBeNull();
    const after = (await stack.call('GET', `/v2.0/networks/${network.id}`)).body.network;
    expect(after.revision_number).toBe(revision_number + 1);
    // Its addresses are taken now.
    const again = await alice.trySubnet(await alice.network(), { subnetpool_id: pool.id, cidr: '10.0.0.0/25' });
    expect(refusal(again)).toEqual([409, 'SubnetAllocationError']);
  });

  test('refuses what overlaps with subnets of the pool', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    await alice.subnet(await alice.network(), { subnetpool_id: pool.id, cidr: '10.0.0.0/24' });
    const network = await alice.network();
    await alice.subnet(network, { cidr: '10.0.0.128/25' });
    await alice.subnet(network, { cidr: '10.5.0.0/24' });
    expect(refusal(await onboard(pool, network.id))).toEqual([400, 'IllegalSubnetPoolUpdate']);
  });

  test('refuses networks that are absent, of others, or not named', async () => {
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'] });
    const hidden = await bob.network();
    const shared = await admin.network({ shared: true });
    expect(refusal(await onboard(pool, crypto.randomUUID()))).toEqual([404, 'NetworkNotFound']);
    expect(refusal(await onboard(pool, hidden.id))).toEqual([404, 'NetworkNotFound']);
    expect(refusal(await onboard(pool, shared.id))).toEqual([403, 'NotAuthorized']);
    expect(refusal(await onboard(pool, undefined))).toEqual([400, 'InvalidInput']);
    expect(refusal(await onboard(pool, { a: 1 }))).toEqual([400, 'InvalidInput']);
    expect((await onboard(pool, hidden.id, admin)).body).toEqual([]);
  });

  test('refuses what overlaps with another pool of the address scope', async () => {
    const { id: address_scope_id } = await alice.scope();
    await alice.pool({ prefixes: ['10.0.0.0/16'], address_scope_id });
    const pool = await alice.pool({ prefixes: ['172.16.0.0/16'], address_scope_id });
    const network = await alice.network();
    await alice.subnet(network, { cidr: '10.0.0.0/24' });
    expect(refusal(await onboard(pool, network.id))).toEqual([409, 'AddressScopePrefixConflict']);
  });
});

describe('the address scope of a pool', () => {
  test('can be given, changed and taken away', async () => {
    const [a, b] = [await alice.scope(), await alice.scope()];
    const pool = await alice.pool({ prefixes: ['10.0.0.0/16'], address_scope_id: a.id });
    expect(pool.address_scope_id).toBe(a.id);
    for (const address_scope_id of [b.id, null, a.id]) {
      const { body } = await alice.changePool(pool.id, { address_scope_id });
      expect(body.subnetpool.address_scope_id).toBe(address_scope_id);
    }
    expect((await stack.call('GET', `/v2.0/subnetpools?address_scope_id=${a.id}`)).body.subnetpools).toHaveLength(1);
  });

  test('is of the IP version of the pool', async () => {
    const six = await alice.scope({ ip_version: 6 });
    const type = 'IllegalSubnetPoolIpVersionAssociationToAddressScope';
    const body = { prefixes: ['10.0.0.0/16'] };
    expect(refusal(await alice.tryPool({ ...body, address_scope_id: six.id }))).toEqual([400, type]);
    const pool = await alice.pool(body);
    expect(refusal(await alice.changePool(pool.id, { address_scope_id: six.id }))).toEqual([400, type]);
  });

  test('has no address in two pools, also of those that come at once', async () => {
    const { id: address_scope_id } = await alice.scope();
    const make = (prefix: string) => alice.tryPool({ prefixes: [prefix], address_scope_id });
    const answers = await Promise.all(['10.0.0.0/16', '10.0.1.0/24', '10.0.0.0/8', '10.0.0.0/16'].map(make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const won = answers.find(({ status }) => status === 201)!.body.subnetpool;
    for (const answer of answers) {
      if (answer.status !== 201) expect(refusal(answer)).toEqual([409, 'AddressScopePrefixConflict']);
    }
    const other = await alice.pool({ prefixes: ['172.16.0.0/16'], address_scope_id });
    const grown = await alice.act(other.id, 'add_prefixes', { prefixes: won.prefixes });
    expect(refusal(grown)).toEqual([409, 'AddressScopePrefixConflict']);
    const outside = await alice.pool({ prefixes: ['10.0.0.0/8'] });
    const moved = await alice.changePool(outside.id, { address_scope_id });
    expect(refusal(moved)).toEqual([409, 'AddressScopePrefixConflict']);
    expect((await alice.changePool(won.id, { prefixes: [...won.prefixes, '10.200.0.0/16'] })).status).toBe(200);
  });

  test('may be one that is shared, and then only administrators change the pool', async () => {
    const hidden = await admin.scope();
    const shared = await admin.scope({ shared: true });
    const body = { prefixes: ['10.0.0.0/16'] };
    expect(refusal(await alice.tryPool({ ...body, address_scope_id: hidden.id }))).toEqual([
      404,
      'AddressScopeNotFound',
    ]);
    const pool = await alice.pool({ ...body, address_scope_id: shared.id });
    expect(refusal(await alice.changePool(pool.id, { name: 'n' }))).toEqual([400, 'IllegalSubnetPoolUpdate']);
    expect((await admin.changePool(pool.id, { name: 'n' })).status).toBe(200);
  });

  test('does not change while a network has subnets of other pools of it', async () => {
    const [a, b] = [await alice.scope(), await alice.scope()];
    const make = (prefix: string) => alice.pool({ prefixes: [prefix], default_prefixlen: 24, address_scope_id: a.id });
    const [one, two] = [await make('10.0.0.0/16'), await make('10.1.0.0/16')];
    const network = await alice.network();
    await alice.subnet(network, { subnetpool_id: one.id });
    expect((await alice.changePool(one.id, { address_scope_id: b.id })).status).toBe(200);
    expect((await alice.changePool(one.id, { address_scope_id: a.id })).status).toBe(200);
    await alice.subnet(network, { subnetpool_id: two.id });
    for (const address_scope_id of [b.id, null]) {
      const answer = await alice.changePool(one.id, { address_scope_id });
      expect(refusal(answer)).toEqual([400, 'NetworkAddressScopeAffinityError']);
    }
    expect((await alice.changePool(one.id, { name: 'n' })).status).toBe(200);
  });
});
