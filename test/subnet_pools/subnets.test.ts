/** Subnets that come from pools, and those whose prefixes are delegated. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Stack } from '../support/stack.ts';
import { ALICE, BOB, type Body, callerOf, refusal, SUBNETS } from './support.ts';

let stack: Stack;
const alice = callerOf(() => stack, ALICE);
const bob = callerOf(() => stack, BOB);
const admin = callerOf(() => stack, { project: 'admin', roles: 'admin' });
beforeAll(async () => {
  stack = await Stack.start('pool_subnets', {}, 8);
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

const range = (start: string, end: string) => ({ start, end });
const ten = (body: Body = {}) => alice.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24, ...body });

describe('a subnet of a pool', () => {
  test('gets the first free prefix of the length that is asked for, or of the default', async () => {
    const pool = await ten();
    const network = await alice.network();
    const cidrs = [];
    for (const prefixlen of [undefined, 26, 26, 24, 20, undefined]) {
      const subnet = await alice.subnet(network, { subnetpool_id: pool.id, ...(prefixlen && { prefixlen }) });
      expect(subnet.subnetpool_id).toBe(pool.id);
      cidrs.push(subnet.cidr);
    }
    // The /24 behind the two halves is not broken into before the quarter is used up.
    expect(cidrs).toEqual(['10.0.0.0/24', '10.0.1.0/26', '10.0.1.64/26', '10.0.2.0/24', '10.0.16.0/20', '10.0.3.0/24']);
  });

  test('has a gateway and pools as others have, in IPv6 the second address', async () => {
    const network = await alice.network();
    const pool = await ten();
    expect(await alice.subnet(network, { subnetpool_id: pool.id })).toMatchObject({
      gateway_ip: '10.0.0.1',
      allocation_pools: [range('10.0.0.2', '10.0.0.254')],
    });
    expect(await alice.subnet(network, { subnetpool_id: pool.id, gateway_ip: null })).toMatchObject({
      gateway_ip: null,
      allocation_pools: [range('10.0.1.1', '10.0.1.254')],
    });
    const six = await alice.pool({ prefixes: ['fd00::/48'] });
    expect(await alice.subnet(network, { ip_version: 6, subnetpool_id: six.id })).toMatchObject({
      cidr: 'fd00::/64',
      gateway_ip: 'fd00::1',
    });
  });

  test('may name its network, with gateway and pools', async () => {
    const pool = await ten();
    const body = {
      subnetpool_id: pool.id,
      cidr: '10.0.7.3/25',
      gateway_ip: '10.0.7.126',
      allocation_pools: [range('10.0.7.2', '10.0.7.9')],
    };
    expect(await alice.subnet(await alice.network(), body)).toMatchObject({ ...body, cidr: '10.0.7.0/25' });
  });

  test('is around its gateway, where that alone is named', async () => {
    const pool = await ten();
    const network = await alice.network();
    const body = { subnetpool_id: pool.id, gateway_ip: '10.0.9.200' };
    expect(await alice.subnet(network, body)).toMatchObject({ cidr: '10.0.9.0/24', gateway_ip: '10.0.9.200' });
    expect(await alice.subnet(network, { ...body, gateway_ip: '10.0.8.4', prefixlen: 28 })).toMatchObject({
      cidr: '10.0.8.0/28',
    });
    expect(refusal(await alice.trySubnet(network, { ...body, gateway_ip: '192.168.0.1' }))).toEqual([
      409,
      'SubnetAllocationError',
    ]);
  });

  test.each<[string, Body, number, string]>([
    ['cidr and prefixlen', { cidr: '10.0.0.0/24', prefixlen: 24 }, 400, 'BadRequest'],
    ['pools without a network', { allocation_pools: [range('10.0.0.2', '10.0.0.9')] }, 400, 'BadRequest'],
    ['too short a prefix', { prefixlen: 4 }, 400, 'MinPrefixSubnetAllocationError'],
    ['too long a prefix', { prefixlen: 31 }, 400, 'MaxPrefixSubnetAllocationError'],
    ['a network too large', { cidr: '10.0.0.0/12' }, 400, 'MinPrefixSubnetAllocationError'],
    ['a network outside', { cidr: '192.168.0.0/24' }, 409, 'SubnetAllocationError'],
    ['the other IP version', { ip_version: 6 }, 400, 'BadRequest'],
    ['name servers of the other version', { dns_nameservers: ['fd00::1'] }, 400, 'InvalidInput'],
    ['the default pool too', { use_default_subnetpool: true }, 400, 'BadRequest'],
  ])('is refused for %s', async (_, body, status, type) => {
    const pool = await ten({ min_prefixlen: 16, max_prefixlen: 30 });
    const network = await alice.network();
    expect(refusal(await alice.trySubnet(network, { subnetpool_id: pool.id, ...body }))).toEqual([status, type]);
  });

  test('is refused where the pool is not the caller’s, and allowed where it is shared', async () => {
    const [hidden, shared] = [await ten(), await admin.pool({ prefixes: ['10.0.0.0/16'], shared: true })];
    const network = await bob.network();
    const ask = (subnetpool_id: string) => bob.trySubnet(network, { subnetpool_id, prefixlen: 24 });
    expect(refusal(await ask(hidden.id))).toEqual([404, 'SubnetPoolNotFound']);
    expect(refusal(await ask(crypto.randomUUID()))).toEqual([404, 'SubnetPoolNotFound']);
    expect(refusal(await ask(hidden.id.toUpperCase()))).toEqual([404, 'SubnetPoolNotFound']);
    expect((await ask(shared.id)).status).toBe(201);
  });

  test('is refused where hosts could not form their addresses', async () => {
    const pool = await alice.pool({ prefixes: ['fd00::/48'], default_prefixlen: 80 });
    const body = { ip_version: 6, subnetpool_id: pool.id, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
    expect(refusal(await alice.trySubnet(await alice.network(), body))).toEqual([400, 'InvalidInput']);
  });

  test('gives its prefix back when it is deleted', async () => {
    const pool = await ten({ prefixes: ['10.0.0.0/24'] });
    const network = await alice.network();
    const subnet = await alice.subnet(network, { subnetpool_id: pool.id });
    expect(refusal(await alice.trySubnet(network, { subnetpool_id: pool.id }))).toEqual([409, 'SubnetAllocationError']);
    await stack.call('DELETE', `${SUBNETS}/${subnet.id}`);
    expect(await alice.subnet(network, { subnetpool_id: pool.id })).toMatchObject({ cidr: '10.0.0.0/24' });
  });
});

describe('subnets of a pool that come at once', () => {
  test('get disjoint prefixes, and the last goes to one of them', async () => {
    const pool = await ten({ prefixes: ['10.0.0.0/24'], default_prefixlen: 28 });
    const networks = await Promise.all(Array.from({ length: 20 }, () => alice.network()));
    const answers = await Promise.all(networks.map((network) => alice.trySubnet(network, { subnetpool_id: pool.id })));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.subnet.cidr)).size).toBe(16);
    expect(made).toHaveLength(16);
    for (const answer of answers) {
      if (answer.status !== 201) expect(refusal(answer)).toEqual([409, 'SubnetAllocationError']);
    }
  });

  test('never pass the quota of the pool', async () => {
    const pool = await ten({ default_quota: 1024 });
    const networks = await Promise.all(Array.from({ length: 8 }, () => alice.network()));
    const answers = await Promise.all(networks.map((network) => alice.trySubnet(network, { subnetpool_id: pool.id })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    for (const answer of answers) {
      if (answer.status !== 201) expect(refusal(answer)).toEqual([409, 'SubnetPoolQuotaExceeded']);
    }
  });

  test('in one request are all made or none, with as many statements for eight as for two', async () => {
    const pool = await ten({ prefixes: ['10.0.0.0/20'] });
    const network = await alice.network();
    const bulk = (count: number) => ({
      subnets: Array.from({ length: count }, () => ({
        network_id: network.id,
        ip_version: 4,
        subnetpool_id: pool.id,
      })),
    });
    // What is known of the quota is asked again after a second: here each time.
    vi.useFakeTimers({ toFake: ['performance'] });
    const counted = async (count: number) => {
      vi.advanceTimersByTime(60_000);
      const before = stack.counted('nucleon_sql_statements_total');
      const answer = await stack.call('POST', SUBNETS, { as: ALICE, body: bulk(count) });
      expect(answer.status).toBe(201);
      expect(new Set(answer.body.subnets.map((subnet: Body) => subnet['cidr'])).size).toBe(count);
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    expect(await counted(8)).toBe(await counted(2));
    vi.useRealTimers();
    const answer = await stack.call('POST', SUBNETS, { as: ALICE, body: bulk(7) });
    expect(refusal(answer)).toEqual([409, 'SubnetAllocationError']);
  });
});

describe('the quota of a pool', () => {
  test('counts addresses of IPv4 for each project', async () => {
    const pool = await admin.pool({ prefixes: ['10.0.0.0/16'], default_quota: 512, shared: true });
    const network = await alice.network();
    await alice.subnet(network, { subnetpool_id: pool.id, prefixlen: 24 });
    const more = await alice.trySubnet(network, { subnetpool_id: pool.id, prefixlen: 23 });
    expect(refusal(more)).toEqual([409, 'SubnetPoolQuotaExceeded']);
    await alice.subnet(network, { subnetpool_id: pool.id, prefixlen: 24 });
    await bob.subnet(await bob.network(), { subnetpool_id: pool.id, prefixlen: 23 });
  });

  test('counts networks of 64 bits of IPv6', async () => {
    const pool = await alice.pool({ prefixes: ['fd00::/48'], min_prefixlen: 62, default_quota: 4 });
    const network = await alice.network();
    const body = { ip_version: 6, subnetpool_id: pool.id };
    await alice.subnet(network, { ...body, prefixlen: 63 });
    expect(refusal(await alice.trySubnet(network, { ...body, prefixlen: 62 }))).toEqual([
      409,
      'SubnetPoolQuotaExceeded',
    ]);
    await alice.subnet(network, { ...body, prefixlen: 63 });
    expect(refusal(await alice.trySubnet(network, { ...body, prefixlen: 80 }))).toEqual([
      409,
      'SubnetPoolQuotaExceeded',
    ]);
  });
});

describe('use_default_subnetpool', () => {
  test('takes the default pool of the IP version that the caller sees', async () => {
    const network = await alice.network();
    const ask = { use_default_subnetpool: true };
    expect(refusal(await alice.trySubnet(network, ask))).toEqual([400, 'BadRequest']);
    const pool = await admin.pool({ prefixes: ['10.0.0.0/16'], default_prefixlen: 24, is_default: true });
    expect(refusal(await alice.trySubnet(network, ask))).toEqual([400, 'BadRequest']);
    expect((await admin.trySubnet(network, ask)).body.subnet.subnetpool_id).toBe(pool.id);
    const six = await admin.pool({ prefixes: ['fd00::/48'], is_default: true, shared: true });
    expect(await alice.subnet(network, { ...ask, ip_version: 6 })).toMatchObject({ subnetpool_id: six.id });
  });

  test('takes a named network out of it, and is not meant by a cidr alone', async () => {
    const pool = await admin.pool({ prefixes: ['10.0.0.0/16'], is_default: true, shared: true });
    const cidr = '10.0.3.0/24';
    const drawn = await alice.subnet(await alice.network(), { use_default_subnetpool: true, cidr });
    expect(drawn).toMatchObject({ subnetpool_id: pool.id, cidr });
    expect(await alice.subnet(await alice.network(), { cidr })).toMatchObject({ subnetpool_id: null, cidr });
    expect(refusal(await alice.trySubnet(await alice.network(), {}))).toEqual([400, 'BadRequest']);
  });
});

describe('subnets of one network and IP version', () => {
  test('come from one pool, or all from none', async () => {
    const [one, two] = [await ten(), await ten({ prefixes: ['10.1.0.0/16'] })];
    const network = await alice.network();
    await alice.subnet(network, { subnetpool_id: one.id });
    const mixed = [400, 'NetworkSubnetPoolAffinityError'];
    expect(refusal(await alice.trySubnet(network, { subnetpool_id: two.id }))).toEqual(mixed);
    expect(refusal(await alice.trySubnet(network, { cidr: '172.16.0.0/24' }))).toEqual(mixed);
    await alice.subnet(network, { ip_version: 6, cidr: 'fd00::/64' });
    const plain = await alice.network();
    await alice.subnet(plain, { cidr: '172.16.0.0/24' });
    expect(refusal(await alice.trySubnet(plain, { subnetpool_id: two.id }))).toEqual(mixed);
  });

  test('may come from several pools of one address scope', async () => {
    const [scope, other] = [await alice.scope(), await alice.scope()];
    const [one, two, foreign, free] = [
      await ten({ address_scope_id: scope.id }),
      await ten({ prefixes: ['10.1.0.0/16'], address_scope_id: scope.id }),
      await ten({ prefixes: ['10.2.0.0/16'], address_scope_id: other.id }),
      await ten({ prefixes: ['10.3.0.0/16'] }),
    ];
    const network = await alice.network();
    await alice.subnet(network, { subnetpool_id: one.id });
    await alice.subnet(network, { subnetpool_id: two.id });
    const apart = [400, 'NetworkAddressScopeAffinityError'];
    expect(refusal(await alice.trySubnet(network, { subnetpool_id: foreign.id }))).toEqual(apart);
    expect(refusal(await alice.trySubnet(network, { subnetpool_id: free.id }))).toEqual(apart);
    const plain = await alice.trySubnet(network, { cidr: '172.16.0.0/24' });
    expect(refusal(plain)).toEqual([400, 'NetworkSubnetPoolAffinityError']);
  });

  test('stay in one scope, also when pools and subnets change at once', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await alice.scope(), await alice.scope()];
      const one = await ten({ prefixes: ['10.0.0.0/16'], address_scope_id: a.id });
      const two = await ten({ prefixes: ['10.1.0.0/16'], address_scope_id: a.id });
      const network = await alice.network();
      await alice.subnet(network, { subnetpool_id: one.id });
      const [made, moved] = await Promise.all([
        alice.trySubnet(network, { subnetpool_id: two.id }),
        alice.changePool(one.id, { address_scope_id: b.id }),
      ]);
      expect(['201 400', '400 200']).toContain(`${made.status} ${moved.status}`);
    }
  });
});

describe('a subnet whose prefix is delegated', () => {
  const modes = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
  const pd = { ip_version: 6, subnetpool_id: 'prefix_delegation' };

  test('has a provisional network, which many may have', async () => {
    const network = await alice.network();
    const subnet = await alice.subnet(network, { ...pd, ...modes });
    expect(subnet).toMatchObject({
      subnetpool_id: 'prefix_delegation',
      cidr: '::/64',
      gateway_ip: '::',
      allocation_pools: [range('::1', '::ffff:ffff:ffff:ffff')],
    });
    await alice.subnet(network, { ...pd, ...modes });
    const listed = await stack.call('GET', `${SUBNETS}?subnetpool_id=prefix_delegation`, { as: ALICE });
    expect(listed.body.subnets).toHaveLength(2);
    const none = await stack.call('GET', `${SUBNETS}?subnetpool_id=${crypto.randomUUID()}`, { as: ALICE });
    expect(none.body.subnets).toEqual([]);
  });

  test.each<[string, Body, string]>([
    ['IPv4', { ...modes, ip_version: 4 }, 'BadRequest'],
    ['no modes', {}, 'BadRequest'],
    ['one mode', { ipv6_ra_mode: 'slaac' }, 'BadRequest'],
    ['stateful modes', { ipv6_ra_mode: 'dhcpv6-stateful', ipv6_address_mode: 'dhcpv6-stateful' }, 'BadRequest'],
    ['pools', { ...modes, allocation_pools: [range('::1', '::2')] }, 'BadRequest'],
    ['modes without DHCP', { ...modes, enable_dhcp: false }, 'InvalidInput'],
  ])('is refused for %s', async (_, body, type) => {
    expect(refusal(await alice.trySubnet(await alice.network(), { ...pd, ...body }))).toEqual([400, type]);
  });

  test('stands beside none of another origin', async () => {
    const network = await alice.network();
    await alice.subnet(network, { ip_version: 6, cidr: 'fd00::/64' });
    const mixed = [400, 'NetworkSubnetPoolAffinityError'];
    expect(refusal(await alice.trySubnet(network, { ...pd, ...modes }))).toEqual(mixed);
    const other = await alice.network();
    await alice.subnet(other, { ...pd, ...modes });
    expect(refusal(await alice.trySubnet(other, { ip_version: 6, cidr: 'fd00::/64' }))).toEqual(mixed);
  });

  test('is what ::/64 means only then', async () => {
    const network = await alice.network();
    expect(refusal(await alice.trySubnet(network, { ip_version: 6, cidr: '::/64' }))).toEqual([400, 'InvalidInput']);
  });
});

test('with ipv6_pd_enabled the default of IPv6 is a delegated prefix', async () => {
  const other = await Stack.start('pool_delegation', { DEFAULT: { auth_strategy: 'noauth', ipv6_pd_enabled: true } });
  const caller = callerOf(() => other);
  const body = { ip_version: 6, use_default_subnetpool: true, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
  expect(await caller.subnet(await caller.network(), body)).toMatchObject({ subnetpool_id: 'prefix_delegation' });
  await other.stop();
});
