/** What DHCP agents ask, and what they are answered: shapes as Neutron's, and nothing of networks that they do not serve. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { EVERY_PLUGIN } from '../security/areas/mod.ts';
import { admin } from '../support/stack.ts';
import { COMPUTE_PORT, DHCP_PORT, NETWORK, NETWORK_INFO, SUBNET_V4, SUBNET_V6 } from './observed.ts';
import { DhcpCloud } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: attributes and answers of any shape
type Anything = any;

const PROJECT = 'a'.repeat(32);
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const KINDS: Readonly<Record<string, RegExp>> = {
  '<uuid>': UUID,
  '<ip>': /^[0-9a-f.:]+$/,
  '<cidr>': /^[0-9a-f.:]+\/\d+$/,
  '<mac>': /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/,
  '<time>': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  '<number>': /^\d+$/,
  '<str>': /^.+$/,
  '<assignment>': /^<assignment>$/,
};
/**
 * What may be missing: attributes of extensions that are not served (QoS, and VLAN tags of tenants, which the loaded drivers do
 * not know), and keys of Neutron's tables.
 */
const MAY_BE_MISSING = [
  ...['qos_policy_id', 'qos_network_policy_id', 'resource_request', 'qinq', 'vlan_transparent'],
  ...['standard_attr_id', 'ip_allocation'],
];
/** Neutron tells the first of external networks alone; the second is ours. */
const MAY_BE_MORE = ['is_default'];

/** Where the two differ, by path. */
function differences(observed: Anything, actual: Anything, path = ''): readonly string[] {
  if (typeof observed === 'string' && observed in KINDS) {
    return KINDS[observed]!.test(String(actual)) ? [] : [`${path}: ${actual} is no ${observed}`];
  }
  if (Array.isArray(observed)) {
    if (observed.length !== actual?.length) return [`${path}: ${JSON.stringify(actual)}`];
    return observed.flatMap((value, n) => differences(value, actual[n], `${path}[${n}]`));
  }
  if (typeof observed === 'object' && observed !== null) {
    const names = new Set([...Object.keys(observed), ...Object.keys(actual ?? {})]);
    return [...names].flatMap((name) => {
      if (!(name in observed)) return MAY_BE_MORE.includes(name) ? [] : [`${path}.${name} is more than Neutron tells`];
      if (!(name in (actual ?? {}))) return MAY_BE_MISSING.includes(name) ? [] : [`${path}.${name} is missing`];
      return differences(observed[name], actual[name], `${path}.${name}`);
    });
  }
  return observed === actual ? [] : [`${path}: ${actual} in place of ${observed}`];
}

let cloud: DhcpCloud;
beforeAll(async () => {
  cloud = await DhcpCloud.start('dhcp_rpc', EVERY_PLUGIN);
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  await cloud.clear();
  await cloud.agent('host1', { zone: 'nova' });
});

const device = (network_id: string, host = 'host1') => dhcpDeviceId(network_id, host);

/** What an agent sends to have a port. */
const wanted = async (network: Anything, host = 'host1') => ({
  host,
  port: {
    port: {
      name: '',
      admin_state_up: true,
      device_owner: 'network:dhcp',
      network_id: network.id,
      tenant_id: network.project_id,
      mac_address: null,
      fixed_ips: [{ subnet_id: network.subnet_id }],
      device_id: await device(network.id, host),
    },
  },
});

const create = async (network: Anything, host = 'host1') =>
  await cloud.call(host, 'create_dhcp_port', await wanted(network, host));

