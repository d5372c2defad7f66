/** Who may set single attributes of ports, and parts of them, on a network that is somebody else's or their own. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { member, Stack } from '../support/stack.ts';

const WHO = {
  owner: member('alice'),
  user: member('bob'),
  reader: { project: 'alice', roles: 'reader' },
  service: { project: 'service', roles: 'service' },
  admin: { project: 'admin', roles: 'admin' },
} as const;
type Name = keyof typeof WHO;

let stack: Stack;
let network_id: string;
let subnet_id: string;
beforeAll(async () => {
  stack = await Stack.start('attribute_policies');
  // Shared with everybody, owned by alice.
  network_id = (await stack.create('network', { project_id: 'alice', shared: true })).id;
  // Addresses that are named are outside of the pool.
  const allocation_pools = [{ start: '10.0.0.130', end: '10.0.0.254' }];
  const subnet = { network_id, project_id: 'alice', ip_version: 4, cidr: '10.0.0.0/24', allocation_pools };
  subnet_id = (await stack.create('subnet', subnet)).id;
});
afterAll(() => stack?.stop());

/** By attribute: who may, when a port is made. */
const CREATE: readonly (readonly [string, () => object, string])[] = [
  ['nothing', () => ({}), 'owner user reader service admin'],
  ['fixed_ips', () => ({ fixed_ips: [] }), 'owner user reader service admin'],
  ['a subnet', () => ({ fixed_ips: [{ subnet_id }] }), 'owner user reader service admin'],
  ['an address', () => ({ fixed_ips: [{ ip_address: nextAddress() }] }), 'owner service admin'],
  ['both', () => ({ fixed_ips: [{ subnet_id, ip_address: nextAddress() }] }), 'owner service admin'],
  ['mac_address', () => ({ mac_address: nextMac() }), 'owner service admin'],
  ['port_security_enabled', () => ({ port_security_enabled: false }), 'owner service admin'],
  ['address pairs', () => ({ allowed_address_pairs: [{ ip_address: '10.9.0.1' }] }), 'owner service admin'],
  ['binding:host_id', () => ({ 'binding:host_id': 'h1' }), 'service admin'],
  ['binding:profile', () => ({ 'binding:profile': { a: 1 } }), 'service'],
  ['an empty binding:profile', () => ({ 'binding:profile': {} }), 'service'],
  ['binding:vnic_type', () => ({ 'binding:vnic_type': 'direct' }), 'owner user service admin'],
  ['the usual binding:vnic_type', () => ({ 'binding:vnic_type': 'normal' }), 'owner user reader service admin'],
  ['device_owner', () => ({ device_owner: 'compute:nova' }), 'owner user reader service admin'],
  ['the device_owner of a network’s own', () => ({ device_owner: 'network:dhcp' }), 'owner service admin'],
  ['device_id', () => ({ device_id: 'vm1' }), 'owner user service admin'],
  ['hints', () => ({ hints: { openvswitch: {} } }), 'admin'],
  ['trusted', () => ({ trusted: false }), 'admin'],
];

let made = 0;
const nextAddress = () => `10.0.0.${10 + made++}`;
const nextMac = () => `fa:16:3e:00:01:${String(10 + made++)}`;
const allowed = (statuses: Readonly<Record<string, number>>, status: number) =>
  Object.entries(statuses)
    .filter(([, is]) => is === status)
    .map(([name]) => name)
    .join(' ');

test.each(CREATE)('%s of a new port', async (_, body, expected) => {
  const statuses: Record<string, number> = {};
  for (const [name, as] of Object.entries(WHO)) {
    const port = { network_id, ...body() };
    statuses[name] = (await stack.call('POST', '/v2.0/ports', { as, body: { port } })).status;
  }
  expect(allowed(statuses, 201)).toBe(expected);
  expect(Object.values(statuses).every((status) => status === 201 || status === 403)).toBe(true);
});

/** By attribute: who may change it in a port of their own. */
const UPDATE: readonly (readonly [string, () => object, string])[] = [
  ['name', () => ({ name: 'new' }), 'owner user service admin'],
  ['an address', () => ({ fixed_ips: [{ ip_address: nextAddress() }] }), 'owner service admin'],
  ['a subnet', () => ({ fixed_ips: [{ subnet_id }] }), 'owner service admin'],
  ['mac_address', () => ({ mac_address: nextMac() }), 'service admin'],
  ['address pairs', () => ({ allowed_address_pairs: [{ ip_address: '10.9.0.1' }] }), 'owner service admin'],
  ['no address pairs', () => ({ allowed_address_pairs: [] }), 'owner service admin'],
  ['binding:host_id', () => ({ 'binding:host_id': 'h1' }), 'service admin'],
  ['binding:profile', () => ({ 'binding:profile': {} }), 'service'],
  ['binding:vnic_type', () => ({ 'binding:vnic_type': 'direct' }), 'owner user service admin'],
  ['data_plane_status', () => ({ data_plane_status: 'DOWN' }), 'admin'],
  ['hints', () => ({ hints: null }), 'admin'],
  ['trusted', () => ({ trusted: true }), 'admin'],
];

test.each(UPDATE)('%s of a port of one’s own', async (_, body, expected) => {
  const statuses: Record<string, number> = {};
  for (const name of ['owner', 'user', 'reader', 'service', 'admin'] satisfies Name[]) {
    const as = WHO[name];
    const { id } = await stack.create('port', { network_id, project_id: as.project });
    statuses[name] = (await stack.call('PUT', `/v2.0/ports/${id}`, { as, body: { port: body() } })).status;
  }
  expect(allowed(statuses, 200)).toBe(expected);
});

test('binding attributes are for those who bind', async () => {
  const { id } = await stack.create('port', { network_id, project_id: 'bob' });
  const seenBy = async (name: Name) =>
    Object.keys((await stack.call('GET', `/v2.0/ports/${id}`, { as: WHO[name] })).body.port)
      .filter((attribute) => attribute.startsWith('binding:'))
      .toSorted();
  const all = ['host_id', 'profile', 'vif_details', 'vif_type', 'vnic_type'].map((name) => `binding:${name}`);
  expect(await seenBy('user')).toEqual(['binding:vnic_type']);
  expect(await seenBy('owner')).toEqual(['binding:vnic_type']);
  expect(await seenBy('service')).toEqual(all);
  expect(await seenBy('admin')).toEqual(all);
});
