/** Subnets on segments: all of a network's or none, and what may change. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { member, Stack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('segment_subnets', { DEFAULT: { service_plugins: ['segments'] } });
});
afterAll(() => stack?.stop());
afterEach(() => stack.clear());

const NOBODY = '00000000-0000-4000-8000-000000000000';
let octet = 0;

/** A network with two segments. */
async function routed() {
  const network = await stack.create('network', {});
  const second = await stack.create('segment', { network_id: network.id, network_type: 'vxlan' });
  const { body } = await stack.call('GET', `/v2.0/segments?network_id=${network.id}`);
  const first = body.segments.find(({ id }: { id: string }) => id !== second.id);
  return { network, first, second };
}

const subnetBody = (network: { id: string }, segment_id?: string | null, more: object = {}) => ({
  network_id: network.id,
  ip_version: 4,
  cidr: `10.0.${octet++}.0/24`,
  ...(segment_id === undefined ? {} : { segment_id }),
  ...more,
});

async function refused(method: string, path: string, body: object) {
  const answer = await stack.call(method, `/v2.0/${path}`, { body });
  return { status: answer.status, type: answer.body.NeutronError.type };
}

describe('creating a subnet', () => {
  test('on a segment shows it, and that the network is no longer one stretch of layer 2', async () => {
    const { network, first, second } = await routed();
    const subnet = await stack.create('subnet', subnetBody(network, first.id));
    expect(subnet.segment_id).toBe(first.id);
    await stack.create('subnet', subnetBody(network, second.id));
    const { body } = await stack.call('GET', `/v2.0/subnets?segment_id=${second.id}&fields=segment_id`);
    expect(body.subnets).toEqual([{ segment_id: second.id }]);
    const seen = await stack.call('GET', `/v2.0/networks/${network.id}`);
    expect(seen.body.network.l2_adjacency).toBe(false);
  });

  test('several on segments at once', async () => {
    const { network, first, second } = await routed();
    const subnets = [subnetBody(network, first.id), subnetBody(network, second.id)];
    const answer = await stack.call('POST', '/v2.0/subnets', { body: { subnets } });
    expect(answer.body.subnets).toMatchObject([{ segment_id: first.id }, { segment_id: second.id }]);
    const mixed = { subnets: [subnetBody(network, first.id), subnetBody(network)] };
    expect(await refused('POST', 'subnets', mixed)).toEqual({
      status: 400,
      type: 'SubnetsNotAllAssociatedWithSegments',
    });
  });

  test('is all or none on a network; subnets for routed addresses do not count', async () => {
    const { network, first } = await routed();
    await stack.create('subnet', subnetBody(network, first.id));
    const expected = { status: 400, type: 'SubnetsNotAllAssociatedWithSegments' };
    expect(await refused('POST', 'subnets', { subnet: subnetBody(network) })).toEqual(expected);
    await stack.create('subnet', subnetBody(network, null, { service_types: ['network:routed'] }));
    await stack.create('subnet', subnetBody(network, first.id));
    const plain = await routed();
    await stack.create('subnet', subnetBody(plain.network));
    expect(await refused('POST', 'subnets', { subnet: subnetBody(plain.network, plain.first.id) })).toEqual(expected);
  });

  test('on a segment that is none, of another network, or dynamic is refused', async () => {
    const { network, first } = await routed();
    const other = await routed();
    const post = (segment_id: string) => refused('POST', 'subnets', { subnet: subnetBody(network, segment_id) });
    expect(await post(NOBODY)).toEqual({ status: 404, type: 'SegmentNotFound' });
    expect(await post(other.first.id)).toEqual({ status: 400, type: 'NetworkIdsDontMatch' });
    expect(await post('nonsense')).toEqual({ status: 400, type: 'HTTPBadRequest' });
    await stack.database.sql`update network_segments set is_dynamic = true where id = ${first.id}`;
    expect(await post(first.id)).toEqual({ status: 400, type: 'SubnetCantAssociateToDynamicSegment' });
  });

  test('on a segment is for administrators, who alone see it', async () => {
    const network = await stack.create('network', { project_id: 'alice' });
    const as = member('alice');
    const segments = (await stack.call('GET', `/v2.0/segments?network_id=${network.id}`)).body.segments;
    const body = { subnet: subnetBody(network, segments[0].id, { project_id: 'alice' }) };
    expect((await stack.call('POST', '/v2.0/subnets', { as, body })).status).toBe(403);
    await stack.create('subnet', body.subnet);
    const seen = await stack.call('GET', '/v2.0/subnets', { as });
    expect(seen.body.subnets).toHaveLength(1);
    expect(seen.body.subnets[0]).not.toHaveProperty('segment_id');
  });

  test('while its segment is being deleted ends in one of both', async () => {
    const { network, first } = await routed();
    const [made, gone] = await Promise.all([
      stack.call('POST', '/v2.0/subnets', { body: { subnet: subnetBody(network, first.id) } }),
      stack.call('DELETE', `/v2.0/segments/${first.id}`),
    ]);
    expect([
      [201, 409],
      [404, 204],
    ]).toContainEqual([made.status, gone.status]);
  });
});

describe('updating the segment of a subnet', () => {
  const put = (id: string, segment_id: string | null) =>
    stack.call('PUT', `/v2.0/subnets/${id}`, { body: { subnet: { segment_id } } });
  const refusedPut = (id: string, segment_id: string | null) =>
    refused('PUT', `subnets/${id}`, { subnet: { segment_id } });

  test('puts the only subnet of a network on its only segment, once', async () => {
    const network = await stack.create('network', {});
    const [segment] = (await stack.call('GET', `/v2.0/segments?network_id=${network.id}`)).body.segments;
    const subnet = await stack.create('subnet', subnetBody(network));
    expect(await refusedPut(subnet.id, NOBODY)).toEqual({ status: 404, type: 'SegmentNotFound' });
    const changed = await put(subnet.id, segment.id);
    expect(changed.body.subnet).toMatchObject({ segment_id: segment.id, revision_number: subnet.revision_number + 1 });
    expect((await put(subnet.id, segment.id)).status).toBe(200);
    expect(await refusedPut(subnet.id, null)).toEqual({
      status: 400,
      type: 'SubnetSegmentAssociationChangeNotAllowed',
    });
  });

  test('is refused where there are more segments or subnets', async () => {
    const { network, first } = await routed();
    const subnet = await stack.create('subnet', subnetBody(network));
    expect(await refusedPut(subnet.id, first.id)).toEqual({
      status: 400,
      type: 'NoUpdateSubnetWhenMultipleSegmentsOnNetwork',
    });
    await stack.create('subnet', subnetBody(network));
    expect(await refusedPut(subnet.id, first.id)).toEqual({
      status: 400,
      type: 'SubnetsNotAllAssociatedWithSegments',
    });
  });
});

test('without the plugin there are no segments and no attributes of theirs', async () => {
  const plain = await Stack.start('no_segments');
  try {
    expect((await plain.call('GET', '/v2.0/segments')).status).toBe(404);
    expect(await plain.create('network', {})).not.toHaveProperty('l2_adjacency');
  } finally {
    await plain.stop();
  }
});
