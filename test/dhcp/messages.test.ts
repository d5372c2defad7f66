/** What DHCP agents are told, of which change, as Neutron was seen to tell it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DhcpCloud } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape
type Anything = any;

let cloud: DhcpCloud;
let network: Anything;
beforeAll(async () => {
  cloud = await DhcpCloud.start('dhcp_messages', { DEFAULT: { dns_domain: 'example.org.' } });
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  await cloud.clear();
  await cloud.agent('host1');
  await cloud.agent('elsewhere');
  network = await cloud.lan();
  await cloud.sql`
    update network_dhcp_agents set agent_id = (select id from agents where host = 'host1' and agent_type = 'DHCP agent')`;
});

/** Method, recipients and payload of what was told. */
const told = async (work: () => Promise<unknown>) =>
  (await cloud.told(work)).map(({ method, to, args, version }) => {
    expect(version).toBe('1.0');
    return [method, to, args.payload];
  });
const port = (attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> =>
  cloud.stack.create('port', { network_id: network.id, ...attributes });
const change = (collection: string, id: string, attributes: object) =>
  cloud.cloud.update(collection, id, attributes as never);

test('a subnet made: the subnet, with its network', async () => {
  let subnet: Anything;
  const messages = await told(async () => {
    subnet = await cloud.stack.create('subnet', { network_id: network.id, cidr: '10.0.1.0/24', ip_version: 4 });
  });
  expect(messages).toEqual([
    ['subnet_create_end', ['host1'], { subnet: expect.objectContaining({ id: subnet.id }), priority: 3 }],
  ]);
  const [, , payload] = messages[0]!;
  expect(payload.subnet.network).toMatchObject({ id: network.id, name: network.name });
});

test('a subnet changed, and deleted', async () => {
  const { subnet_id } = network;
  const changed = await told(() => change('subnet', subnet_id, { name: 's2' }));
  const subnet = expect.objectContaining({ id: subnet_id, name: 's2', network_id: network.id });
  expect(changed).toEqual([['subnet_update_end', ['host1'], { subnet, priority: 3 }]]);
  expect(changed[0]?.[2].subnet).not.toHaveProperty('network');
  expect(await told(() => cloud.cloud.remove('subnet', subnet_id))).toEqual([
    ['subnet_delete_end', ['host1'], { subnet_id, network_id: network.id, priority: 4 }],
  ]);
});

test('a network changed: to its agents; deleted: to all, with nothing but its id', async () => {
  const changed = await told(() => change('network', network.id, { admin_state_up: false }));
  const latest = expect.objectContaining({ id: network.id, admin_state_up: false });
  expect(changed).toEqual([['network_update_end', ['host1'], { network: latest, priority: 1 }]]);
  expect(await told(() => cloud.cloud.remove('network', network.id))).toEqual([
    ['network_delete_end', 'all', { network_id: network.id, priority: 2 }],
  ]);
});

test('a network made: nobody', async () => {
  expect(await told(() => cloud.network())).toEqual([]);
});

test('a port made: the port, with its network, whoever has it', async () => {
  let made: Anything;
  const messages = await told(async () => {
    made = await port({ device_id: 'vm1', device_owner: 'compute:nova' });
  });
  expect(messages).toEqual([
    ['port_create_end', ['host1'], { port: expect.objectContaining({ id: made.id }), priority: 5 }],
  ]);
  expect(messages[0]?.[2].port).toMatchObject({ fixed_ips: made.fixed_ips, network: { id: network.id } });
});

test.each([
  ['fixed_ips', { fixed_ips: [{ ip_address: '10.0.0.77' }] }],
  ['mac_address', { mac_address: 'fa:16:3e:00:00:77' }],
  ['dns_name', { dns_name: 'vm77' }],
  ['extra_dhcp_opts', { extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400' }] }],
])('a port whose %s changes: the port', async (_name, attributes) => {
  const { id } = await port();
  const messages = await told(() => change('port', id, attributes));
  expect(messages).toEqual([['port_update_end', ['host1'], { port: expect.objectContaining({ id }), priority: 6 }]]);
});

test('a port whose name or status changes: nobody', async () => {
  const { id } = await port({ 'binding:host_id': 'host1', device_owner: 'compute:nova' });
  expect(await told(() => change('port', id, { name: 'x', device_id: 'vm2' }))).toEqual([]);
  expect(await told(() => cloud.call('host1', 'dhcp_ready_on_ports', { port_ids: [id] }))).toEqual([]);
});

test('a port deleted: its ids and addresses', async () => {
  const { id, fixed_ips } = await port();
  expect(await told(() => cloud.cloud.remove('port', id))).toEqual([
    ['port_delete_end', ['host1'], { port_id: id, network_id: network.id, fixed_ips, priority: 6 }],
  ]);
});

test('nobody is told of a network that no agent serves', async () => {
  await cloud.sql`delete from network_dhcp_agents`;
  await cloud.sql`update agents set admin_state_up = false`;
  const work = async () => {
    const { id } = await port();
    await change('port', id, { dns_name: 'x' });
    await cloud.cloud.remove('port', id);
    await change('network', network.id, { name: 'x' });
    await cloud.cloud.remove('subnet', network.subnet_id);
  };
  expect(await told(work)).toEqual([]);
});

test('a disabled agent is told of nothing', async () => {
  await cloud.sql`update agents set admin_state_up = false`;
  expect(await told(() => port())).toEqual([]);
});

test('a port waits for DHCP again when its addresses change', async () => {
  const { id } = await port({ device_owner: 'compute:nova', 'binding:host_id': 'host1' });
  const waits = async () =>
    (await cloud.sql`select from port_provisioning_blocks where port_id = ${id} and entity = 'DHCP'`).length;
  expect(await waits()).toBe(1);
  await cloud.call('host1', 'dhcp_ready_on_ports', { port_ids: [id] });
  expect(await waits()).toBe(0);
  await change('port', id, { name: 'x' });
  expect(await waits()).toBe(0);
  await change('port', id, { fixed_ips: [{ ip_address: '10.0.0.77' }] });
  expect(await waits()).toBe(1);
});
