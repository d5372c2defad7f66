/** Networks and their segments: several of them, other tags, types that run out, and marks of external networks. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admin, member, Stack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('provider_networks', {
    ml2: {
      project_network_types: ['vlan', 'gre', 'local'],
      mechanism_drivers: [],
      physical_network_mtus: { physnet2: '1400' },
    },
    ml2_type_vlan: { network_vlan_ranges: ['physnet1:100:102', 'physnet2'] },
    ml2_type_gre: { tunnel_id_ranges: ['1:2'] },
    DEFAULT: { vlan_transparent: true, vlan_qinq: true },
  });
});
afterAll(() => stack?.stop());
afterEach(() => stack.clear());

const segment = (type: string, physical?: string | null, id?: number | null) => ({
  'provider:network_type': type,
  ...(physical === undefined ? {} : { 'provider:physical_network': physical }),
  ...(id === undefined ? {} : { 'provider:segmentation_id': id }),
});
const TWO = [segment('vlan', 'physnet1', 100), segment('vlan', 'physnet2', 7)];

async function refused(method: string, path: string, network: object) {
  const answer = await stack.call(method, `/v2.0/${path}`, { body: { network } });
  return { status: answer.status, type: answer.body.NeutronError.type };
}
const update = async (id: string, network: object) => {
  const answer = await stack.call('PUT', `/v2.0/networks/${id}`, { body: { network } });
  expect(answer.text).toMatch(/^\{"network"/);
  return answer.body.network;
};
const idsBy = async (query: string) => {
  const { body } = await stack.call('GET', `/v2.0/networks?fields=id&${query}`);
  return body.networks.map(({ id }: { id: string }) => id);
};

describe('several segments', () => {
  test('are shown in place of the provider attributes, and decide about the MTU together', async () => {
    const network = await stack.create('network', { segments: TWO });
    expect(network).toMatchObject({ segments: TWO, mtu: 1400 });
    expect(network).not.toHaveProperty('provider:network_type');
    const { body } = await stack.call('GET', '/v2.0/networks');
    expect(body.networks).toEqual([network]);
  });

  test('of one show it as the provider attributes', async () => {
    const network = await stack.create('network', { segments: [segment('vxlan')] });
    expect(network).toMatchObject({ 'provider:network_type': 'vxlan', 'provider:segmentation_id': expect.any(Number) });
    expect(network).not.toHaveProperty('segments');
  });

  test('of none are as if nothing was said', async () => {
    expect(await stack.create('network', { segments: [] })).toMatchObject({ 'provider:network_type': 'vlan' });
  });

  test('are found by any of them', async () => {
    const { id } = await stack.create('network', { segments: TWO });
    await stack.create('network', segment('vxlan'));
    expect(await idsBy('provider:physical_network=physnet1')).toEqual([id]);
    expect(await idsBy('provider:physical_network=physnet2&provider:network_type=vlan')).toEqual([id]);
    expect(await idsBy('provider:segmentation_id=7')).toEqual([id]);
    expect(await idsBy('provider:segmentation_id=8')).toEqual([]);
  });

  test('go with their network', async () => {
    const { id } = await stack.create('network', { segments: TWO });
    await stack.call('DELETE', `/v2.0/networks/${id}`);
    expect(await stack.create('network', { segments: TWO })).toMatchObject({ segments: TWO });
  });

  test('are for administrators', async () => {
    const as = member('alice');
    const asked = await stack.call('POST', '/v2.0/networks', { as, body: { network: { segments: TWO } } });
    expect(asked.status).toBe(403);
    await stack.create('network', { segments: TWO, shared: true });
    const seen = await stack.call('GET', '/v2.0/networks', { as });
    expect(seen.body.networks).toHaveLength(1);
    expect(seen.body.networks[0]).not.toHaveProperty('segments');
  });

  test.each<[string, object, string]>([
    ['beside provider attributes', { ...segment('vxlan'), segments: TWO }, 'SegmentsSetInConjunctionWithProviders'],
    ['that are the same', { segments: [TWO[0], TWO[0]] }, 'SegmentsContainDuplicateEntry'],
    ['without a type', { segments: [{ 'provider:segmentation_id': 3 }] }, 'InvalidInput'],
    ['of an odd type', { segments: [segment(7 as never)] }, 'InvalidInput'],
    ['on an odd physical network', { segments: [segment('flat', ['x'] as never)] }, 'InvalidInput'],
    ['with an unknown key', { segments: [{ ...segment('vxlan'), color: 'red' }] }, 'HTTPBadRequest'],
    ['that are no list', { segments: 'x' }, 'HTTPBadRequest'],
    ['of which one cannot be', { segments: [TWO[0], segment('vlan', 'foo', 3)] }, 'InvalidInput'],
  ])('%s are refused', async (_, network, type) => {
    expect(await refused('POST', 'networks', network)).toEqual({ status: 400, type });
  });

  test('of which one is taken are refused', async () => {
    await stack.create('network', segment('vlan', 'physnet2', 7));
    expect(await refused('POST', 'networks', { segments: TWO })).toEqual({ status: 409, type: 'VlanIdInUse' });
  });

  test('do not change by an update', async () => {
    const { id } = await stack.create('network', { segments: TWO });
    expect(await update(id, { segments: TWO })).toMatchObject({ segments: TWO, revision_number: 1 });
    for (const changed of [
      { segments: [TWO[0]] },
      segment('vlan', 'physnet1', 101),
      { 'provider:segmentation_id': 9 },
    ]) {
      expect(await refused('PUT', `networks/${id}`, changed)).toEqual({ status: 400, type: 'InvalidInput' });
    }
  });
});

describe('the types of tenants', () => {
  test('are taken in order as each runs out, with the MTU of what it became', async () => {
    const answer = await stack.call('POST', '/v2.0/networks', {
      body: { networks: Array.from({ length: 7 }, () => ({})) },
    });
    expect(answer.status).toBe(201);
    const types = answer.body.networks.map((network: Record<string, unknown>) => [
      network['provider:network_type'],
      network['mtu'],
    ]);
    const expected = [
      ...Array(3).fill(['vlan', 1500]),
      ...Array(2).fill(['gre', 1458]),
      ...Array(2).fill(['local', 1500]),
    ];
    expect(types.toSorted()).toEqual(expected.toSorted());
  });
});

describe('the tag of a VLAN', () => {
  test('changes while no port is bound, and the old one is free', async () => {
    const network = await stack.create('network', segment('vlan', 'physnet1', 100));
    const port = await stack.create('port', { network_id: network.id });
    const changed = await update(network.id, { 'provider:segmentation_id': 2000 });
    expect(changed).toMatchObject({ 'provider:segmentation_id': 2000, revision_number: network.revision_number + 1 });
    expect(await stack.create('network', segment('vlan', 'physnet1', 100))).toMatchObject({ mtu: 1500 });
    await stack.database.sql`update port_bindings set vif_type = 'ovs' where port_id = ${port.id}`;
    const expected = { status: 400, type: 'InvalidInput' };
    expect(await refused('PUT', `networks/${network.id}`, { 'provider:segmentation_id': 2001 })).toEqual(expected);
  });

  test.each<[string, Readonly<Record<string, unknown>>, object, object]>([
    [
      'taken',
      segment('vlan', 'physnet1', 100),
      { 'provider:segmentation_id': 555 },
      { status: 409, type: 'VlanIdInUse' },
    ],
    [
      'none',
      segment('vlan', 'physnet1', 100),
      { 'provider:segmentation_id': 4095 },
      { status: 400, type: 'InvalidInput' },
    ],
    ['of a tunnel', segment('vxlan'), { 'provider:segmentation_id': 9999 }, { status: 400, type: 'InvalidInput' }],
    [
      'on another physical network',
      segment('vlan', 'physnet1', 100),
      segment('vlan', 'physnet2', 9),
      { status: 400, type: 'InvalidInput' },
    ],
    ['of another type', segment('vlan', 'physnet1', 100), segment('vxlan'), { status: 400, type: 'InvalidInput' }],
  ])('%s is refused', async (_, network, change, expected) => {
    await stack.create('network', segment('vlan', 'physnet1', 555));
    const { id } = await stack.create('network', network);
    expect(await refused('PUT', `networks/${id}`, change)).toEqual(expected);
  });

  test('that it has already changes nothing', async () => {
    const network = await stack.create('network', segment('vlan', 'physnet1', 100));
    expect(await update(network.id, segment('vlan', 'physnet1', 100))).toEqual(network);
  });

  test('goes to one of many who want it', async () => {
    const networks = [];
    for (const tag of [201, 202, 203, 204])
      networks.push(await stack.create('network', segment('vlan', 'physnet1', tag)));
    const put = ({ id }: { id: string }) =>
      stack.call('PUT', `/v2.0/networks/${id}`, { body: { network: { 'provider:segmentation_id': 300 } } });
    const statuses = (await Promise.all(networks.map(put))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
  });
});

describe('the default external network', () => {
  test('is one', async () => {
    const first = await stack.create('network', { 'router:external': true, is_default: true });
    expect(first.is_default).toBe(true);
    const taken = { status: 409, type: 'DefaultExternalNetworkExists' };
    expect(await refused('POST', 'networks', { 'router:external': true, is_default: true })).toEqual(taken);
    const second = await stack.create('network', { 'router:external': true });
    expect(await refused('PUT', `networks/${second.id}`, { is_default: true })).toEqual(taken);
    expect(await idsBy('is_default=true')).toEqual([first.id]);
    expect(await update(first.id, { is_default: false })).toMatchObject({ is_default: false });
    expect(await update(second.id, { is_default: true })).toMatchObject({ is_default: true });
    // No longer external, it is no longer the default.
    expect(await update(second.id, { 'router:external': false })).toMatchObject({ is_default: false });
    expect(await update(first.id, { is_default: true })).toMatchObject({ is_default: true });
  });

  test('goes to one of many who want it', async () => {
    const body = { network: { 'router:external': true, is_default: true } };
    const answers = await Promise.all(Array.from({ length: 4 }, () => stack.call('POST', '/v2.0/networks', { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test('is named by the error', async () => {
    const { id } = await stack.create('network', { 'router:external': true, is_default: true });
    const body = { network: { 'router:external': true, is_default: true } };
    const { body: answer } = await stack.call('POST', '/v2.0/networks', { body });
    expect(answer.NeutronError.message).toContain(id);
  });

  test('is for administrators to choose', async () => {
    const network = await stack.create('network', { project_id: 'alice', 'router:external': true });
    const asked = { as: member('alice'), body: { network: { is_default: true } } };
    expect((await stack.call('PUT', `/v2.0/networks/${network.id}`, asked)).status).toBe(403);
  });
});

describe('VLAN tags of tenants', () => {
  test('are asked for with a new network and stay', async () => {
    const network = await stack.create('network', { vlan_transparent: true });
    expect(network).toMatchObject({ vlan_transparent: true, qinq: false });
    expect(await idsBy('vlan_transparent=true')).toEqual([network.id]);
    expect(await stack.create('network', { qinq: true })).toMatchObject({ qinq: true, vlan_transparent: false });
    const change = { vlan_transparent: false };
    expect(await refused('PUT', `networks/${network.id}`, change)).toMatchObject({ status: 400 });
    expect(await refused('POST', 'networks', { vlan_transparent: true, qinq: true })).toEqual({
      status: 400,
      type: 'BadRequest',
    });
  });

  test.each([
    ['without an option and drivers are not served', {}, [], 400, 'HTTPBadRequest'],
    [
      'are refused by a driver that has none',
      { vlan_transparent: true },
      ['logger'],
      400,
      'VlanTransparencyDriverError',
    ],
    [
      'are not served beside a driver that rules them out',
      { vlan_transparent: true },
      ['openvswitch'],
      400,
      'HTTPBadRequest',
    ],
  ] as const)('%s', async (_, options, mechanism_drivers, status, type) => {
    const other = await Stack.start('vlan_tags', {
      DEFAULT: options,
      ml2: { mechanism_drivers: [...mechanism_drivers] },
    });
    try {
      const body = { network: { vlan_transparent: true } };
      const answer = await other.call('POST', '/v2.0/networks', { as: admin, body });
      expect([answer.status, answer.body.NeutronError.type]).toEqual([status, type]);
    } finally {
      await other.stop();
    }
  });
});