describe('answers have the shapes of Neutron', () => {
  let network: Anything;
  let dhcp: Anything;
  beforeEach(async () => {
    const as = { project: PROJECT, roles: 'admin' } as const;
    network = await cloud.stack.create(
      'network',
      { name: 'n2', 'provider:network_type': 'vxlan', 'provider:segmentation_id': 77 },
      as,
    );
    const host_routes = [{ destination: '10.9.0.0/24', nexthop: '10.0.0.9' }];
    const v4 = await cloud.stack.create(
      'subnet',
      {
        network_id: network.id,
        name: 's2',
        cidr: '10.0.0.0/24',
        ip_version: 4,
        host_routes,
        dns_nameservers: ['10.0.0.8'],
      },
      as,
    );
    const modes = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
    await cloud.stack.create('subnet', { network_id: network.id, cidr: '2001:db8::/64', ip_version: 6, ...modes }, as);
    network = { ...network, subnet_id: v4.id };
    const wants = await wanted(network);
    wants.port.port.fixed_ips = [{ subnet_id: v4.id }];
    dhcp = await cloud.call('host1', 'create_dhcp_port', wants);
    await cloud.stack.create(
      'port',
      {
        name: 'x',
        network_id: network.id,
        device_id: 'vm1',
        device_owner: 'compute:nova',
        'binding:host_id': 'host1',
        allowed_address_pairs: [{ ip_address: '10.0.0.200' }],
        extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400' }],
      },
      as,
    );
  });

  /** Of an address, our words: which one is free and when is not the same. */
  const named = (port: Anything) => ({ ...port, dns_assignment: ['<assignment>'] });
  const observedPort = (port: Anything, actual: Anything) => ({
    ...port,
    fixed_ips: actual.fixed_ips.map(() => port.fixed_ips[0]),
    status: actual.status,
  });

  test('create_dhcp_port and get_dhcp_port', async () => {
    expect(differences(observedPort(DHCP_PORT, dhcp), named(dhcp))).toEqual([]);
    const got = await cloud.call('host1', 'get_dhcp_port', { port_id: dhcp.id });
    expect(got).toEqual(dhcp);
  });

  test('get_network_info', async () => {
    const info = await cloud.call('host1', 'get_network_info', { network_id: network.id, host: 'host1' });
    const bySubnet = (subnet: Anything) => (subnet.ip_version === 4 ? SUBNET_V4 : SUBNET_V6);
    const byPort = (port: Anything) => observedPort(port.id === dhcp.id ? DHCP_PORT : COMPUTE_PORT, port);
    const observed = { ...NETWORK_INFO, subnets: info.subnets.map(bySubnet), ports: info.ports.map(byPort) };
    expect(differences(observed, { ...info, ports: info.ports.map(named) })).toEqual([]);
    expect(info.ports).toHaveLength(2);
    expect(info.subnets.map(({ id }: Anything) => id)).toEqual(info.subnets.map(({ id }: Anything) => id).toSorted());
  });

  test('get_active_networks_info', async () => {
    const infos = await cloud.call('host1', 'get_active_networks_info', { host: 'host1', enable_dhcp_filter: false });
    expect(infos).toEqual([await cloud.call('host1', 'get_network_info', { network_id: network.id, host: 'host1' })]);
  });

  test('get_networks', async () => {
    const filters = { id: [network.id] };
    const [got] = await cloud.call('host1', 'get_networks', { filters, fields: null });
    // What is undefined is not sent.
    const sent = JSON.parse(JSON.stringify(got));
    expect(differences({ ...NETWORK, subnets: sent.subnets.map(() => '<uuid>') }, sent)).toEqual([]);
    expect(await cloud.call('host1', 'get_networks', { filters, fields: ['id', 'mtu'] })).toEqual([
      { id: network.id, mtu: 1450 },
    ]);
    expect(await cloud.call('host1', 'get_networks', { filters: { name: ['other'] } })).toEqual([]);
  });

  test('what answers nothing', async () => {
    expect(await cloud.call('host1', 'get_network_info', { network_id: 'x', host: 'host1' })).toBeNull();
    expect(await cloud.call('host1', 'dhcp_ready_on_ports', { port_ids: [dhcp.id] })).toBeNull();
    const device_id = await device(network.id);
    const release = { network_id: network.id, device_id, host: 'host1' };
    expect(await cloud.call('host1', 'release_dhcp_port', release)).toBeNull();
    expect((await cloud.request('GET', `ports/${dhcp.id}`)).status).toBe(404);
    expect(await cloud.call('host1', 'release_dhcp_port', release)).toBeNull();
  });
});

