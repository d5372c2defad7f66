/** Availability of addresses, through the whole API: what is counted, exactly, and who may ask. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admin, member, Stack, type Who } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('ip_availability');
});
afterAll(() => stack?.stop());
afterEach(() => stack.clear());

const PATH = '/v2.0/network-ip-availabilities';

async function list(query = '', as: Who = admin) {
  const answer = await stack.call('GET', `${PATH}${query}`, { as });
  expect(answer.status).toBe(200);
  return answer.body.network_ip_availabilities;
}

/** A network with subnets of both versions; of IPv4 one port inside of the pool and one outside. */
async function furnished() {
  const network = await stack.create('network', { name: 'both', project_id: 'alice' });
  const subnet = (body: object) => stack.create('subnet', { network_id: network.id, ...body });
  const four = await subnet({
    name: 'four',
    ip_version: 4,
    cidr: '10.0.0.0/24',
    allocation_pools: [
      { start: '10.0.0.10', end: '10.0.0.19' },
      { start: '10.0.0.30', end: '10.0.0.30' },
    ],
  });
  const six = await subnet({ name: 'six', ip_version: 6, cidr: 'fd00::/64' });
  for (const ip_address of ['10.0.0.12', '10.0.0.200']) {
    await stack.create('port', { network_id: network.id, fixed_ips: [{ subnet_id: four.id, ip_address }] });
  }
  await stack.create('port', { network_id: network.id, fixed_ips: [{ subnet_id: six.id }] });
  return { network, four, six };
}

describe('an availability', () => {
  test('counts addresses of subnets and of the network, inside and outside of pools', async () => {
    const { network, four, six } = await furnished();
    const answer = await stack.call('GET', `${PATH}/${network.id}`);
    const ofFour = {
      total_ips_in_subnet: 254,
      total_ips_in_allocation_pool: 11,
      used_ips_in_subnet: 2,
      used_ips_in_allocation_pool: 1,
    };
    expect(answer.body.network_ip_availability).toMatchObject({
      network_id: network.id,
      network_name: 'both',
      project_id: 'alice',
      tenant_id: 'alice',
      used_ips: 3,
      subnet_ip_availability: [
        {
          subnet_id: four.id,
          subnet_name: 'four',
          ip_version: 4,
          cidr: '10.0.0.0/24',
          used_ips: 2,
          total_ips: 11,
          ip_availability_details: ofFour,
        },
        { subnet_id: six.id, subnet_name: 'six', ip_version: 6, cidr: 'fd00::/64', used_ips: 1 },
      ],
      ip_availability_details: { used_ips_in_subnet: 3, used_ips_in_allocation_pool: 2 },
    });
    expect(answer.body.network_ip_availability).not.toHaveProperty('ip_version');
  });

  test('has IPv6 sizes with all their digits', async () => {
    const { network } = await furnished();
    const { text } = await stack.call('GET', `${PATH}/${network.id}`);
    // The first address is no part of the pool; the sums add the eleven of IPv4.
    expect(text).toContain('"total_ips":18446744073709551615,');
    expect(text).toContain('"total_ips_in_subnet":18446744073709551616,');
    expect(text).toContain('"total_ips":18446744073709551626,');
  });

  test('of a network without subnets is nothing of nothing', async () => {
    const { id } = await stack.create('network', {});
    expect(await list(`?network_id=${id}`)).toMatchObject([
      { network_id: id, used_ips: 0, total_ips: 0, subnet_ip_availability: [] },
    ]);
  });

  test('of a subnet without pools counts the whole network, as Neutron does', async () => {
    const network = await stack.create('network', {});
    const subnet = { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24', allocation_pools: [] };
    await stack.create('subnet', subnet);
    expect(await list()).toMatchObject([
      { total_ips: 256, ip_availability_details: { total_ips_in_subnet: 254, total_ips_in_allocation_pool: 0 } },
    ]);
  });
});

describe('the list', () => {
  test('is filtered by network, name, project and version; a version leaves the other subnets out', async () => {
    const { network, six } = await furnished();
    await stack.create('network', { name: 'empty', project_id: 'bob' });
    const names = async (query: string) =>
      (await list(query)).map(({ network_name }: { network_name: string }) => network_name).toSorted();
    expect(await names('')).toEqual(['both', 'empty']);
    expect(await names(`?network_id=${network.id}`)).toEqual(['both']);
    expect(await names('?network_name=empty')).toEqual(['empty']);
    expect(await names('?project_id=alice')).toEqual(['both']);
    expect(await names('?tenant_id=bob')).toEqual(['empty']);
    expect(await names('?ip_version=4&ip_version=6')).toEqual(['both']);
    expect(await names('?ip_version=5')).toEqual([]);
    expect(await list('?ip_version=6')).toMatchObject([
      { used_ips: 1, subnet_ip_availability: [{ subnet_id: six.id }] },
    ]);
    expect((await stack.call('GET', `${PATH}?used_ips=1`)).status).toBe(400);
  });

  test('has only the fields asked for, and pages', async () => {
    await furnished();
    await stack.create('network', { name: 'empty' });
    expect(await list('?fields=used_ips&network_name=both')).toEqual([{ used_ips: 3 }]);
    const [first] = await list('?limit=1');
    const [second] = await list(`?limit=1&marker=${first.network_id}`);
    expect(first.network_id < second.network_id).toBe(true);
  });

  test('takes as many statements for many networks as for one', async () => {
    const cost = async () => {
      const before = stack.counted('nucleon_sql_statements_total');
      await list();
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    await furnished();
    const one = await cost();
    for (let more = 0; more < 5; more++) await furnished();
    expect(await cost()).toBe(one);
  });

  test('is for administrators and services', async () => {
    const { network } = await furnished();
    expect(await list('', member('alice'))).toEqual([]);
    expect((await stack.call('GET', `${PATH}/${network.id}`, { as: member('alice') })).status).toBe(404);
    expect(await list('', { project: 'service', roles: 'service' })).toHaveLength(1);
  });
});

test.each([
  ['GET', '/00000000-0000-4000-8000-000000000000', 404],
  ['GET', '/nonsense', 404],
  ['POST', '', 405],
  ['DELETE', '/00000000-0000-4000-8000-000000000000', 405],
])('%s %s is %d', async (method, path, status) => {
  const answer = await stack.call(method, `${PATH}${path}`);
  expect(answer.status).toBe(status);
});
