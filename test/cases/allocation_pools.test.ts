import { describe, expect, it } from 'vitest';
import { ipVersion, useCloud } from './support.ts';

const people = useCloud('allocation_pools');

describe('the pools of a subnet that names none', () => {
  it.each([
    ['10.0.0.0/24', {}, [['10.0.0.2', '10.0.0.254']]],
    [
      '10.0.1.0/24',
      { gateway_ip: '10.0.1.100' },
      [
        ['10.0.1.1', '10.0.1.99'],
        ['10.0.1.101', '10.0.1.254'],
      ],
    ],
    ['10.0.2.0/24', { gateway_ip: null }, [['10.0.2.1', '10.0.2.254']]],
    ['10.0.3.0/24', { gateway_ip: '10.0.3.254' }, [['10.0.3.1', '10.0.3.253']]],
    ['10.0.4.0/30', {}, [['10.0.4.2', '10.0.4.2']]],
    ['10.0.5.0/24', { gateway_ip: '192.0.2.1' }, [['10.0.5.1', '10.0.5.254']]],
    ['fd00:1::/64', {}, [['fd00:1::1', 'fd00:1::ffff:ffff:ffff:ffff']]],
    ['fd00:2::/64', { gateway_ip: null }, [['fd00:2::1', 'fd00:2::ffff:ffff:ffff:ffff']]],
  ])('leave out network, broadcast and gateway addresses: %s with %j', async (cidr, attributes, pools) => {
    const { alice } = people();
    const sub = await alice.subnet(await alice.network(), cidr, attributes);
    const found = sub.allocation_pools.map((pool: { start: string; end: string }) => [pool.start, pool.end]);
    expect(found.toSorted()).toEqual(pools);
  });
});

describe('a gateway inside of a pool', () => {
  it('is refused from either side', async () => {
    const { alice } = people();
    const net = await alice.network();
    const pool = (start: string, end: string) => ({ allocation_pools: [{ start, end }] });
    await alice.refused(409, 'GatewayConflictWithAllocationPools').create('subnet', {
      network_id: net.id,
      ...ipVersion('10.8.0.0/24'),
      gateway_ip: '10.8.0.5',
      ...pool('10.8.0.2', '10.8.0.10'),
    });
    const sub = await alice.subnet(net, '10.8.0.0/24');
    await alice
      .refused(409, 'GatewayConflictWithAllocationPools')
      .change('subnet', sub.id, { gateway_ip: '10.8.0.50' });
    await alice
      .refused(409, 'GatewayConflictWithAllocationPools')
      .change('subnet', sub.id, pool('10.8.0.1', '10.8.0.60'));
    const both = { gateway_ip: '10.8.0.200', ...pool('10.8.0.2', '10.8.0.100') };
    expect(await alice.change('subnet', sub.id, both)).toMatchObject(both);
  });
});

describe('changed pools', () => {
  it('leave ports outside of them alone, and give new ports what is inside', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.0.0.0/24');
    const port = await alice.port(net, { fixed_ips: [{ ip_address: '10.0.0.200' }] });
    const allocation_pools = [{ start: '10.0.0.10', end: '10.0.0.12' }];
    expect((await alice.change('subnet', sub.id, { allocation_pools })).allocation_pools).toEqual(allocation_pools);
    expect((await alice.show('port', port.id)).fixed_ips[0].ip_address).toBe('10.0.0.200');
    const addresses: string[] = [];
    for (let at = 0; at < 3; at += 1) addresses.push((await alice.port(net)).fixed_ips[0].ip_address);
    expect(addresses.toSorted()).toEqual(['10.0.0.10', '10.0.0.11', '10.0.0.12']);
    await alice.refused(409, 'IpAddressGenerationFailure').create('port', { network_id: net.id });
  });

  it.each([
    [[{ start: '10.0.0.10', end: '10.0.1.12' }]],
    [[{ start: '10.0.0.12', end: '10.0.0.10' }]],
    [[{ start: '10.0.0.10' }]],
    [[{ start: 'x', end: 'y' }]],
    [[{ start: 'fd00::1', end: 'fd00::2' }]],
    ['10.0.0.10-10.0.0.12'],
  ])('are not %j', async (allocation_pools) => {
    const { alice } = people();
    const sub = await alice.subnet(await alice.network(), '10.0.0.0/24');
    await alice.refused(400).change('subnet', sub.id, { allocation_pools });
  });

  it('do not overlap', async () => {
    const { alice } = people();
    const sub = await alice.subnet(await alice.network(), '10.0.0.0/24');
    await alice.refused(409, 'OverlappingAllocationPools').change('subnet', sub.id, {
      allocation_pools: [
        { start: '10.0.0.10', end: '10.0.0.20' },
        { start: '10.0.0.20', end: '10.0.0.30' },
      ],
    });
  });
});
