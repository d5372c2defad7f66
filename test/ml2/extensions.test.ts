/** Extension drivers of ports that keep and show a value, through the API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin, member, Stack, type Who } from '../support/stack.ts';

const DRIVERS = [
  // The order is nobody's business: an extension stands behind the one that it builds on.
  ...['uplink_status_propagation_updatable', 'uplink_status_propagation', 'port_hint_ovs_tx_steering', 'port_hints'],
  ...['port_security', 'data_plane_status', 'port_device_profile', 'port_hardware_offload_type'],
  ...['port_numa_affinity_policy', 'port_trusted', 'tag_ports_during_bulk_creation'],
];
const ALICE = member('alice');
const SERVICE = { project: 'service', roles: 'service' };

let stack: Stack;
let network: string;
beforeAll(async () => {
  stack = await Stack.start('extensions', { ml2: { extension_drivers: DRIVERS } });
});
afterAll(() => stack?.stop());
beforeEach(async () => {
  await stack.clear();
  network = (await stack.create('network', { project_id: 'alice' })).id;
});

const make = (body: object = {}, as: Who = admin) => stack.create('port', { network_id: network, ...body }, as);
const post = (body: object, as: Who = admin) =>
  stack.call('POST', '/v2.0/ports', { as, body: { port: { network_id: network, ...body } } });
const put = (id: string, body: object, as: Who = admin) =>
  stack.call('PUT', `/v2.0/ports/${id}`, { as, body: { port: body } });
const show = async (id: string, as: Who = admin) => (await stack.call('GET', `/v2.0/ports/${id}`, { as })).body.port;

test('a port has the values of nobody’s asking', async () => {
  const port = await make();
  expect(port).toMatchObject({
    data_plane_status: null,
    device_profile: null,
    hardware_offload_type: null,
    hints: null,
    numa_affinity_policy: null,
    trusted: null,
    propagate_uplink_status: true,
    tags: [],
    'binding:profile': {},
  });
  expect(await show(port.id)).toEqual(port);
});

test.each<[string, object]>([
  ['device_profile', { device_profile: 'gpu' }],
  ['hardware_offload_type', { hardware_offload_type: 'switchdev' }],
  ['hints', { hints: { openvswitch: { other_config: { 'tx-steering': 'hash' } } } }],
  ['numa_affinity_policy', { numa_affinity_policy: 'required' }],
  ['numa_affinity_policy socket', { numa_affinity_policy: 'socket' }],
  ['trusted', { trusted: true }],
  ['no trust', { trusted: false }],
  ['propagate_uplink_status', { propagate_uplink_status: false }],
  ['tags', { tags: ['blue', 'red'] }],
])('a port is created with %s', async (_, body) => {
  const port = await make(body);
  expect(port).toMatchObject(body);
  expect(await show(port.id)).toEqual(port);
  expect((await stack.call('GET', '/v2.0/ports')).body.ports).toEqual([port]);
});

test.each<[string, object, object]>([
  ['data_plane_status', { data_plane_status: 'DOWN' }, { data_plane_status: null }],
  ['hints', { hints: { openvswitch: { other_config: { 'tx-steering': 'thread' } } } }, { hints: null }],
  ['numa_affinity_policy', { numa_affinity_policy: 'legacy' }, { numa_affinity_policy: null }],
  ['trusted', { trusted: true }, { trusted: false }],
  ['propagate_uplink_status', { propagate_uplink_status: false }, { propagate_uplink_status: true }],
])('%s changes and changes back', async (_, there, back) => {
  const { id } = await make();
  for (const [at, body] of [there, back].entries()) {
    const answer = await put(id, body);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.port).toMatchObject({ ...body, revision_number: at + 2 });
    expect(await show(id)).toEqual(answer.body.port);
  }
});

test.each<[string, object, string]>([
  [
    'data_plane_status at creation',
    { data_plane_status: 'ACTIVE' },
    "Attribute 'data_plane_status' not allowed in POST",
  ],
  ['another offload', { hardware_offload_type: 'tc' }, 'hardware_offload_type'],
  ['an unknown policy', { numa_affinity_policy: 'near' }, 'numa_affinity_policy'],
  ['a hint for nobody', { hints: { ovn: {} } }, 'Unexpected keys supplied: ovn'],
  ['a hint that is none', { hints: { openvswitch: { other_config: { 'tx-steering': 'fast' } } } }, 'hints'],
  ['a trust that is none', { trusted: 'maybe' }, 'maybe'],
  ['a switch that is none', { propagate_uplink_status: null }, 'None'],
  ['a tag twice', { tags: ['a', 'a'] }, 'Duplicate'],
  ['a tag too long', { tags: ['a'.repeat(256)] }, 'tags'],
  ['tags that are none', { tags: 'a' }, 'tags'],
  ['a name too long', { device_profile: 'a'.repeat(256) }, 'device_profile'],
])('%s is refused', async (_, body, part) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.body.NeutronError.message).toContain(part);
});

test.each<[string, object]>([
  ['device_profile', { device_profile: 'other' }],
  ['hardware_offload_type', { hardware_offload_type: 'switchdev' }],
  ['tags', { tags: ['a'] }],
])('%s cannot be changed', async (name, body) => {
  const { id } = await make();
  const answer = await put(id, body);
  expect(answer.status).toBe(400);
  expect(answer.body.NeutronError.message).toBe(`Cannot update read-only attribute ${name}`);
});

test('empty hints and an empty profile name are none', async () => {
  const port = await make({ hints: {}, device_profile: '' });
  expect(port).toMatchObject({ hints: null, device_profile: null });
  await put(port.id, { hints: { openvswitch: {} } });
  expect((await put(port.id, { hints: {} })).body.port).toMatchObject({ hints: null });
});

describe('numa_affinity_policy', () => {
  test('of a bound port stays', async () => {
    const { id } = await make({ numa_affinity_policy: 'legacy', 'binding:host_id': 'h1' });
    await stack.database.sql`update port_bindings set vif_type = 'ovs'`;
    const answer = await put(id, { numa_affinity_policy: 'required' });
    expect(answer.status).toBe(409);
    expect(answer.body.NeutronError.type).toBe('PortBoundNUMAAffinityPolicy');
    expect(answer.body.NeutronError.message).toContain('h1');
    expect((await put(id, { name: 'new' })).body.port).toMatchObject({ numa_affinity_policy: 'legacy' });
  });
});

describe('what Nova reads from the binding’s profile', () => {
  test('trusted shows there, whatever the profile', async () => {
    const port = await make({ trusted: true });
    expect(port['binding:profile']).toEqual({ trusted: true });
    const answer = await put(port.id, { 'binding:profile': { pci_slot: '0000:01:00.1' } }, SERVICE);
    expect(answer.body.port['binding:profile']).toEqual({ pci_slot: '0000:01:00.1', trusted: true });
    await put(port.id, { trusted: false });
    expect((await show(port.id))['binding:profile']).toEqual({ pci_slot: '0000:01:00.1', trusted: false });
    const [{ profile }] = await stack.database.sql<[{ profile: unknown }]>`select profile from port_bindings`;
    expect(profile).toEqual({ pci_slot: '0000:01:00.1' });
  });

  test.each<[string, object, object]>([
    ['no profile', {}, { capabilities: ['switchdev'] }],
    ['a profile', { a: 1 }, { a: 1, capabilities: ['switchdev'] }],
    ['other capabilities', { capabilities: ['x'] }, { capabilities: ['x', 'switchdev'] }],
    ['the capability', { capabilities: ['switchdev'] }, { capabilities: ['switchdev'] }],
    ['capabilities that are no list', { capabilities: 'x' }, { capabilities: ['switchdev'] }],
  ])('the offload is among the capabilities, given %s', async (_, profile, expected) => {
    const port = await make({ hardware_offload_type: 'switchdev', 'binding:profile': profile }, SERVICE);
    expect(port['binding:profile']).toEqual(expected);
  });

  test('a profile is not longer than Neutron keeps, null empties it', async () => {
    const long = { a: 'x'.repeat(4095) };
    const refused = await post({ 'binding:profile': long }, SERVICE);
    expect([refused.status, refused.body.NeutronError.type]).toEqual([400, 'InvalidInput']);
    const { id } = await make({ 'binding:profile': { a: 'x'.repeat(4000) } }, SERVICE);
    expect((await put(id, { 'binding:profile': long }, SERVICE)).status).toBe(400);
    expect((await put(id, { 'binding:profile': null }, SERVICE)).body.port['binding:profile']).toEqual({});
  });
});

describe('tags', () => {
  test('of several ports in one request are each port’s own, in order', async () => {
    const answer = await stack.call('POST', '/v2.0/ports', {
      body: {
        ports: [['b', 'a'], [], ['\u{1f680}', '\uffee', 'ab', 'a']].map((tags) => ({ network_id: network, tags })),
      },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.ports.map(({ tags }: { tags: string[] }) => tags)).toEqual([
      ['a', 'b'],
      [],
      ['a', 'ab', '\uffee', '\u{1f680}'],
    ]);
    const found = await stack.call('GET', '/v2.0/ports?tags=a,b&fields=tags');
    expect(found.body.ports).toEqual([{ tags: ['a', 'b'] }]);
  });
});

describe('who may', () => {
  test.each<[string, object, Who, number]>([
    ['a member trust', { trusted: true }, ALICE, 403],
    ['a member give hints', { hints: { openvswitch: {} } }, ALICE, 403],
    ['a member ask for no hints', { hints: null }, ALICE, 201],
    ['a member name a device profile', { device_profile: 'gpu' }, ALICE, 201],
    ['a member ask for offload', { hardware_offload_type: 'switchdev' }, ALICE, 201],
    ['a member give tags', { tags: ['a'] }, ALICE, 201],
    ['a service trust', { trusted: true }, SERVICE, 403],
  ])('%s', async (_, body, as, status) => {
    expect((await post(body, as)).status).toBe(status);
  });

  test('only an administrator and the data plane’s integrator set its status', async () => {
    const { id } = await make({ project_id: 'alice' });
    const body = { data_plane_status: 'ACTIVE' };
    expect((await put(id, body, ALICE)).status).toBe(403);
    expect((await put(id, body, { project: 'alice', roles: 'member,data_plane_integrator' })).status).toBe(200);
  });

  test('who may not read hints and trust does not see them', async () => {
    const { id } = await make({ project_id: 'alice', trusted: true, hints: { openvswitch: {} } });
    const seen = await show(id, ALICE);
    expect(seen).not.toHaveProperty('trusted');
    expect(seen).not.toHaveProperty('hints');
    expect(seen).toHaveProperty('data_plane_status');
  });
});

test.each([
  ...['data_plane_status', 'device_profile', 'hardware_offload_type', 'numa_affinity_policy', 'trusted'],
  'propagate_uplink_status',
])('ports are ordered by %s, page by page, also where it is not set', async (name) => {
  await make({
    device_profile: 'a',
    hardware_offload_type: 'switchdev',
    trusted: true,
    numa_affinity_policy: 'socket',
  });
  await make({ propagate_uplink_status: false });
  await make();
  const page = (rest: string) => stack.call('GET', `/v2.0/ports?sort_key=${name}&sort_dir=desc&fields=id${rest}`);
  const all = (await page('')).body.ports;
  const paged: { id: string }[] = [];
  for (let marker = ''; paged.length < 3; marker = `&marker=${paged.at(-1)?.id}`) {
    paged.push(...(await page(`&limit=1${marker}`)).body.ports);
  }
  expect(all).toHaveLength(3);
  expect(paged).toEqual(all);
});

test('these attributes are no filters, hints no order', async () => {
  for (const name of ['trusted', 'hints', 'device_profile']) {
    expect((await stack.call('GET', `/v2.0/ports?${name}=x`)).status).toBe(400);
  }
  expect((await stack.call('GET', '/v2.0/ports?sort_key=hints&sort_dir=asc')).status).toBe(400);
});

describe('without its driver', () => {
  test('an attribute is not there', async () => {
    const bare = await Stack.start('no_extensions', {
      ml2: { extension_drivers: ['uplink_status_propagation', 'qos'] },
    });
    try {
      const { id } = await bare.create('network', {});
      const port = await bare.create('port', { network_id: id });
      expect(port).toHaveProperty('propagate_uplink_status');
      expect(port).not.toHaveProperty('port_security_enabled');
      expect(port).not.toHaveProperty('trusted');
      const send = (method: string, path: string, body: object) =>
        bare.call(method, `/v2.0/ports${path}`, { body: { port: body } });
      const refused = await send('POST', '', { network_id: id, trusted: true });
      expect(refused.body.NeutronError.message).toBe("Unrecognized attribute(s) 'trusted'");
      expect((await send('PUT', `/${port.id}`, { propagate_uplink_status: false })).status).toBe(400);
    } finally {
      await bare.stop();
    }
  });
});
