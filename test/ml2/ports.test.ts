/** Ports and their addresses through the plugin's verbs, on PostgreSQL. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { ALICE, addresses, BOB, refusal, type Thing, World } from './support.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());
afterEach(async () => {
  for (const port of await world.list('port')) await world.remove('port', port.id);
  for (const network of await world.list('network')) await world.remove('network', network.id);
  await world.notifications();
});

const make = (network: Thing, body: Resource = {}, context?: typeof ALICE) =>
  world.create('port', { network_id: network.id, ...body }, context);
const addSubnet = (network: Thing, body: Resource) =>
  world.create('subnet', { network_id: network.id, ip_version: 4, ...body });
const slaac = (cidr: string) => ({ ip_version: 6, cidr, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' });
const pool = (start: string, end: string) => [{ start, end }];

describe('create_port', () => {
  test('gives what Neutron gives', async () => {
    const { network, subnet } = await world.lan();
    const port = await make(network, { project_id: 'p1' });
    expect(port).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: '',
      network_id: network.id,
      tenant_id: 'p1',
      project_id: 'p1',
      mac_address: expect.stringMatching(/^fa:16:3e(:[0-9a-f]{2}){3}$/),
      admin_state_up: true,
      status: 'DOWN',
      device_id: '',
      device_owner: '',
      fixed_ips: [{ subnet_id: subnet.id, ip_address: expect.stringMatching(/^10\.0\.0\.\d+$/) }],
      allowed_address_pairs: [],
      extra_dhcp_opts: [],
      port_security_enabled: true,
      'binding:vnic_type': 'normal',
      'binding:profile': {},
      'binding:host_id': '',
      'binding:vif_type': 'unbound',
      'binding:vif_details': {},
      description: '',
      tags: [],
      revision_number: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await world.show('port', port.id)).toEqual(port);
    expect(await world.list('port')).toEqual([port]);
  });

  test('keeps what it is told', async () => {
    const { network, subnet } = await world.lan();
    const body = {
      name: 'p',
      description: 'd',
      mac_address: 'fa:16:3e:01:02:03',
      admin_state_up: false,
      device_id: 'vm1',
      device_owner: 'compute:nova',
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.0.0.90' }],
      'binding:host_id': 'host1',
      'binding:vnic_type': 'direct',
      'binding:profile': { slot: '0000:01:00.1' },
      extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
      allowed_address_pairs: [{ ip_address: '10.0.0.99', mac_address: 'fa:16:3e:01:02:03' }],
      port_security_enabled: true,
    };
    expect(await make(network, body)).toMatchObject(body);
  });

  test('the network decides on port security where the port says nothing', async () => {
    const network = await world.create('network', { port_security_enabled: false });
    expect(await make(network)).toMatchObject({ port_security_enabled: false, fixed_ips: [] });
    const refused = await refusal(make(network, { allowed_address_pairs: [{ ip_address: '10.0.0.9' }] }));
    expect(refused).toMatchObject({ type: 'AddressPairAndPortSecurityRequired', status: 409 });
    expect(await make(network, { port_security_enabled: true })).toMatchObject({ port_security_enabled: true });
  });

  test('a pair that is its own twin once the MAC address is filled in is refused', async () => {
    const { network } = await world.lan();
    const mac_address = 'fa:16:3e:01:02:03';
    const allowed_address_pairs = [{ ip_address: '10.0.0.9' }, { ip_address: '10.0.0.9', mac_address }];
    const refused = await refusal(make(network, { mac_address, allowed_address_pairs }));
    expect(refused).toMatchObject({ type: 'DuplicateAddressPairInRequest', status: 400 });
  });

  test('without fixed_ips: one address per IP version, and one in every SLAAC subnet', async () => {
    const { network } = await world.lan();
    await addSubnet(network, { cidr: '10.0.1.0/24' });
    await addSubnet(network, { ip_version: 6, cidr: 'fd00:10::/64' });
    await addSubnet(network, slaac('fd00:11::/64'));
    await addSubnet(network, {
      ...slaac('fd00:12::/64'),
      ipv6_ra_mode: 'dhcpv6-stateless',
      ipv6_address_mode: 'dhcpv6-stateless',
    });
    const port = await make(network, { mac_address: 'fa:16:3e:12:34:56' });
    expect(addresses(port)).toEqual([
      expect.stringMatching(/^10\.0\.0\./),
      expect.stringMatching(/^fd00:10::/),
      'fd00:11::f816:3eff:fe12:3456',
      'fd00:12::f816:3eff:fe12:3456',
    ]);
    const router = await make(network, { device_owner: 'network:router_interface' });
    expect(addresses(router)).toEqual([expect.stringMatching(/^10\.0\.0\./), expect.stringMatching(/^fd00:10::/)]);
  });

  test('fixed_ips: by subnet, by address, by both, none, and in the order asked for', async () => {
    const { network, subnet } = await world.lan();
    const other = await addSubnet(network, { cidr: '10.0.1.0/24' });
    expect(addresses(await make(network, { fixed_ips: [] }))).toEqual([]);
    expect((await make(network, { fixed_ips: [{ subnet_id: other.id }] })).fixed_ips).toMatchObject([
      { subnet_id: other.id },
    ]);
    const asked = [
      { ip_address: '10.0.1.90' },
      { subnet_id: subnet.id, ip_address: '10.0.0.20' },
      { ip_address: '10.0.1.55' },
    ];
    const port = await make(network, { fixed_ips: asked });
    expect(addresses(port)).toEqual(['10.0.1.90', '10.0.0.20', '10.0.1.55']);
    expect(await world.show('port', port.id)).toEqual(port);
  });

  test('service types choose the subnet', async () => {
    const network = await world.create('network', {});
    await addSubnet(network, { cidr: '10.0.1.0/24', service_types: ['network:dhcp'] });
    const refused = await refusal(make(network, { device_owner: 'compute:nova' }));
    expect(refused).toMatchObject({ type: 'IpAddressGenerationFailureNoMatchingSubnet', status: 409 });
    await addSubnet(network, { cidr: '10.0.2.0/24' });
    await addSubnet(network, { cidr: '10.0.3.0/24', service_types: ['compute:nova'] });
    for (const [device_owner, prefix] of [
      ['network:dhcp', '10.0.1.'],
      ['compute:nova', '10.0.3.'],
      ['', '10.0.2.'],
    ]) {
      expect(addresses(await make(network, { device_owner }))[0]).toContain(prefix);
    }
  });

  test.each<[string, (given: { subnet: Thing; auto: Thing; foreign: Thing }) => readonly Resource[], string, number]>([
    ['an address of no subnet', () => [{ ip_address: '192.168.9.9' }], 'InvalidIpForNetwork', 400],
    ['the broadcast address', () => [{ ip_address: '10.0.0.255' }], 'InvalidIpForNetwork', 400],
    [
      'an address of another subnet',
      ({ subnet }) => [{ subnet_id: subnet.id, ip_address: '192.168.9.9' }],
      'InvalidIpForSubnet',
      400,
    ],
    [
      'the network address',
      ({ subnet }) => [{ subnet_id: subnet.id, ip_address: '10.0.0.0' }],
      'InvalidIpForSubnet',
      400,
    ],
    ['a subnet of another network', ({ foreign }) => [{ subnet_id: foreign.id }], 'InvalidInput', 400],
    ['a subnet that does not exist', () => [{ subnet_id: crypto.randomUUID() }], 'SubnetNotFound', 404],
    [
      'a chosen address where addresses are automatic',
      ({ auto }) => [{ subnet_id: auto.id, ip_address: 'fd00:1::99' }],
      'AllocationOnAutoAddressSubnet',
      400,
    ],
    ['an address that a port has', () => [{ ip_address: '10.0.0.9' }], 'IpAddressAlreadyAllocated', 409],
    ['an entry that says nothing', () => [{}], 'InvalidInput', 400],
  ])('%s is refused and leaves nothing behind', async (_, fixedIps, type, status) => {
    const { network, subnet } = await world.lan();
    const auto = await addSubnet(network, slaac('fd00:1::/64'));
    const { subnet: foreign } = await world.lan();
    await make(network, { fixed_ips: [{ ip_address: '10.0.0.9' }] });
    const before = await world.snapshot();
    const fixed_ips = fixedIps({ subnet, auto, foreign });
    expect(await refusal(make(network, { fixed_ips }))).toMatchObject({ type, status });
    expect(await world.snapshot()).toEqual(before);
  });

  test('a MAC address is once per network', async () => {
    const { network } = await world.lan();
    const mac_address = 'fa:16:3e:11:22:33';
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => make(network, { mac_address })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of tries) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'MacAddressInUse', status: 409 });
    }
    expect(await make((await world.lan()).network, { mac_address })).toMatchObject({ mac_address });
    const bodies = ['fa:16:3e:aa:aa:aa', 'fa:16:3e:aa:aa:aa'].map((mac) => ({
      network_id: network.id,
      mac_address: mac,
    }));
    expect(await refusal(world.call('create_port_bulk', { bodies }))).toMatchObject({ type: 'MacAddressInUse' });
  });

  test('a network that is absent or not visible is not found', async () => {
    const foreign = await world.create('network', {}, BOB);
    for (const network of [foreign, { ...foreign, id: crypto.randomUUID() }]) {
      expect(await refusal(make(network, {}, ALICE))).toMatchObject({ type: 'NetworkNotFound', status: 404 });
    }
  });
});

describe('allocation', () => {
  test('forty at once get forty distinct addresses', async () => {
    const { network } = await world.lan({ cidr: '10.0.0.0/26' });
    const ports = await Promise.all(Array.from({ length: 40 }, () => make(network)));
    expect(new Set(ports.flatMap(addresses)).size).toBe(40);
  });

  test('six who want three addresses: three get one, three are refused; what comes back is given again', async () => {
    const { network } = await world.lan({ allocation_pools: pool('10.0.0.2', '10.0.0.4'), enable_dhcp: false });
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => make(network)));
    const made = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(made.flatMap(addresses).toSorted()).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4']);
    for (const result of tries) {
      if (result.status === 'fulfilled') continue;
      expect(result.reason).toMatchObject({ type: 'IpAddressGenerationFailure', status: 409 });
      expect(result.reason.message).toContain(network.id);
    }
    await world.remove('port', made[1]!.id);
    expect(addresses(await make(network))).toEqual(addresses(made[1]!));
  });

  test('the last address goes to who waits when the first rolls back', async () => {
    const { network } = await world.lan({ allocation_pools: pool('10.0.0.7', '10.0.0.7') });
    const stop = world.callbacks.subscribe('port', 'precommit_create', async ({ latest }) => {
      if ((latest as Thing)['name'] === 'fails') throw new Error('rolled back');
    });
    const [failed, waiting] = await Promise.allSettled([make(network, { name: 'fails' }), make(network)]);
    stop();
    expect(failed.status).toBe('rejected');
    // It came second and waited, or came first: either way it has the address.
    expect(waiting.status === 'fulfilled' && addresses(waiting.value)).toEqual(['10.0.0.7']);
  });

  test('a full subnet is passed over for the next', async () => {
    const { network } = await world.lan({ allocation_pools: pool('10.0.0.7', '10.0.0.7') });
    await addSubnet(network, { cidr: '10.0.1.0/24', allocation_pools: pool('10.0.1.8', '10.0.1.8') });
    const found = await Promise.all([make(network), make(network)]);
    expect(found.flatMap(addresses).toSorted()).toEqual(['10.0.0.7', '10.0.1.8']);
  });

  test('several pools are used to the last address', async () => {
    const allocation_pools = [...pool('10.0.0.20', '10.0.0.21'), ...pool('10.0.0.5', '10.0.0.5')];
    const { network } = await world.lan({ allocation_pools });
    const made = [await make(network), await make(network), await make(network)];
    expect(new Set(made.flatMap(addresses))).toEqual(new Set(['10.0.0.20', '10.0.0.21', '10.0.0.5']));
    expect(await refusal(make(network))).toMatchObject({ type: 'IpAddressGenerationFailure' });
  });

  test('concurrent bulk requests fill a pool exactly', async () => {
    const { network } = await world.lan({ allocation_pools: pool('10.0.0.2', '10.0.0.41') });
    const bodies = Array.from({ length: 10 }, () => ({ network_id: network.id }));
    const made = await Promise.all(
      Array.from({ length: 4 }, () => world.call<readonly Thing[]>('create_port_bulk', { bodies })),
    );
    expect(new Set(made.flat().flatMap(addresses)).size).toBe(40);
    const before = await world.snapshot();
    expect(await refusal(world.call('create_port_bulk', { bodies }))).toMatchObject({
      type: 'IpAddressGenerationFailure',
    });
    expect(await world.snapshot()).toEqual(before);
  });

  test('a bulk request takes as many statements for forty ports as for four', async () => {
    const { network } = await world.lan({ cidr: '10.0.0.0/8' });
    const bulk = (count: number) =>
      world.call<readonly Thing[]>('create_port_bulk', {
        bodies: Array.from({ length: count }, (_, index) => ({ network_id: network.id, name: `p${index}` })),
      });
    await bulk(1);
    const few = await world.statements(() => bulk(4));
    let made: readonly Thing[] = [];
    const many = await world.statements(async () => {
      made = await bulk(40);
    });
    expect(many).toBe(few);
    expect(made.map((port) => port['name'])).toEqual(Array.from({ length: 40 }, (_, index) => `p${index}`));
  });
});

describe('update_port', () => {
  test('changes what is asked, and the revision once', async () => {
    const { network, subnet } = await world.lan();
    const port = await make(network);
    const changed = {
      name: 'x',
      admin_state_up: false,
      device_id: 'vm2',
      device_owner: 'compute:az1',
      mac_address: 'fa:16:3e:99:99:99',
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.0.0.77' }],
      'binding:host_id': 'host2',
      'binding:profile': { a: 1 },
      extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
      allowed_address_pairs: [{ ip_address: '10.0.0.99', mac_address: 'fa:16:3e:aa:aa:aa' }],
    };
    const updated = await world.update('port', port.id, changed);
    // There is no driver that would bind it.
    const bound = { 'binding:vif_type': 'binding_failed', revision_number: 3 };
    expect(updated).toEqual({ ...port, ...changed, ...bound, updated_at: updated['updated_at'] });
    expect(await world.show('port', port.id)).toEqual(updated);
    expect(await world.update('port', port.id, changed)).toEqual(updated);
  });

  test('addresses are kept where they can be', async () => {
    const { network, subnet } = await world.lan();
    const port = await make(network);
    const [kept] = addresses(port);
    const both = await world.update('port', port.id, {
      fixed_ips: [{ subnet_id: subnet.id }, { ip_address: '10.0.0.77' }],
    });
    expect(new Set(addresses(both))).toEqual(new Set([kept, '10.0.0.77']));
    const one = await world.update('port', port.id, { fixed_ips: [{ ip_address: '10.0.0.77' }] });
    expect(addresses(one)).toEqual(['10.0.0.77']);
    expect(addresses(await world.update('port', port.id, { fixed_ips: [] }))).toEqual([]);
    expect(addresses(await make(network, { fixed_ips: [{ ip_address: kept }] }))).toEqual([kept]);
  });

  test('an automatic address stays until its subnet is dropped, and follows the MAC address', async () => {
    const { network, subnet } = await world.lan();
    const auto = await addSubnet(network, slaac('fd00:31::/64'));
    const port = await make(network, { mac_address: 'fa:16:3e:00:00:01' });
    const fixed_ips = [{ subnet_id: subnet.id }];
    expect(addresses(await world.update('port', port.id, { fixed_ips }))).toEqual(addresses(port));
    const moved = await world.update('port', port.id, { mac_address: 'fa:16:3e:00:00:02' });
    expect(addresses(moved)).toEqual([addresses(port)[0], 'fd00:31::f816:3eff:fe00:2']);
    const drop = [{ subnet_id: subnet.id }, { subnet_id: auto.id, delete_subnet: true }];
    expect(addresses(await world.update('port', port.id, { fixed_ips: drop }))).toEqual([addresses(port)[0]]);
    const back = await world.update('port', port.id, { fixed_ips: [{ subnet_id: subnet.id }, { subnet_id: auto.id }] });
    expect(addresses(back)).toEqual(addresses(moved));
  });

  test('extra DHCP options are replaced by name and removed by null', async () => {
    const { network } = await world.lan();
    const option = (opt_name: string, opt_value: string | null) => ({ opt_name, opt_value, ip_version: 4 });
    const port = await make(network, { extra_dhcp_opts: [option('a', '1'), option('b', '2')] });
    const changes = [option('a', null), option('b', '3'), option('c', '4')];
    const updated = await world.update('port', port.id, { extra_dhcp_opts: changes });
    expect(updated['extra_dhcp_opts']).toEqual([option('b', '3'), option('c', '4')]);
  });

  test('port security cannot go while there are address pairs', async () => {
    const { network } = await world.lan();
    const port = await make(network, { allowed_address_pairs: [{ ip_address: '10.0.0.9' }] });
    const off = { port_security_enabled: false };
    const refused = await refusal(world.update('port', port.id, off));
    expect(refused).toMatchObject({ type: 'AddressPairAndPortSecurityRequired', status: 409 });
    const both = { ...off, allowed_address_pairs: [] };
    expect(await world.update('port', port.id, both)).toMatchObject(both);
  });

  test('a taken MAC address or IP address is refused and changes nothing', async () => {
    const { network } = await world.lan();
    const other = await make(network);
    const port = await make(network);
    const before = await world.snapshot();
    const takenMac = await refusal(world.update('port', port.id, { name: 'x', mac_address: other.mac_address }));
    expect(takenMac).toMatchObject({ type: 'MacAddressInUse', status: 409 });
    expect(takenMac.message).toContain(network.id);
    const fixed_ips = [{ ip_address: addresses(other)[0]! }];
    const takenIp = await refusal(world.update('port', port.id, { name: 'x', fixed_ips }));
    expect(takenIp).toMatchObject({ type: 'IpAddressAlreadyAllocated', status: 409 });
    expect(await world.snapshot()).toEqual(before);
  });

  test('two who swap addresses at once end with distinct addresses', async () => {
    const { network } = await world.lan();
    const [a, b] = [await make(network), await make(network)];
    const swap = (port: Thing, to: Thing) =>
      world.update('port', port.id, { fixed_ips: [{ ip_address: addresses(to)[0]! }] });
    await Promise.allSettled([swap(a, b), swap(b, a)]);
    const now = (await world.list('port')).flatMap(addresses);
    expect(new Set(now).size).toBe(2);
  });
});

describe('delete_port', () => {
  test('of several at once, one deletes and the others do not find it; quota is given back once', async () => {
    const { network } = await world.lan();
    const port = await make(network, { project_id: 'dave' });
    const tries = await Promise.allSettled(Array.from({ length: 4 }, () => world.remove('port', port.id)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of tries) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'PortNotFound', status: 404 });
    }
    expect(await world.quota.details('dave')).toMatchObject({ port: { used: 0 } });
  });

  test('what is no id at all is not found either', async () => {
    for (const verb of ['get_port', 'update_port', 'delete_port']) {
      expect(await refusal(world.call(verb, { id: 'x', body: {} }))).toMatchObject({ type: 'PortNotFound' });
    }
  });
});

describe('what agents are told', () => {
  test('a change goes to the host, a move to the host that is left, a name to nobody, a deletion to the host', async () => {
    const { network } = await world.lan();
    const port = await make(network, { 'binding:host_id': 'h1' });
    const bind = () => world.database.sql`update port_bindings set vif_type = 'ovs' where port_id = ${port.id}`;
    await bind();
    await world.update('port', port.id, { name: 'x' });
    expect(await world.notifications()).toEqual([]);
    const down = await world.update('port', port.id, { admin_state_up: false });
    const [told, ...more] = await world.notifications();
    expect(more).toEqual([]);
    expect(told).toMatchObject({ topic: 'q-agent-notifier-port-update', host: 'h1' });
    expect(told?.message).toMatchObject({
      method: 'port_update',
      version: '1.0',
      args: {
        port: down,
        network_type: 'vxlan',
        physical_network: null,
        segmentation_id: network['provider:segmentation_id'],
      },
    });
    await world.update('port', port.id, { 'binding:host_id': 'h2' });
    // The other host hears of it when it is bound there.
    expect((await world.notifications()).map(({ host }) => host)).toEqual(['h1']);
    await world.remove('port', port.id);
    const [gone] = await world.notifications();
    expect(gone).toMatchObject({ topic: 'q-agent-notifier-port-delete', host: 'h2' });
    expect(gone?.message).toMatchObject({ method: 'port_delete', args: { port_id: port.id }, version: '1.0' });
  });

  test('a port that is not bound concerns nobody', async () => {
    const { network } = await world.lan();
    const port = await make(network);
    await world.update('port', port.id, { admin_state_up: false });
    await world.remove('port', port.id);
    expect(await world.notifications()).toEqual([]);
  });
});

test('members see their own ports and those on their networks', async () => {
  const { network } = await world.lan({}, ALICE);
  const shared = await world.create('network', { shared: true });
  const own = await make(shared, {}, ALICE);
  const onMine = await make(network, { project_id: 'bob' });
  const foreign = await make(shared, {}, BOB);
  const seen = await world.list('port', {}, ALICE);
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([own.id, onMine.id]));
  expect(await refusal(world.show('port', foreign.id, ALICE))).toMatchObject({ type: 'PortNotFound' });
  expect(await refusal(world.remove('port', foreign.id, ALICE))).toMatchObject({ type: 'PortNotFound' });
});