describe('the ports of agents', () => {
  test('asking twice gives the same port, bound to the host, of the network’s project', async () => {
    const network = await cloud.lan();
    const port = await create(network);
    expect(port).toMatchObject({
      device_owner: 'network:dhcp',
      device_id: await device(network.id),
      'binding:host_id': 'host1',
      'binding:vif_type': 'ovs',
      project_id: network.project_id,
      port_security_enabled: false,
      security_groups: [],
    });
    expect((await create(network)).id).toBe(port.id);
  });

  test('nothing else than its own is an agent’s to decide', async () => {
    const network = await cloud.lan();
    const { port } = await wanted(network);
    const more = {
      device_owner: 'compute:nova',
      tenant_id: 'mallory',
      'binding:host_id': 'host2',
      'binding:profile': { a: 1 },
    };
    const made = await cloud.call('host1', 'create_dhcp_port', { port: { port: { ...port.port, ...more } } });
    expect(made).toMatchObject({
      device_owner: 'network:dhcp',
      project_id: network.project_id,
      'binding:host_id': 'host1',
      'binding:profile': {},
    });
    const foreign = { ...port.port, device_id: await device(network.id, 'host2') };
    await expect(cloud.call('host1', 'create_dhcp_port', { port: { port: foreign } })).rejects.toMatchObject({
      type: 'InvalidInput',
    });
  });

  test('a reserved port is taken over with its addresses, by the first of two', async () => {
    await cloud.agent('host2');
    const network = await cloud.lan();
    const [host = ''] = await cloud.servers(network.id);
    const other = host === 'host1' ? 'host2' : 'host1';
    const id = (await cloud.sql`select id from agents where host = ${other} and agent_type = 'DHCP agent'`)[0]?.['id'];
    await cloud.request('POST', `agents/${id}/dhcp-networks`, { network_id: network.id });
    const port = await create(network, host);
    await cloud.request('PUT', `ports/${port.id}`, { port: { device_id: 'reserved_dhcp_port' } });
    const take = async (by: string) =>
      await cloud.call(by, 'update_dhcp_port', {
        host: by,
        port_id: port.id,
        port: { port: { network_id: network.id, device_id: await device(network.id, by), fixed_ips: port.fixed_ips } },
      });
    const taken = await Promise.all([take('host1'), take('host2')]);
    expect(taken.filter((answer) => answer !== null)).toHaveLength(1);
    const after = (await cloud.request('GET', `ports/${port.id}`, undefined, admin)).body.port;
    const winner = taken[0] === null ? 'host2' : 'host1';
    expect(after).toMatchObject({
      device_id: await device(network.id, winner),
      'binding:host_id': winner,
      fixed_ips: port.fixed_ips,
    });
    expect(await take(winner === 'host1' ? 'host2' : 'host1')).toBeNull();
  });

  test('there is none where the network, or its subnet, has gone', async () => {
    const network = await cloud.lan();
    const wants = await wanted(network);
    await cloud.request('DELETE', `subnets/${network.subnet_id}`);
    expect(await cloud.call('host1', 'create_dhcp_port', wants)).toBeNull();
    await cloud.request('DELETE', `networks/${network.id}`);
    expect(await cloud.call('host1', 'create_dhcp_port', wants)).toBeNull();
    const port = { port: { network_id: network.id, device_id: await device(network.id) } };
    expect(await cloud.call('host1', 'update_dhcp_port', { port_id: crypto.randomUUID(), port })).toBeNull();
  });
});

