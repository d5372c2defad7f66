/** Segments as resources, through the whole API. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { member, Stack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('segments', {
    DEFAULT: { service_plugins: ['neutron.services.segments.plugin.Plugin'] },
    ml2_type_vlan: { network_vlan_ranges: ['physnet1:100:104', 'physnet2:1:4094'] },
  });
});
afterAll(() => stack?.stop());
afterEach(() => stack.clear());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const vlan = (physical_network: string, segmentation_id?: number) => ({
  network_type: 'vlan',
  physical_network,
  ...(segmentation_id === undefined ? {} : { segmentation_id }),
});
const vlanNetwork = (physical: string, tag: number) =>
  stack.create('network', {
    'provider:network_type': 'vlan',
    'provider:physical_network': physical,
    'provider:segmentation_id': tag,
  });
const show = async (collection: string, id: string) => {
  const answer = await stack.call('GET', `/v2.0/${collection}/${id}`);
  return answer.body[collection.slice(0, -1)];
};

/** Calls what must be refused. */
async function refused(method: string, path: string, body?: object) {
  const answer = await stack.call(method, `/v2.0/${path}`, { body });
  return { status: answer.status, type: answer.body.NeutronError.type };
}

describe('a network', () => {
  test('has a segment that is listed, with what Neutron shows', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const { body } = await stack.call('GET', `/v2.0/segments?network_id=${network.id}`);
    expect(body.segments).toEqual([
      {
        id: expect.any(String),
        network_id: network.id,
        name: null,
        description: '',
        network_type: 'vlan',
        physical_network: 'physnet1',
        segmentation_id: 101,
        revision_number: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(network).toMatchObject({ l2_adjacency: true });
  });

  test('with a second segment shows both in order, and with one again that one', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const second = await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7), name: 'second' });
    expect(second).toMatchObject({ name: 'second', segmentation_id: 7, physical_network: 'physnet2' });
    const both = await show('networks', network.id);
    expect(both.segments).toEqual([
      { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet1', 'provider:segmentation_id': 101 },
      { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet2', 'provider:segmentation_id': 7 },
    ]);
    expect(both).not.toHaveProperty('provider:network_type');
    expect(both.revision_number).toBeGreaterThan(network.revision_number);
    expect((await stack.call('DELETE', `/v2.0/segments/${second.id}`)).status).toBe(204);
    const one = await show('networks', network.id);
    expect(one).toMatchObject({ 'provider:segmentation_id': 101, 'provider:physical_network': 'physnet1' });
    expect(one).not.toHaveProperty('segments');
  });

  test('takes its segments along when it goes', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const segment = await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7) });
    await stack.create('subnet', {
      network_id: network.id,
      ip_version: 4,
      cidr: '10.0.0.0/24',
      segment_id: segment.id,
    });
    expect((await stack.call('DELETE', `/v2.0/networks/${network.id}`)).status).toBe(204);
    expect((await stack.call('GET', '/v2.0/segments')).body.segments).toEqual([]);
  });
});

describe('creating a segment', () => {
  test('without an id takes a free one', async () => {
    const network = await vlanNetwork('physnet2', 1);
    const segment = await stack.create('segment', { network_id: network.id, ...vlan('physnet1') });
    expect(segment.segmentation_id).toBeGreaterThanOrEqual(100);
    expect(segment.segmentation_id).toBeLessThanOrEqual(104);
  });

  test('several at once is one statement for each table', async () => {
    const network = await vlanNetwork('physnet2', 1);
    const bodies = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ network_id: network.id, ...vlan('physnet2', from + at) }));
    const cost = async (segments: readonly object[]) => {
      const before = stack.counted('nucleon_sql_statements_total');
      const answer = await stack.call('POST', '/v2.0/segments', { body: { segments } });
      expect(answer.status).toBe(201);
      expect(answer.body.segments).toMatchObject(segments);
      return stack.counted('nucleon_sql_statements_total') - before;
    };
    const one = await cost(bodies(10, 1));
    expect(await cost(bodies(20, 8))).toBe(one);
  });

  test.each<[string, object, { status: number; type: string }]>([
    ['that another network has', vlan('physnet2', 5), { status: 409, type: 'VlanIdInUse' }],
    ['on an unknown physical network', vlan('foo', 5), { status: 400, type: 'InvalidInput' }],
    ['with a tag that is none', vlan('physnet2', 4095), { status: 400, type: 'InvalidInput' }],
    ['of an unknown type', { network_type: 'foo' }, { status: 400, type: 'InvalidInput' }],
    ['that carries less than the network', { network_type: 'vxlan' }, { status: 400, type: 'InvalidInput' }],
    [
      'of another network that there is not',
      { ...vlan('physnet2'), network_id: NOBODY },
      { status: 404, type: 'NetworkNotFound' },
    ],
    ['without a type', {}, { status: 400, type: 'HTTPBadRequest' }],
  ])('%s is refused and changes nothing', async (_, body, expected) => {
    const network = await vlanNetwork('physnet1', 101);
    await vlanNetwork('physnet2', 5);
    const segment = { network_id: network.id, ...body };
    expect(await refused('POST', 'segments', { segment })).toEqual(expected);
  });

  test('of many who want the last tags at once, each gets another, and the rest NoNetworkAvailable', async () => {
    const network = await vlanNetwork('physnet2', 1);
    const make = () =>
      stack.call('POST', '/v2.0/segments', { body: { segment: { network_id: network.id, ...vlan('physnet1') } } });
    const answers = await Promise.all(Array.from({ length: 8 }, make));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.segment.segmentation_id)).size).toBe(5);
    for (const { status, body } of answers) {
      if (status !== 201) expect(body.NeutronError.type).toBe('NoNetworkAvailable');
    }
  });
});

