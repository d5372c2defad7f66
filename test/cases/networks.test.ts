import { describe, expect, it } from 'vitest';
import { SLAAC, useCloud } from './support.ts';

const people = useCloud('networks');

describe('the MTU of a network', () => {
  it('is the underlay’s less the encapsulation, and may be lowered, not raised', async () => {
    const { alice } = people();
    const net = await alice.network();
    expect(net.mtu).toBe(1450);
    expect((await alice.change('network', net.id, { mtu: 1400 })).mtu).toBe(1400);
    await alice.refused(400).change('network', net.id, { mtu: 1451 });
    await alice.refused(400).change('network', net.id, { mtu: -5 });
    await alice.refused(400).create('network', { mtu: 9000 });
    await alice.refused(400).create('network', { mtu: -1 });
  });

  it.each([
    ['10.0.0.0/24', 67, 68, {}],
    ['fd00:99::/64', 1279, 1280, {}],
    ['fd00:99::/64', 1279, 1280, SLAAC],
  ])('with a subnet %s is not set to %d, but to %d', async (cidr, below, least, modes) => {
    const { alice } = people();
    const net = await alice.network();
    await alice.subnet(net, cidr, modes);
    await alice.refused(409, 'NetworkMTUSubnetConflict').change('network', net.id, { mtu: below });
    expect((await alice.change('network', net.id, { mtu: least })).mtu).toBe(least);
    expect((await alice.show('network', net.id)).mtu).toBe(least);
  });

  it('that is too small for a subnet keeps the subnet away', async () => {
    const { alice } = people();
    const net = await alice.network({ mtu: 1000 });
    await alice.refused(409, 'NetworkMTUSubnetConflict').create('subnet', {
      network_id: net.id,
      ip_version: 6,
      cidr: 'fd00:99::/64',
    });
    await alice.subnet(net, '10.0.0.0/24');
  });
});

describe('the subnets of a network', () => {
  it('are its subnets’ ids, as they come and go', async () => {
    const { alice } = people();
    const net = await alice.network();
    expect(net.subnets).toEqual([]);
    const four = await alice.subnet(net, '10.0.0.0/24');
    const six = await alice.subnet(net, 'fd00:9::/64');
    expect((await alice.show('network', net.id)).subnets.toSorted()).toEqual([four.id, six.id].toSorted());
    await alice.remove('subnet', four.id);
    expect((await alice.show('network', net.id)).subnets).toEqual([six.id]);
    await alice.remove('subnet', six.id);
    expect((await alice.list(`networks?id=${net.id}`))[0].subnets).toEqual([]);
  });

  it('go with the network', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24');
    await alice.remove('network', net.id);
    await alice.refused(404, 'SubnetNotFound').show('subnet', sub.id);
  });
});
