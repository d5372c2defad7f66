/** What ports need, planned without a database. */
import { describe, expect, test } from 'vitest';
import { type FixedIpRequest, planChangedPort, planNewPort } from './plan.ts';
import type { IpamSubnet } from './subnet.ts';

const subnet = (id: string, cidr: string, more: Partial<IpamSubnet> = {}): IpamSubnet => ({
  id,
  ip_version: cidr.includes(':') ? 6 : 4,
  cidr,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  allocation_pools: [],
  service_types: [],
  ...more,
});
const V4 = subnet('v4', '10.0.0.0/24');
const OTHER = subnet('other', '10.0.1.0/24');
const V6 = subnet('v6', 'fd00:1::/64', { ipv6_address_mode: 'dhcpv6-stateful' });
const AUTO = subnet('auto', 'fd00:2::/64', { ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' });
const RA = subnet('ra', 'fd00:3::/64', { ipv6_ra_mode: 'dhcpv6-stateless' });
const owner = (subnets: readonly IpamSubnet[], device_owner = '') => ({
  network_id: 'net',
  mac_address: 'fa:16:3e:00:00:01',
  device_owner,
  subnets,
});
const exact = (subnet_id: string, ip_address: string) => ({ kind: 'exact', subnet_id, ip_address });
const any = (...subnets: readonly IpamSubnet[]) => ({ kind: 'any', lowest: false, subnets });

describe('planNewPort()', () => {
  test('a port that says nothing gets one address per version and every automatic one', () => {
    expect(planNewPort(owner([V4, OTHER, V6, AUTO, RA]), undefined)).toEqual([
      any(V4, OTHER),
      any(V6),
      exact('auto', 'fd00:2::f816:3eff:fe00:1'),
      exact('ra', 'fd00:3::f816:3eff:fe00:1'),
    ]);
  });

  test('automatic addresses come with requested ones, once', () => {
    const requested: FixedIpRequest[] = [{ ip_address: '10.0.0.9' }, { subnet_id: 'auto' }];
    const needs = [exact('v4', '10.0.0.9'), exact('auto', 'fd00:2::f816:3eff:fe00:1')];
    expect(planNewPort(owner([V4, AUTO]), requested)).toEqual(needs);
    expect(planNewPort(owner([V4, AUTO]), [])).toEqual(needs.slice(1));
  });

  test('router ports take automatic subnets like others, and only when asked', () => {
    const router = owner([V4, AUTO], 'network:router_interface');
    expect(planNewPort(router, undefined)).toEqual([any(V4)]);
    expect(planNewPort(router, [{ subnet_id: 'auto' }])).toEqual([any(AUTO)]);
    expect(planNewPort(router, [{ ip_address: 'fd00:2::7' }])).toEqual([exact('auto', 'fd00:2::7')]);
  });

  test('ports of DHCP servers take the lowest addresses', () => {
    const dhcp = owner([V4], 'network:dhcp');
    expect(planNewPort(dhcp, undefined)).toEqual([{ ...any(V4), lowest: true }]);
    expect(planNewPort(dhcp, [{ subnet_id: 'v4' }])).toEqual([{ ...any(V4), lowest: true }]);
  });

  test.each([
    ['network:router_interface', true],
    ['network:router_gateway', true],
    ['', true],
    ['compute:nova', false],
  ])('the first address of an IPv6 network is for routers: %s may have it: %s', (device_owner, allowed) => {
    for (const request of [{ ip_address: 'fd00:1::' }, { ip_address: 'fd00:1::', subnet_id: 'v6' }]) {
      const plan = () => planNewPort(owner([V6], device_owner), [request]);
      if (allowed) expect(plan()).toEqual([exact('v6', 'fd00:1::')]);
      else expect(plan).toThrow(expect.objectContaining({ status: 400 }));
    }
  });

  test('addresses are written canonically', () => {
    const requested = [{ subnet_id: 'v6', ip_address: 'FD00:1:0::09' }];
    expect(planNewPort(owner([V6]), requested)).toEqual([exact('v6', 'fd00:1::9')]);
  });

  test('a network without subnets gives no address and no error', () => {
    expect(planNewPort(owner([]), undefined)).toEqual([]);
  });

  test('subnets made for the device owner come before those for all', () => {
    const made = subnet('made', '10.0.2.0/24', { service_types: ['compute:nova'] });
    expect(planNewPort(owner([V4, made], 'compute:nova'), undefined)).toEqual([any(made, V4)]);
    expect(planNewPort(owner([V4, made], 'compute:az'), undefined)).toEqual([any(V4)]);
    expect(() => planNewPort(owner([made]), undefined)).toThrow(
      expect.objectContaining({ type: 'IpAddressGenerationFailureNoMatchingSubnet' }),
    );
  });
});

describe('planChangedPort()', () => {
  const current = [
    { subnet_id: 'v4', ip_address: '10.0.0.5' },
    { subnet_id: 'v4', ip_address: '10.0.0.6' },
    { subnet_id: 'auto', ip_address: 'fd00:2::f816:3eff:fe00:1' },
  ];
  const [five, six, auto] = current;
  const plan = (requested: readonly FixedIpRequest[], newMac = false) =>
    planChangedPort(owner([V4, OTHER, AUTO]), current, requested, newMac);

  test.each<[string, FixedIpRequest[], object]>([
    ['the same', current, { kept: current, released: [], needs: [] }],
    ['one by address', [six!], { kept: [six, auto], released: [five], needs: [] }],
    ['one by subnet', [{ subnet_id: 'v4' }], { kept: [five, auto], released: [six], needs: [] }],
    [
      'by address before by subnet',
      [{ subnet_id: 'v4' }, { ip_address: '10.0.0.5' }],
      { kept: [five, six, auto], released: [], needs: [] },
    ],
    [
      'one more of the subnet',
      [{ subnet_id: 'v4' }, { subnet_id: 'v4' }, { subnet_id: 'v4' }],
      { kept: [five, six, auto], released: [], needs: [any(V4)] },
    ],
    ['another subnet', [{ subnet_id: 'other' }], { kept: [auto], released: [five, six], needs: [any(OTHER)] }],
    ['none', [], { kept: [auto], released: [five, six], needs: [] }],
    [
      'none, and the automatic one dropped',
      [{ subnet_id: 'auto', delete_subnet: true }],
      { kept: [], released: current, needs: [] },
    ],
  ])('%s', (_, requested, expected) => {
    expect(plan(requested)).toEqual(expected);
  });

  test('a new MAC address forms a new automatic address', () => {
    const changed = planChangedPort({ ...owner([V4, AUTO]), mac_address: 'fa:16:3e:00:00:02' }, current, current, true);
    expect(changed).toEqual({
      kept: [five, six],
      released: [auto],
      needs: [exact('auto', 'fd00:2::f816:3eff:fe00:2')],
    });
  });
});