describe('a segment', () => {
  test('changes name and description, and nothing else', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const segment = await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7) });
    const change = { name: 'n', description: 'd' };
    const changed = await stack.call('PUT', `/v2.0/segments/${segment.id}`, { body: { segment: change } });
    expect(changed.body.segment).toMatchObject({ ...change, revision_number: segment.revision_number + 1 });
    expect(await refused('PUT', `segments/${segment.id}`, { segment: { segmentation_id: 8 } })).toMatchObject({
      status: 400,
    });
    const stale = { body: { segment: { name: 'x' } }, headers: { 'If-Match': 'revision_number=1' } };
    expect((await stack.call('PUT', `/v2.0/segments/${segment.id}`, stale)).status).toBe(412);
  });

  test('is found by what it is', async () => {
    const network = await vlanNetwork('physnet1', 101);
    await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7), name: 'seven' });
    await stack.create('network', {});
    const tags = async (query: string) => {
      const { body } = await stack.call('GET', `/v2.0/segments?${query}`);
      return body.segments.map((segment: { segmentation_id: number }) => segment.segmentation_id);
    };
    expect(await tags('physical_network=physnet2')).toEqual([7]);
    expect(await tags('name=seven')).toEqual([7]);
    const sorted = `network_id=${network.id}&sort_key=segmentation_id`;
    expect(await tags(`${sorted}&sort_dir=asc`)).toEqual([7, 101]);
    expect(await tags(`${sorted}&sort_dir=desc&limit=1`)).toEqual([101]);
    expect(await tags('network_type=vxlan')).toHaveLength(1);
    expect((await stack.call('GET', '/v2.0/segments?segmentation_id=7')).status).toBe(400);
  });

  test('is there for administrators alone', async () => {
    const network = await stack.create('network', { project_id: 'alice' });
    const as = member('alice');
    const { body } = await stack.call('GET', '/v2.0/segments', { as });
    expect(body.segments).toEqual([]);
    const segment = { network_id: network.id, network_type: 'vxlan' };
    expect((await stack.call('POST', '/v2.0/segments', { as, body: { segment } })).status).toBe(403);
  });

  test('stays while a port is bound to it', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const segment = await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7) });
    const port = await stack.create('port', { network_id: network.id, 'binding:host_id': 'h1' });
    await stack.database.sql`
      insert into port_binding_levels (port_id, host, level, driver, segment_id)
      values (${port.id}, 'h1', 0, 'some', ${segment.id})`;
    const { body } = await stack.call('DELETE', `/v2.0/segments/${segment.id}`);
    expect(body.NeutronError).toMatchObject({
      type: 'SegmentInUse',
      message: `Segment '${segment.id}' cannot be deleted: it is still associated with the bound ports ${port.id}.`,
    });
    await stack.call('DELETE', `/v2.0/ports/${port.id}`);
    expect((await stack.call('DELETE', `/v2.0/segments/${segment.id}`)).status).toBe(204);
  });

  test('stays while a subnet is on it', async () => {
    const network = await vlanNetwork('physnet1', 101);
    const segment = await stack.create('segment', { network_id: network.id, ...vlan('physnet2', 7) });
    const subnet = await stack.create('subnet', {
      network_id: network.id,
      ip_version: 4,
      cidr: '10.0.0.0/24',
      segment_id: segment.id,
    });
    expect(await refused('DELETE', `segments/${segment.id}`)).toEqual({ status: 409, type: 'SegmentInUse' });
    await stack.call('DELETE', `/v2.0/subnets/${subnet.id}`);
    expect((await stack.call('DELETE', `/v2.0/segments/${segment.id}`)).status).toBe(204);
    expect(await refused('DELETE', `segments/${segment.id}`)).toEqual({ status: 404, type: 'SegmentNotFound' });
  });
});

test('mechanism drivers take part in what becomes of segments', async () => {
  const other = await Stack.start('segment_drivers', {
    DEFAULT: { service_plugins: ['segments'] },
    ml2: { mechanism_drivers: ['logger'] },
  });
  try {
    const network = await other.create('network', {});
    const segment = await other.create('segment', { network_id: network.id, network_type: 'vxlan' });
    expect((await other.call('DELETE', `/v2.0/segments/${segment.id}`)).status).toBe(204);
    expect(other.errors).toEqual([]);
  } finally {
    await other.stop();
  }
});
