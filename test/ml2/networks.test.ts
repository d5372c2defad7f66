/** Networks through the plugin's verbs, on PostgreSQL. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { ADMIN, ALICE, BOB, filter, refusal, type Thing, World } from './support.ts';

let world: World;
beforeAll(async () => {
  world = await World.start({ ml2: { mechanism_drivers: ['logger'] } });
});
afterAll(() => world?.stop());
afterEach(async () => {
  for (const port of await world.list('port')) await world.remove('port', port.id);
  for (const network of await world.list('network')) await world.remove('network', network.id);
  await world.notifications();
});

const vlan = (physical: string, tag?: number): Resource => ({
  'provider:network_type': 'vlan',
  'provider:physical_network': physical,
  ...(tag === undefined ? {} : { 'provider:segmentation_id': tag }),
});

describe('create_network', () => {
  test('gives what Neutron gives', async () => {
    const network = await world.create('network', { name: 'n1', description: 'd', project_id: 'p1' });
    expect(network).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'n1',
      tenant_id: 'p1',
      project_id: 'p1',
      admin_state_up: true,
      mtu: 1450,
      status: 'ACTIVE',
      subnets: [],
      shared: false,
      port_security_enabled: true,
      'router:external': false,
      is_default: false,
      'provider:network_type': 'vxlan',
      'provider:physical_network': null,
      'provider:segmentation_id': expect.any(Number),
      availability_zone_hints: [],
      availability_zones: [],
      description: 'd',
      tags: [],
      revision_number: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(await world.show('network', network.id)).toEqual(network);
    expect(await world.list('network')).toEqual([network]);
  });

  test.each([
    ['vxlan', {}, 1450],
    ['geneve', {}, 1450],
    ['gre', {}, 1458],
    ['vlan', { 'provider:physical_network': 'physnet1' }, 1500],
    ['flat', { 'provider:physical_network': 'anything' }, 1500],
    ['local', {}, 1500],
  ])('a %s network has the MTU of its encapsulation', async (type, more, mtu) => {
    const network = await world.create('network', { 'provider:network_type': type, ...more });
    expect(network).toMatchObject({ 'provider:network_type': type, mtu });
  });

  test('a physical network with an MTU of its own limits further, never beyond the whole', async () => {
    expect(await world.create('network', vlan('physnet2', 7))).toMatchObject({ mtu: 1500 });
  });

  test.each<[string, Resource]>([
    ['a VLAN without a physical network', { 'provider:network_type': 'vlan', 'provider:segmentation_id': 5 }],
    ['a VLAN tag that is none', vlan('physnet1', 5000)],
    ['a VLAN on an unknown physical network', vlan('foo', 5)],
    ['a VLAN without tag where tenants have none', vlan('physnet2')],
    ['a tunnel on a physical network', { 'provider:network_type': 'vxlan', 'provider:physical_network': 'physnet1' }],
    ['a tunnel id that is too big', { 'provider:network_type': 'vxlan', 'provider:segmentation_id': 2 ** 24 }],
    ['an unknown type', { 'provider:network_type': 'foo' }],
    ['a segmentation id without a type', { 'provider:segmentation_id': 5 }],
    ['a local network with an id', { 'provider:network_type': 'local', 'provider:segmentation_id': 77 }],
    ['a flat network without a physical network', { 'provider:network_type': 'flat' }],
    ['a flat network with an id', { ...vlan('physnet1', 5), 'provider:network_type': 'flat' }],
    ['an MTU beyond the segment', { mtu: 9000 }],
  ])('%s is InvalidInput and leaves nothing behind', async (_, body) => {
    const before = await world.snapshot();
    expect(await refusal(world.create('network', body))).toMatchObject({ type: 'InvalidInput', status: 400 });
    expect(await world.snapshot()).toEqual(before);
  });

  test('an unknown availability zone is not found', async () => {
    const refused = await refusal(world.create('network', { availability_zone_hints: ['mars'] }));
    expect(refused).toMatchObject({ type: 'AvailabilityZoneNotFound', status: 404 });
  });

  test.each<[string, Resource, string]>([
    ['VLAN', vlan('physnet1', 105), 'VlanIdInUse'],
    ['tunnel', { 'provider:network_type': 'vxlan', 'provider:segmentation_id': 77 }, 'TunnelIdInUse'],
    ['flat network', { 'provider:network_type': 'flat', 'provider:physical_network': 'f' }, 'FlatNetworkInUse'],
  ])('of many who want one %s at once, one gets it; deleting gives it back', async (_, body, type) => {
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => world.create('network', body)));
    const winners = made.filter((result) => result.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const result of made) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type, status: 409 });
    }
    await world.remove('network', winners[0]!.value.id);
    expect(await world.create('network', body)).toMatchObject(body);
  });

  test('the last VLANs of the range go to distinct networks, the rest is refused with 503', async () => {
    const body = { 'provider:network_type': 'vlan' };
    const made = await Promise.allSettled(Array.from({ length: 14 }, () => world.create('network', body)));
    const tags = made.flatMap((result) =>
      result.status === 'fulfilled' ? [Number(result.value['provider:segmentation_id'])] : [],
    );
    expect(tags.toSorted((a, b) => a - b)).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
    const refused = made.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(4);
    for (const error of refused) expect(error).toMatchObject({ type: 'NoNetworkAvailable', status: 503 });
  });

  test('a refused creation gives its segment back', async () => {
    expect(await refusal(world.create('network', { ...vlan('physnet1', 105), mtu: 9999 }))).toMatchObject({
      status: 400,
    });
    expect(await world.create('network', vlan('physnet1', 105))).toMatchObject({ mtu: 1500 });
  });

  test('quota is the last word: beyond it nothing is made', async () => {
    await world.quota.setQuota('small', { network: 2 });
    const bodies = Array.from({ length: 3 }, () => ({ project_id: 'small' }));
    const before = await world.snapshot();
    expect(await refusal(world.call('create_network_bulk', { bodies }))).toMatchObject({ type: 'OverQuota' });
    expect(await world.snapshot()).toEqual(before);
    const made = await Promise.allSettled(bodies.map((body) => world.create('network', body)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });
});

describe('create_network_bulk', () => {
  test('answers in the order of the request, with as many statements for ten as for one', async () => {
    const bodies = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `b${index}` }));
    const bulk = (count: number) => world.call<readonly Resource[]>('create_network_bulk', { bodies: bodies(count) });
    await bulk(1);
    const one = await world.statements(() => bulk(1));
    let made: readonly Resource[] = [];
    const ten = await world.statements(async () => {
      made = await bulk(10);
    });
    expect(made.map(({ name }) => name)).toEqual(bodies(10).map(({ name }) => name));
    // A random VNI may be taken; each that is costs two more.
    expect(ten - one).toBeLessThanOrEqual(4);
  });

  test('is all or nothing', async () => {
    const before = await world.snapshot();
    const bodies = [{ name: 'good' }, { name: 'bad', mtu: 100_000 }];
    expect(await refusal(world.call('create_network_bulk', { bodies }))).toMatchObject({ status: 400 });
    expect(await world.snapshot()).toEqual(before);
  });
});

describe('update_network', () => {
  test('changes what is asked, and the revision once', async () => {
    const network = await world.create('network', { name: 'n1' });
    const changed = { name: 'n2', description: 'x', admin_state_up: false, port_security_enabled: false };
    const updated = await world.update('network', network.id, changed);
    expect(updated).toEqual({ ...network, ...changed, revision_number: 2, updated_at: updated['updated_at'] });
    expect(await world.show('network', network.id)).toEqual(updated);
  });

  test('what is already so changes nothing', async () => {
    const network = await world.create('network', { name: 'n1' });
    expect(await world.update('network', network.id, { name: 'n1', shared: false })).toEqual(network);
  });

  test('If-Match lets exactly one of five updates through', async () => {
    const { id } = await world.create('network', {});
    const tries = Array.from({ length: 5 }, (_, index) =>
      world.call('update_network', { id, body: { name: `x${index}` }, if_match: 1 }),
    );
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ type: 'RevisionNumberConstraintFailed', status: 412 });
      }
    }
    expect(await refusal(world.call('delete_network', { id, if_match: 1 }))).toMatchObject({ status: 412 });
    await world.call('delete_network', { id, if_match: 2 });
  });

  test('the MTU stays between what subnets need and segments carry; 0 asks for the greatest', async () => {
    const { network } = await world.lan();
    const set = (mtu: number) => world.update('network', network.id, { mtu });
    expect(await set(1400)).toMatchObject({ mtu: 1400 });
    expect(await refusal(set(1451))).toMatchObject({ type: 'InvalidInput', status: 400 });
    expect(await refusal(set(67))).toMatchObject({ type: 'NetworkMTUSubnetConflict', status: 409 });
    await world.create('subnet', { network_id: network.id, ip_version: 6, cidr: 'fd00:99::/64' });
    expect(await refusal(set(1279))).toMatchObject({ type: 'NetworkMTUSubnetConflict', status: 409 });
    expect(await set(1280)).toMatchObject({ mtu: 1280 });
    expect(await set(0)).toMatchObject({ mtu: 1450 });
  });

  test('provider attributes stay as they are', async () => {
    const { id } = await world.create('network', {});
    const refused = await refusal(world.update('network', id, { 'provider:segmentation_id': 9 }));
    expect(refused).toMatchObject({ type: 'InvalidInput' });
  });

  test('sharing cannot end while others use the network', async () => {
    const { network } = await world.lan({}, ALICE);
    await world.update('network', network.id, { shared: true });
    expect(await world.show('network', network.id, BOB)).toMatchObject({ shared: true });
    const port = await world.create('port', { network_id: network.id }, BOB);
    const refused = await refusal(world.update('network', network.id, { shared: false }));
    expect(refused).toMatchObject({ type: 'InvalidSharedSetting', status: 409 });
    await world.remove('port', port.id);
    expect(await world.update('network', network.id, { shared: false })).toMatchObject({ shared: false });
    expect(await refusal(world.show('network', network.id, BOB))).toMatchObject({ type: 'NetworkNotFound' });
  });

  test('an external network cannot become internal under a gateway', async () => {
    const { network } = await world.lan();
    await world.update('network', network.id, { 'router:external': true });
    const owner = 'network:router_gateway';
    const port = await world.create('port', { network_id: network.id, device_owner: owner });
    const inside = { 'router:external': false };
    const refused = await refusal(world.update('network', network.id, inside));
    expect(refused).toMatchObject({ type: 'ExternalNetworkInUse', status: 409 });
    await world.remove('port', port.id);
    expect(await world.update('network', network.id, inside)).toMatchObject(inside);
  });
});

describe('visibility', () => {
  test('members see their own, shared and external networks, inside the query', async () => {
    const own = await world.create('network', { name: 'own' }, ALICE);
    const shared = await world.create('network', { name: 'shared', shared: true });
    const external = await world.create('network', { name: 'ext', 'router:external': true });
    const hidden = await world.create('network', { name: 'hidden' }, BOB);
    const seen = await world.list('network', {}, ALICE);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([own.id, shared.id, external.id]));
    expect(await world.list('network')).toHaveLength(4);
    expect(await refusal(world.show('network', hidden.id, ALICE))).toMatchObject({ status: 404 });
    for (const verb of ['update_network', 'delete_network']) {
      const refused = await refusal(world.call(verb, { id: hidden.id, body: { name: 'x' } }, ALICE));
      expect(refused).toMatchObject({ type: 'NetworkNotFound', status: 404 });
    }
    expect((await world.list('network', { filters: [filter('shared', true)] }, ALICE)).map(({ id }) => id)).toEqual([
      shared.id,
    ]);
    const outside = await world.list('network', { filters: [filter('router:external', true)] }, ALICE);
    expect(outside.map(({ id }) => id)).toEqual([external.id]);
  });
});

describe('delete_network', () => {
  test('takes subnets and the ports of the server along, and gives quota back', async () => {
    const { network } = await world.lan({ project_id: 'carol' });
    await world.create('port', { network_id: network.id, device_owner: 'network:dhcp', project_id: 'carol' });
    await world.remove('network', network.id);
    expect(await refusal(world.show('network', network.id))).toMatchObject({ status: 404 });
    expect(await world.quota.details('carol')).toMatchObject({ subnet: { used: 0 }, port: { used: 0 } });
    expect(await world.list('subnet')).toEqual([]);
  });

  test('is refused while ports are on it, and names them', async () => {
    const { network } = await world.lan();
    const port = await world.create('port', { network_id: network.id });
    const before = await world.snapshot();
    const refused = await refusal(world.remove('network', network.id));
    expect(refused).toMatchObject({ type: 'NetworkInUse', status: 409 });
    expect(refused.message).toContain(`id for these ports is: ${port.id}.`);
    expect(await world.snapshot()).toEqual(before);
  });

  test('of deletions and port creations at once, no port is left without its network', async () => {
    const { network } = await world.lan();
    const work = [
      ...Array.from({ length: 4 }, () => world.create('port', { network_id: network.id })),
      world.remove('network', network.id),
      world.remove('network', network.id),
    ];
    for (const result of await Promise.allSettled(work as Promise<unknown>[])) {
      if (result.status === 'rejected') {
        expect(['NetworkInUse', 'NetworkNotFound']).toContain((result.reason as { type?: string }).type);
      }
    }
    const left = await world.list('port');
    expect(await world.list('network')).toHaveLength(left.length > 0 ? 1 : 0);
  });
});

describe('what agents are told', () => {
  test('a deletion is told to all, by id alone', async () => {
    const network = await world.create('network', {});
    await world.remove('network', network.id);
    const [told, ...others] = await world.notifications();
    expect(others).toEqual([]);
    expect(told).toMatchObject({ topic: 'q-agent-notifier-network-delete', host: null });
    expect(told?.message).toMatchObject({ method: 'network_delete', args: { network_id: network.id }, version: '1.0' });
  });

  test('a new MTU is told to the hosts with ports on the network, a new name to nobody', async () => {
    const { network } = await world.lan();
    for (const host of ['h1', 'h2', 'h1', '']) {
      await world.create('port', { network_id: network.id, 'binding:host_id': host });
    }
    await world.update('network', network.id, { name: 'other' });
    expect(await world.notifications()).toEqual([]);
    const updated = await world.update('network', network.id, { mtu: 1300 });
    const told = await world.notifications();
    expect(told.map(({ host }) => host)).toEqual(['h1', 'h2']);
    for (const { topic, message } of told) {
      expect(topic).toBe('q-agent-notifier-network-update');
      const sent = JSON.parse(JSON.stringify(updated));
      expect(message).toMatchObject({ method: 'network_update', args: { network: sent }, version: '1.4' });
    }
  });
});

describe('callbacks', () => {
  test('are told before, in and after each transaction, and can refuse', async () => {
    const events: string[] = [];
    const stops = ['create', 'update', 'delete'].flatMap((operation) =>
      (['before', 'precommit', 'after'] as const).map((phase) =>
        world.callbacks.subscribe('network', `${phase}_${operation as 'create'}`, ({ latest, original }) => {
          const name = ((latest ?? original) as Thing | undefined)?.['name'];
          events.push(`${phase}_${operation} ${name ?? ''}`.trim());
          if (phase === 'precommit' && name === 'forbidden') throw new Error('no');
        }),
      ),
    );
    const { id } = await world.create('network', { name: 'a' });
    await world.update('network', id, { name: 'b' });
    await expect(world.update('network', id, { name: 'forbidden' })).rejects.toThrow('no');
    expect(await world.show('network', id)).toMatchObject({ name: 'b', revision_number: 2 });
    await world.remove('network', id);
    for (const stop of stops) stop();
    expect(events).toEqual([
      'before_create',
      'precommit_create a',
      'after_create a',
      'before_update a',
      'precommit_update b',
      'after_update b',
      'before_update b',
      'precommit_update forbidden',
      'before_delete b',
      'precommit_delete b',
      'after_delete b',
    ]);
  });
});

test('a network of the administrator without a project belongs to nobody', async () => {
  const network = await world.create('network', {}, { ...ADMIN, project_id: null });
  expect(network).toMatchObject({ project_id: '', tenant_id: '' });
});
