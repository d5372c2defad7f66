/** Subnets through the plugin's verbs, on PostgreSQL. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { ADMIN, ALICE, addresses, BOB, filter, refusal, type Thing, World } from './support.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());
afterEach(async () => {
  for (const port of await world.list('port')) await world.remove('port', port.id);
  for (const network of await world.list('network')) await world.remove('network', network.id);
});

const pool = (start: string, end: string) => ({ start, end });
const make = (network: Thing, body: Resource, context = ADMIN) =>
  world.create('subnet', { network_id: network.id, ip_version: 4, ...body }, context);
const slaac = (cidr: string) => ({ ip_version: 6, cidr, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' });

describe('create_subnet', () => {
  test('gives what Neutron gives', async () => {
    const network = await world.create('network', {});
    const subnet = await make(network, {
      name: 's',
      cidr: '10.0.0.0/24',
      dns_nameservers: ['9.9.9.9', '1.1.1.1'],
      host_routes: [{ destination: '10.1.0.0/24', nexthop: '10.0.0.9' }],
      project_id: 'p1',
    });
    expect(subnet).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 's',
      tenant_id: 'p1',
      project_id: 'p1',
      network_id: network.id,
      ip_version: 4,
      subnetpool_id: null,
      enable_dhcp: true,
      ipv6_ra_mode: null,
      ipv6_address_mode: null,
      gateway_ip: '10.0.0.1',
      cidr: '10.0.0.0/24',
      allocation_pools: [pool('10.0.0.2', '10.0.0.254')],
      host_routes: [{ destination: '10.1.0.0/24', nexthop: '10.0.0.9' }],
      dns_nameservers: ['9.9.9.9', '1.1.1.1'],
      description: '',
      'router:external': false,
      // Not shown to clients; policy asks for it.
      shared: false,
      service_types: [],
      tags: [],
      revision_number: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await world.show('subnet', subnet.id)).toEqual(subnet);
    expect(await world.show('network', network.id)).toMatchObject({ subnets: [subnet.id], revision_number: 2 });
  });

  test.each<[string, Resource, Resource]>([
    [
      'a gateway inside splits the pool',
      { cidr: '10.0.1.0/24', gateway_ip: '10.0.1.100' },
      { allocation_pools: [pool('10.0.1.1', '10.0.1.99'), pool('10.0.1.101', '10.0.1.254')] },
    ],
    [
      'no gateway leaves all addresses',
      { cidr: '10.0.2.0/24', gateway_ip: null },
      { gateway_ip: null, allocation_pools: [pool('10.0.2.1', '10.0.2.254')] },
    ],
    [
      'the gateway may be the last address',
      { cidr: '10.0.3.0/24', gateway_ip: '10.0.3.254' },
      { allocation_pools: [pool('10.0.3.1', '10.0.3.253')] },
    ],
    [
      'the gateway may be outside',
      { cidr: '10.0.3.0/24', gateway_ip: '192.168.0.1' },
      { allocation_pools: [pool('10.0.3.1', '10.0.3.254')] },
    ],
    ['host bits are cleared', { cidr: '10.0.4.17/24' }, { cidr: '10.0.4.0/24', gateway_ip: '10.0.4.1' }],
    [
      'a /31 has two addresses',
      { cidr: '10.0.5.0/31', enable_dhcp: false, gateway_ip: null },
      { allocation_pools: [pool('10.0.5.0', '10.0.5.1')] },
    ],
    [
      'a /32 has one address, and its gateway is outside',
      { cidr: '10.0.5.7/32', enable_dhcp: false },
      { gateway_ip: '10.0.5.8', allocation_pools: [pool('10.0.5.7', '10.0.5.7')] },
    ],
    [
      'a /127 has one beside its gateway',
      { ip_version: 6, cidr: 'fd00::/127', enable_dhcp: false },
      { gateway_ip: 'fd00::', allocation_pools: [pool('fd00::1', 'fd00::1')] },
    ],
    [
      'IPv6 uses the last address, and the first for the gateway',
      { ip_version: 6, cidr: 'fd00::/64' },
      { gateway_ip: 'fd00::', allocation_pools: [pool('fd00::1', 'fd00::ffff:ffff:ffff:ffff')] },
    ],
    [
      'an IPv6 gateway may be link-local',
      { ip_version: 6, cidr: 'fd00::/64', gateway_ip: 'fe80::1' },
      { gateway_ip: 'fe80::1' },
    ],
    [
      'an IPv6 gateway may be the anycast address',
      { ip_version: 6, cidr: 'fd00::/64', gateway_ip: 'fd00::' },
      { gateway_ip: 'fd00::' },
    ],
    [
      'pools are kept as given',
      { cidr: '10.0.0.0/24', allocation_pools: [pool('10.0.0.50', '10.0.0.60'), pool('10.0.0.10', '10.0.0.20')] },
      { allocation_pools: [pool('10.0.0.50', '10.0.0.60'), pool('10.0.0.10', '10.0.0.20')] },
    ],
  ])('%s', async (_, body, expected) => {
    expect(await make(await world.create('network', {}), body)).toMatchObject(expected);
  });

  const CIDR = { cidr: '10.0.0.0/24' };
  const V6 = { ip_version: 6, cidr: 'fd00::/64' };
  const SMALL = { cidr: '10.0.0.0/31', enable_dhcp: false };
  test.each<[string, Resource, string, number]>([
    ['no cidr', {}, 'BadRequest', 400],
    ['a subnet pool that does not exist', { subnetpool_id: crypto.randomUUID() }, 'SubnetPoolNotFound', 404],
    ['a cidr of the other version', { ip_version: 6, cidr: '10.0.0.0/24' }, 'InvalidInput', 400],
    ['everything', { cidr: '0.0.0.0/0' }, 'InvalidInput', 400],
    ['multicast', { cidr: '224.0.0.0/24' }, 'InvalidInput', 400],
    ['loopback', { cidr: '127.0.0.0/24' }, 'InvalidInput', 400],
    ['0.0.0.0 with DHCP', { cidr: '0.0.0.0/24' }, 'InvalidInput', 400],
    ["the IPv6 network '::'", { ip_version: 6, cidr: '::/64' }, 'InvalidInput', 400],
    ['an end of a /31 as gateway', { ...SMALL, gateway_ip: '10.0.0.1' }, 'InvalidInput', 400],
    ['a /31 without room for a gateway', SMALL, 'IpamValueInvalid', 409],
    ['a name server of the other version', { ...CIDR, dns_nameservers: ['fd00::53'] }, 'InvalidInput', 400],
    ['a /31 with DHCP', { cidr: '10.0.0.0/31' }, 'InvalidInput', 400],
    ['a /32 with DHCP', { cidr: '10.0.0.0/32' }, 'InvalidInput', 400],
    ['the broadcast address as gateway', { ...CIDR, gateway_ip: '10.0.0.255' }, 'InvalidInput', 400],
    ['the network address as gateway', { ...CIDR, gateway_ip: '10.0.0.0' }, 'InvalidInput', 400],
    ['a gateway of the other version', { ...CIDR, gateway_ip: 'fd00::1' }, 'InvalidInput', 400],
    ['a pool outside', { ...CIDR, allocation_pools: [pool('10.0.1.2', '10.0.1.9')] }, 'OutOfBoundsAllocationPool', 400],
    [
      'a pool with the broadcast address',
      { ...CIDR, allocation_pools: [pool('10.0.0.2', '10.0.0.255')] },
      'OutOfBoundsAllocationPool',
      400,
    ],
    ['a reversed pool', { ...CIDR, allocation_pools: [pool('10.0.0.9', '10.0.0.2')] }, 'InvalidAllocationPool', 400],
    [
      'a pool of the other version',
      { ...CIDR, allocation_pools: [pool('fd00::1', 'fd00::2')] },
      'InvalidAllocationPool',
      400,
    ],
    [
      'overlapping pools',
      { ...CIDR, allocation_pools: [pool('10.0.0.2', '10.0.0.9'), pool('10.0.0.9', '10.0.0.12')] },
      'OverlappingAllocationPools',
      409,
    ],
    [
      'a gateway in a pool',
      { ...CIDR, gateway_ip: '10.0.0.5', allocation_pools: [pool('10.0.0.2', '10.0.0.10')] },
      'GatewayConflictWithAllocationPools',
      409,
    ],
    [
      'the default gateway in a pool',
      { ...CIDR, allocation_pools: [pool('10.0.0.1', '10.0.0.10')] },
      'GatewayConflictWithAllocationPools',
      409,
    ],
    [
      'six name servers',
      { ...CIDR, dns_nameservers: ['1', '2', '3', '4', '5', '6'].map((n) => `9.9.9.${n}`) },
      'DNSNameServersExhausted',
      400,
    ],
    [
      'too many routes',
      {
        ...CIDR,
        host_routes: Array.from({ length: 21 }, (_, n) => ({ destination: `10.${n}.0.0/24`, nexthop: '10.0.0.9' })),
      },
      'HostRoutesExhausted',
      400,
    ],
    [
      'a route of the other version',
      { ...CIDR, host_routes: [{ destination: 'fd00::/64', nexthop: '10.0.0.9' }] },
      'InvalidInput',
      400,
    ],
    ['IPv6 modes on IPv4', { ...CIDR, ipv6_ra_mode: 'slaac' }, 'InvalidInput', 400],
    [
      'IPv6 modes that differ',
      { ...V6, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'dhcpv6-stateful' },
      'InvalidInput',
      400,
    ],
    ['IPv6 modes without DHCP', { ...V6, ipv6_ra_mode: 'slaac', enable_dhcp: false }, 'InvalidInput', 400],
    ['SLAAC on another prefix than /64', { ...slaac('fd00::/80') }, 'InvalidInput', 400],
  ])('%s is refused and leaves nothing behind', async (_, body, type, status) => {
    const network = await world.create('network', {});
    const before = await world.snapshot();
    expect(await refusal(make(network, body))).toMatchObject({ type, status });
    expect(await world.snapshot()).toEqual(before);
  });

  test('a network that is absent or not visible is not found', async () => {
    const foreign = await world.create('network', {}, BOB);
    const nowhere = { ...foreign, id: crypto.randomUUID() };
    for (const network of [foreign, nowhere]) {
      expect(await refusal(make(network, CIDR, ALICE))).toMatchObject({ type: 'NetworkNotFound', status: 404 });
    }
  });

  test('subnets of one network do not overlap, whoever comes first; other networks are free', async () => {
    const network = await world.create('network', {});
    const cidrs = ['10.0.0.0/24', '10.0.0.128/25', '10.0.0.0/16', '10.0.0.64/26', '10.0.0.0/24'];
    const results = await Promise.allSettled(cidrs.map((cidr) => make(network, { cidr })));
    const made = await world.list('subnet');
    const winners = results.filter(({ status }) => status === 'fulfilled').length;
    expect(made).toHaveLength(winners);
    expect(winners).toBeGreaterThanOrEqual(1);
    // .128/25 and .64/26 can stand beside each other; nothing else can.
    expect(winners).toBeLessThanOrEqual(2);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'InvalidInput', status: 400 });
    }
    await make(await world.create('network', {}), { cidr: '10.0.0.0/16' });
  });

  test('a bulk request whose subnets overlap is refused as a whole', async () => {
    const { id: network_id } = await world.create('network', {});
    const bodies = ['10.0.0.0/24', '10.0.0.0/25'].map((cidr) => ({ network_id, ip_version: 4, cidr }));
    expect(await refusal(world.call('create_subnet_bulk', { bodies }))).toMatchObject({ type: 'InvalidInput' });
    expect(await world.list('subnet')).toEqual([]);
  });

  test('existing ports get their address in a new SLAAC subnet, router ports do not', async () => {
    const { network } = await world.lan();
    const port = await world.create('port', { network_id: network.id, mac_address: 'fa:16:3e:12:34:56' });
    const router = await world.create('port', { network_id: network.id, device_owner: 'network:router_interface' });
    const subnet = await make(network, slaac('fd00:aa::/64'));
    const after = await world.show('port', port.id);
    expect(after.fixed_ips).toEqual([
      ...port.fixed_ips,
      { subnet_id: subnet.id, ip_address: 'fd00:aa::f816:3eff:fe12:3456' },
    ]);
    expect(after.revision_number).toBe(port.revision_number + 1);
    expect(addresses(await world.show('port', router.id))).toHaveLength(1);
  });

  test('ports get addresses only in SLAAC subnets whose service types are for them', async () => {
    const { network } = await world.lan();
    const [nova, other] = [
      await world.create('port', { network_id: network.id, device_owner: 'compute:nova' }),
      await world.create('port', { network_id: network.id }),
    ];
    await make(network, { ...slaac('fd00:aa::/64'), service_types: ['compute:nova'] });
    expect(addresses(await world.show('port', nova.id))).toHaveLength(2);
    expect(await world.show('port', other.id)).toEqual(other);
  });

  test('several SLAAC subnets in one request take as many statements as one', async () => {
    const count = async (cidrs: readonly string[]) => {
      const { network } = await world.lan();
      for (let n = 0; n < 3; n++) await world.create('port', { network_id: network.id });
      const bodies = cidrs.map((cidr) => ({ network_id: network.id, ...slaac(cidr) }));
      const statements = await world.statements(() => world.call('create_subnet_bulk', { bodies }));
      const [port] = await world.list('port', { filters: [filter('network_id', network.id)] });
      expect(addresses(port!)).toHaveLength(1 + cidrs.length);
      return statements;
    };
    expect(await count(['fd00:1::/64', 'fd00:2::/64', 'fd00:3::/64'])).toBe(await count(['fd00:1::/64']));
  });

  test('ports made while a SLAAC subnet is made all get its address', async () => {
    const { network } = await world.lan();
    const work: Promise<unknown>[] = Array.from({ length: 6 }, () => world.create('port', { network_id: network.id }));
    work.splice(3, 0, make(network, slaac('fd00:aa::/64')));
    await Promise.all(work);
    for (const port of await world.list('port')) expect(addresses(port)).toHaveLength(2);
  });
});

describe('update_subnet', () => {
  test('changes what is asked, its revision once and the revision of its network', async () => {
    const { network, subnet } = await world.lan();
    const changed = {
      name: 's2',
      description: 'x',
      enable_dhcp: false,
      dns_nameservers: ['8.8.8.8'],
      host_routes: [{ destination: '10.9.0.0/24', nexthop: '10.0.0.7' }],
      service_types: ['compute:nova'],
      gateway_ip: '10.0.0.200',
      allocation_pools: [pool('10.0.0.2', '10.0.0.100')],
    };
    const updated = await world.update('subnet', subnet.id, changed);
    expect(updated).toEqual({ ...subnet, ...changed, revision_number: 1, updated_at: updated['updated_at'] });
    expect(await world.show('network', network.id)).toMatchObject({ revision_number: 3 });
    expect(await world.update('subnet', subnet.id, changed)).toEqual(updated);
    expect(await world.update('subnet', subnet.id, { gateway_ip: null })).toMatchObject({ gateway_ip: null });
  });

  test.each<[string, Resource, string, number]>([
    ['a gateway in the pool', { gateway_ip: '10.0.0.50' }, 'GatewayConflictWithAllocationPools', 409],
    [
      'a pool around the gateway',
      { allocation_pools: [pool('10.0.0.1', '10.0.0.60')] },
      'GatewayConflictWithAllocationPools',
      409,
    ],
    [
      'a pool beyond the subnet',
      { allocation_pools: [pool('10.0.0.10', '10.0.1.12')] },
      'OutOfBoundsAllocationPool',
      400,
    ],
    [
      'six name servers',
      { dns_nameservers: ['1', '2', '3', '4', '5', '6'].map((n) => `9.9.9.${n}`) },
      'DNSNameServersExhausted',
      400,
    ],
  ])('%s is refused', async (_, body, type, status) => {
    const { subnet } = await world.lan();
    expect(await refusal(world.update('subnet', subnet.id, body))).toMatchObject({ type, status });
    expect(await world.show('subnet', subnet.id)).toEqual(subnet);
  });

  test('DHCP cannot be turned on where it cannot work', async () => {
    const network = await world.create('network', {});
    const small = await make(network, { cidr: '10.0.9.0/31', enable_dhcp: false, gateway_ip: null });
    expect(await refusal(world.update('subnet', small.id, { enable_dhcp: true }))).toMatchObject({
      type: 'InvalidInput',
    });
    const v6 = await make(network, slaac('fd00::/64'));
    expect(await refusal(world.update('subnet', v6.id, { enable_dhcp: false }))).toMatchObject({
      type: 'InvalidInput',
    });
  });

  test('the gateway of a router that is there stays', async () => {
    const { network, subnet } = await world.lan();
    const fixed_ips = [{ ip_address: '10.0.0.1' }];
    const device_owner = 'network:router_interface';
    await world.create('port', { network_id: network.id, fixed_ips, device_owner });
    for (const gateway_ip of [null, '192.168.0.1']) {
      const refused = await refusal(world.update('subnet', subnet.id, { gateway_ip }));
      expect(refused).toMatchObject({ type: 'GatewayIpInUse', status: 409 });
    }
    await world.update('subnet', subnet.id, { gateway_ip: '10.0.0.1', name: 'same' });
  });

  test('smaller pools keep ports outside, and new ports inside', async () => {
    const { network, subnet } = await world.lan();
    const port = await world.create('port', { network_id: network.id, fixed_ips: [{ ip_address: '10.0.0.200' }] });
    await world.update('subnet', subnet.id, { allocation_pools: [pool('10.0.0.10', '10.0.0.12')] });
    expect(addresses(await world.show('port', port.id))).toEqual(['10.0.0.200']);
    const [address] = addresses(await world.create('port', { network_id: network.id }));
    expect(['10.0.0.10', '10.0.0.11', '10.0.0.12']).toContain(address);
  });
});

describe('delete_subnet', () => {
  test('is refused while a port has an address in it', async () => {
    const { network, subnet } = await world.lan();
    await world.create('port', { network_id: network.id });
    const before = await world.snapshot();
    expect(await refusal(world.remove('subnet', subnet.id))).toMatchObject({ type: 'SubnetInUse', status: 409 });
    expect(await world.snapshot()).toEqual(before);
  });

  test('takes automatic addresses and those of the DHCP server from their ports', async () => {
    const { network, subnet } = await world.lan();
    const auto = await make(network, slaac('fd00:6::/64'));
    const port = await world.create('port', { network_id: network.id });
    expect(addresses(port)).toHaveLength(2);
    await world.remove('subnet', auto.id);
    expect((await world.show('port', port.id)).fixed_ips).toEqual([port.fixed_ips[0]]);
    await world.remove('port', port.id);
    const dhcp = await world.create('port', { network_id: network.id, device_owner: 'network:dhcp' });
    await world.remove('subnet', subnet.id);
    expect((await world.show('port', dhcp.id)).fixed_ips).toEqual([]);
    expect(await world.show('network', network.id)).toMatchObject({ subnets: [] });
  });

  test('of deletions and port creations at once, no port keeps an address of a subnet that is gone', async () => {
    const { network, subnet } = await world.lan();
    const work: Promise<unknown>[] = Array.from({ length: 6 }, () => world.create('port', { network_id: network.id }));
    work.splice(2, 0, world.remove('subnet', subnet.id), world.remove('subnet', subnet.id));
    for (const result of await Promise.allSettled(work)) {
      if (result.status === 'rejected') expect(['SubnetInUse', 'SubnetNotFound']).toContain(result.reason.type);
    }
    const left = await world.list('subnet');
    const ports = await world.list('port');
    expect(ports).toHaveLength(6);
    if (left.length === 0) for (const port of ports) expect(addresses(port)).toEqual([]);
  });
});

test('members see subnets of their own, of networks shared with them, and of external ones', async () => {
  const { subnet: own } = await world.lan({}, ALICE);
  const { subnet: hidden } = await world.lan({}, BOB);
  const shared = await make(await world.create('network', { shared: true }), { cidr: '10.0.0.0/24' });
  const outside = await make(await world.create('network', { 'router:external': true }), { cidr: '10.0.0.0/24' });
  const seen = await world.list('subnet', {}, ALICE);
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([own.id, shared.id, outside.id]));
  expect(await refusal(world.show('subnet', hidden.id, ALICE))).toMatchObject({ type: 'SubnetNotFound' });
});