describe('a network that the caller does not serve', () => {
  test('is as if it did not exist', async () => {
    const network = await cloud.lan();
    const port = await create(network);
    await cloud.agent('host2');
    const none = { host: 'host2' };
    expect(await cloud.call('host2', 'get_active_networks_info', none)).toEqual([]);
    expect(await cloud.call('host2', 'get_network_info', { ...none, network_id: network.id })).toBeNull();
    expect(await cloud.call('host2', 'get_networks', { filters: null, fields: null })).toEqual([]);
    expect(await create(network, 'host2')).toBeNull();
    await expect(cloud.call('host2', 'get_dhcp_port', { port_id: port.id })).rejects.toMatchObject({
      type: 'PortNotFound',
    });
    const device_id = await device(network.id);
    await cloud.call('host2', 'release_dhcp_port', { ...none, network_id: network.id, device_id });
    expect((await cloud.request('GET', `ports/${port.id}`)).status).toBe(200);
    await expect(
      cloud.call('host2', 'get_network_info', { host: 'host1', network_id: network.id }),
    ).rejects.toMatchObject({
      type: 'ForeignHost',
    });
  });

  test('is not taken over by a reserved port of it', async () => {
    const network = await cloud.lan();
    await cloud.agent('host2');
    const port = await create(network);
    await cloud.request('PUT', `ports/${port.id}`, { port: { device_id: 'reserved_dhcp_port' } });
    const change = { port: { network_id: network.id, device_id: await device(network.id, 'host2') } };
    await expect(cloud.call('host2', 'update_dhcp_port', { port_id: port.id, port: change })).rejects.toMatchObject({
      type: 'NetworkNotFound',
    });
  });

  test('does not make its ports ready', async () => {
    const network = await cloud.lan();
    await cloud.agent('host2');
    const port = await cloud.cloud.port(network.id, 'host1');
    const waits = async () =>
      (await cloud.sql`select entity from port_provisioning_blocks where port_id = ${port.id}`).map(
        ({ entity }) => entity,
      );
    expect(await waits()).toContain('DHCP');
    await cloud.call('host2', 'dhcp_ready_on_ports', { port_ids: [port.id] });
    expect(await waits()).toContain('DHCP');
    await cloud.call('host1', 'dhcp_ready_on_ports', { port_ids: [port.id, crypto.randomUUID(), 'x'] });
    expect(await waits()).not.toContain('DHCP');
  });
});

describe('what waits for DHCP', () => {
  const waits = async (attributes: Readonly<Record<string, unknown>>) => {
    const port = await cloud.stack.create('port', { device_owner: 'compute:nova', ...attributes });
    const rows = await cloud.sql`select from port_provisioning_blocks where port_id = ${port.id} and entity = 'DHCP'`;
    return rows.length === 1;
  };

  test('a machine’s port with an address that DHCP serves, on a network with agents', async () => {
    const network = await cloud.lan();
    expect(await waits({ network_id: network.id })).toBe(true);
    expect(await waits({ network_id: network.id, device_owner: '' })).toBe(false);
    expect(await waits({ network_id: network.id, device_owner: 'network:router_gateway' })).toBe(false);
    expect(await waits({ network_id: network.id, fixed_ips: [] })).toBe(false);
    await cloud.sql`delete from network_dhcp_agents`;
    await cloud.sql`delete from agents`;
    expect(await waits({ network_id: network.id })).toBe(false);
  });

  test('not one whose subnet has no DHCP', async () => {
    const network = await cloud.network();
    const subnet = { network_id: network.id, ip_version: 4 };
    const without = await cloud.stack.create('subnet', { ...subnet, cidr: '10.0.0.0/24', enable_dhcp: false });
    const served = await cloud.stack.create('subnet', { ...subnet, cidr: '10.0.1.0/24' });
    expect(await waits({ network_id: network.id, fixed_ips: [{ subnet_id: without.id }] })).toBe(false);
    expect(await waits({ network_id: network.id, fixed_ips: [{ subnet_id: served.id }] })).toBe(true);
  });
});

