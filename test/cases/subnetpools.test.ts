import { describe, expect, it } from 'vitest';
import { ids, ipVersion, unknownId, useCloud } from './support.ts';

const people = useCloud('subnetpools');

describe('a subnet pool', () => {
  it.each([
    [{ prefixes: ['10.0.0.0/8', 'fd00::/32'] }],
    [{ prefixes: [] }],
    [{}],
    [{ prefixes: ['banana'] }],
    [{ prefixes: ['10.0.0.0/8'], min_prefixlen: 28, max_prefixlen: 24 }],
    [{ prefixes: ['10.0.0.0/8'], default_prefixlen: 33 }],
    [{ prefixes: ['10.0.0.0/8'], default_prefixlen: 20, min_prefixlen: 24 }],
    [{ prefixes: ['10.0.0.0/8'], min_prefixlen: -1 }],
  ])('is not of %j', async (attributes) => {
    const { alice } = people();
    await alice.refused(400).create('subnetpool', { name: 'p', ...attributes });
  });

  it('keeps its prefixes joined and in order, and never loses one', async () => {
    const { alice } = people();
    const prefixes = ['10.9.0.0/24', '10.8.0.0/24', '10.8.1.0/24'];
    const pool = await alice.create('subnetpool', { name: 'p', prefixes });
    expect(pool.prefixes).toEqual(['10.8.0.0/23', '10.9.0.0/24']);
    await alice.refused(400).change('subnetpool', pool.id, { prefixes: ['10.8.0.0/24'] });
    const grown = await alice.change('subnetpool', pool.id, { prefixes: [...prefixes, '10.10.0.0/24'] });
    expect(grown.prefixes).toEqual(['10.8.0.0/23', '10.9.0.0/24', '10.10.0.0/24']);
  });

  it('is shared and made the default by an administrator', async () => {
    const { alice } = people();
    const attributes = { name: 'p', prefixes: ['10.0.0.0/8'] };
    await alice.refused(403).create('subnetpool', { ...attributes, shared: true });
    await alice.refused(403).create('subnetpool', { ...attributes, is_default: true });
  });

  it('gives as many prefixes as it has, each once, however many ask at once', async () => {
    const { alice } = people();
    const pool = await alice.create('subnetpool', { name: 'a', prefixes: ['10.128.0.0/26'], default_prefixlen: 28 });
    const net = await alice.network();
    const subnet = { network_id: net.id, ip_version: 4, subnetpool_id: pool.id };
    expect(await alice.race(4, 'POST', '/subnets', { subnet })).toEqual({ 201: 4 });
    const cidrs = (await alice.list(`subnets?network_id=${net.id}`)).map(({ cidr }: { cidr: string }) => cidr);
    expect(new Set(cidrs).size).toBe(4);
    await alice.refused(409, 'SubnetAllocationError').create('subnet', subnet);
    await alice.refused(400, 'SubnetPoolDeleteError').remove('subnetpool', pool.id);
  });
});

describe('the default pool', () => {
  it('is none where nobody made one, and no other pool beside it', async () => {
    const { alice } = people();
    const net = await alice.network();
    const of = { network_id: net.id, use_default_subnetpool: true };
    await alice.refused([400, 404]).create('subnet', { ...of, ip_version: 6 });
    const both = { ...of, ...ipVersion('10.0.0.0/24'), subnetpool_id: unknownId() };
    await alice.refused(400).create('subnet', both);
  });

  it('is one of each family', async () => {
    const { admin, alice } = people();
    const four = await admin.create('subnetpool', {
      name: 'four',
      prefixes: ['10.0.0.0/8'],
      default_prefixlen: 26,
      shared: true,
      is_default: true,
    });
    const another = { name: 'more', prefixes: ['172.16.0.0/12'], shared: true, is_default: true };
    await admin.refused([400, 409]).create('subnetpool', another);
    const six = await admin.create('subnetpool', { ...another, prefixes: ['fd00::/48'], default_prefixlen: 64 });
    const sub = await alice.create('subnet', {
      network_id: (await alice.network()).id,
      ip_version: 4,
      use_default_subnetpool: true,
    });
    expect(sub).toMatchObject({ subnetpool_id: four.id, cidr: expect.stringMatching(/^10\..*\/26$/) });
    expect(ids(await alice.list('subnetpools?is_default=true'))).toEqual(ids([four, six]));
    await admin.remove('subnet', sub.id);
    for (const { id } of [four, six]) await admin.remove('subnetpool', id);
  });
});