describe('pages', () => {
  const all = async (limit: number) => {
    const pages: Anything[] = [];
    let after: Anything = null;
    for (;;) {
      const page = await cloud.call('host1', 'get_active_networks_info', { host: 'host1', limit, after });
      if (page.length === 0) return pages;
      pages.push(page);
      const last = page.at(-1);
      after = { network_id: last.id, port_id: last.ports.at(-1)?.id ?? null };
    }
  };

  test('hold every port of every network once, however small they are', async () => {
    const networks = await Promise.all([0, 1, 2, 3].map(() => cloud.lan()));
    const ports = networks.flatMap(({ id }, n) => Array.from({ length: n * 2 }, () => ({ network_id: id })));
    await cloud.request('POST', 'ports', { ports });
    for (const limit of [1, 3, 100]) {
      const infos = (await all(limit)).flat();
      expect([...new Set(infos.map(({ id }) => id))]).toEqual(networks.map(({ id }) => id).toSorted());
      const found = infos.flatMap((info) => info.ports.map(({ id }: Anything) => id));
      expect(new Set(found).size).toBe(12);
      expect(found).toHaveLength(12);
      for (const info of infos) expect(info.subnets).toHaveLength(1);
    }
  });

  test('are bounded by their bytes', async () => {
    const network = await cloud.lan('10.0.0.0/20');
    for (let n = 0; n < 2; n++) {
      await cloud.request('POST', 'ports', { ports: Array.from({ length: 240 }, () => ({ network_id: network.id })) });
    }
    const pages = await all(1000);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(300_000);
    expect(pages.flat().flatMap(({ ports }) => ports)).toHaveLength(480);
    const first = await cloud.call('host1', 'get_network_info', { network_id: network.id, limit: 100 });
    expect(first.ports).toHaveLength(100);
    const after = first.ports.at(-1).id;
    const second = await cloud.call('host1', 'get_network_info', { network_id: network.id, limit: 100, after });
    expect(second.ports[0].id > after).toBe(true);
    const end = { network_id: network.id, limit: 100, after: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
    expect(await cloud.call('host1', 'get_network_info', end)).toMatchObject({ id: network.id, ports: [] });
  });

  test('cost the same number of statements for one network as for many', async () => {
    await cloud.lan();
    const cost = () => cloud.cloud.cost('host1', 'get_active_networks_info', { host: 'host1', limit: 1000 });
    const one = await cost();
    for (let n = 0; n < 12; n++) await cloud.lan();
    expect(await cost()).toBe(one);
  });
});

test.each([
  ['get_active_networks_info', { limit: 0 }],
  ['get_active_networks_info', { after: { network_id: 'x' } }],
  ['get_network_info', {}],
  ['get_network_info', { network_id: { a: 1 } }],
  ['create_dhcp_port', { port: 7 }],
  ['create_dhcp_port', { port: { port: { network_id: 'x' } } }],
  ['update_dhcp_port', { port_id: 'x' }],
  ['release_dhcp_port', { network_id: null, device_id: 'x' }],
  ['get_dhcp_port', {}],
  ['dhcp_ready_on_ports', { port_ids: 'all' }],
  ['get_networks', { filters: { id: 'x' } }],
])('%s refuses %j', async (method, args) => {
  await expect(cloud.call('host1', method, args)).rejects.toMatchObject({ type: 'InvalidInput' });
});

test('a disabled agent has no active networks', async () => {
  await cloud.lan();
  const [agent] = await cloud.sql`select id from agents where agent_type = 'DHCP agent'`;
  expect(await cloud.call('host1', 'get_active_networks_info', {})).toHaveLength(1);
  const told = await cloud.told(() =>
    cloud.request('PUT', `agents/${agent?.['id']}`, { agent: { admin_state_up: false } }),
  );
  expect(told).toMatchObject([
    { method: 'agent_updated', to: ['host1'], args: { payload: { admin_state_up: false } } },
  ]);
  expect(await cloud.call('host1', 'get_active_networks_info', {})).toEqual([]);
});
