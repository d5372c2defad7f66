/** Ports are bound when they are made or change: what is shown, what is kept, what happens when nobody can. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { ADMIN, refusal, type Thing, World } from '../ml2/support.ts';
import { failures, levels, OVS, putAgent, recordingLog } from './support.ts';

const { log, lines } = recordingLog();
let world: World;
let network: Thing;
beforeAll(async () => {
  world = await World.start({ ml2: { mechanism_drivers: ['openvswitch', 'sriovnicswitch'] } }, undefined, log);
  // So large that addresses chosen at random are seldom met twice.
  ({ network } = await world.lan({ cidr: '10.0.0.0/9' }));
});
afterAll(() => world.stop());
beforeEach(async () => {
  await putAgent(world.database, 'h1');
  await putAgent(world.database, 'h2');
});
afterEach(async () => {
  await world.database.sql`delete from agents`;
  await world.database.sql`delete from ports`;
  lines.length = 0;
});

const port = (body: Resource = {}) => world.create('port', { network_id: network.id, ...body });
const onHost = (host: string, body: Resource = {}) => port({ 'binding:host_id': host, ...body });
const binding = (thing: Thing) => [thing['binding:vif_type'], thing['binding:host_id'], thing['status']];
const BOUND = {
  'binding:vif_type': 'ovs',
  'binding:vif_details': {
    connectivity: 'l2',
    port_filter: true,
    ovs_hybrid_plug: false,
    ovs_create_tap: true,
    datapath_type: 'system',
    bridge_name: 'br-int',
    bound_drivers: { '0': 'openvswitch' },
  },
};

describe('create_port', () => {
  test('with a host answers the port as it is bound there', async () => {
    const made = await onHost('h1');
    expect(made).toMatchObject({ ...BOUND, status: 'DOWN', revision_number: 2 });
    expect(await world.show('port', made.id)).toEqual(made);
    expect(await levels(world, made.id)).toEqual(['openvswitch: vxlan']);
    expect(await failures(world, made.id)).toEqual([]);
  });

  test('without a host binds nothing', async () => {
    const made = await port();
    expect(binding(made)).toEqual(['unbound', '', 'DOWN']);
    expect(made.revision_number).toBe(1);
  });

  test('keeps why a port is not bound, by driver, and warns of it', async () => {
    await putAgent(world.database, 'h2', OVS, { alive: false });
    const made = await onHost('h2');
    expect(made).toMatchObject({ 'binding:vif_type': 'binding_failed', 'binding:vif_details': {} });
    const reasons = [
      expect.stringMatching(/^openvswitch: the Open vSwitch agent on host h2 is dead; its last report is of .* UTC$/),
      'sriovnicswitch: vnic type normal is not supported, only direct, macvtap, direct-physical, accelerator-direct',
    ];
    expect(await failures(world, made.id)).toEqual(reasons);
    expect(lines).toEqual([
      {
        message: 'a port is not bound: no mechanism driver binds it to its host',
        fields: expect.objectContaining({
          port_id: made.id,
          host: 'h2',
          failures: [
            expect.objectContaining({ driver: 'openvswitch' }),
            expect.objectContaining({ driver: 'sriovnicswitch' }),
          ],
        }),
      },
    ]);
    expect(await levels(world, made.id)).toEqual([]);
  });

  test('gives a whole card the MAC address that its profile names, ACTIVE at once', async () => {
    const physical = await world.create('network', {
      'provider:network_type': 'vlan',
      'provider:physical_network': 'physnet1',
      'provider:segmentation_id': 101,
    });
    const card = (device_mac_address: string) =>
      world.create('port', {
        network_id: physical.id,
        device_id: 'vm1',
        'binding:host_id': 'h1',
        'binding:vnic_type': 'direct-physical',
        'binding:profile': { device_mac_address },
      });
    const made = await card('0c:42:a1:00:00:01');
    expect(made).toMatchObject({
      'binding:vif_type': 'hostdev_physical',
      mac_address: '0c:42:a1:00:00:01',
      status: 'ACTIVE',
    });
    expect(await refusal(card('0c:42:a1:00:00:01'))).toMatchObject({ type: 'MacAddressInUse', status: 409 });
    expect(await world.list('port')).toHaveLength(1);
    const back = await world.update('port', made.id, { device_id: '', device_owner: '', 'binding:host_id': '' });
    expect(back.mac_address).not.toBe(made.mac_address);
    await world.remove('port', made.id);
    await world.remove('network', physical.id);
  });
});

describe('update_port', () => {
  test('binds a port that gets a host', async () => {
    const made = await port();
    const updated = await world.update('port', made.id, { 'binding:host_id': 'h1', device_owner: 'compute:nova' });
    expect(updated).toMatchObject({ ...BOUND, status: 'DOWN', revision_number: 3 });
    expect(await world.show('port', made.id)).toEqual(updated);
  });

  test('binds a port anew that moves, or that another profile is set for', async () => {
    const made = await onHost('h1');
    await world.database.sql`update ports set status = 'ACTIVE'`;
    const moved = await world.update('port', made.id, { 'binding:host_id': 'h2' });
    expect(binding(moved)).toEqual(['ovs', 'h2', 'DOWN']);
    await world.database.sql`update ports set status = 'ACTIVE'`;
    const changed = await world.update('port', made.id, { 'binding:profile': { a: 1 } });
    expect(binding(changed)).toEqual(['ovs', 'h2', 'DOWN']);
    expect(await levels(world, made.id)).toEqual(['openvswitch: vxlan']);
  });

  test('takes a binding down whose host is taken away', async () => {
    const made = await onHost('h1');
    const updated = await world.update('port', made.id, { 'binding:host_id': '' });
    expect(updated).toMatchObject({ 'binding:vif_type': 'unbound', 'binding:vif_details': {}, status: 'DOWN' });
    expect(await levels(world, made.id)).toEqual([]);
  });

  test('leaves a binding alone that nothing changes for', async () => {
    const made = await onHost('h1');
    await world.database.sql`update ports set status = 'ACTIVE'`;
    const updated = await world.update('port', made.id, { name: 'x', 'binding:host_id': 'h1' });
    expect(updated).toMatchObject({ ...BOUND, status: 'ACTIVE', revision_number: 3 });
  });

  test('tries a port again that could not be bound, and changes nothing while it still cannot', async () => {
    await putAgent(world.database, 'h1', OVS, { alive: false });
    const made = await onHost('h1');
    const again = await world.update('port', made.id, {});
    expect(again).toEqual(made);
    await putAgent(world.database, 'h1');
    expect(await world.update('port', made.id, {})).toMatchObject(BOUND);
    expect(await failures(world, made.id)).toEqual([]);
  });

  test('refuses another kind of port while it is bound', async () => {
    const made = await onHost('h1', { device_id: 'vm1' });
    const update = (body: Resource) => world.update('port', made.id, body);
    expect(await refusal(update({ 'binding:vnic_type': 'direct' }))).toEqual({
      type: 'PortInUse',
      status: 409,
      message: `Unable to complete operation on port ${made.id} for network ${network.id}. Port already has an attached device vm1.`,
    });
    await update({ 'binding:host_id': '' });
    expect(await update({ 'binding:vnic_type': 'direct' })).toMatchObject({ 'binding:vnic_type': 'direct' });
  });
});

describe('many ports', () => {
  const bodies = (count: number, host = 'h1') =>
    Array.from({ length: count }, (_, place) => ({
      network_id: network.id,
      name: `p${place}`,
      'binding:host_id': place % 2 === 0 ? host : 'h2',
    }));
  const bulk = (count: number) => world.call<readonly Thing[]>('create_port_bulk', { bodies: bodies(count) });

  test('are bound together, by as many statements as one', async () => {
    const made = await bulk(5);
    expect(made.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    for (const each of made) expect(each).toMatchObject(BOUND);
    const one = await world.statements(() => bulk(1));
    expect(await world.statements(() => bulk(40))).toBe(one);
  });

  test('cost eight statements more where they have a host', async () => {
    const unbound = await world.statements(() => port());
    const withHost = await world.statements(() => onHost('h1'));
    // The inputs, and BEGIN, lock, bindings, revisions, blocks, outbox, COMMIT.
    expect(withHost - unbound).toBe(8);
  });
});

describe('an agent that comes back', () => {
  const report = async (host: string, agent_type = 'Open vSwitch agent') => {
    const [listener] = world.plugin.stateReportListeners!();
    const state = { agent_type, binary: 'neutron-openvswitch-agent', host, topic: 'N/A', configurations: OVS };
    const args = { agent_state: { agent_state: state } };
    return await listener!.endpoints[0]!.methods['report_state']!({ context: ADMIN, host }, args as never);
  };

  test('binds the ports of its host that could not be', async () => {
    await putAgent(world.database, 'h1', OVS, { alive: false });
    const made = await onHost('h1');
    const other = await onHost('h3');
    expect(await report('h1')).toBe('revived');
    expect(await world.show('port', made.id)).toMatchObject(BOUND);
    expect(await world.show('port', other.id)).toMatchObject({ 'binding:vif_type': 'binding_failed' });
    expect(await report('h3')).toBe('new');
    expect(await world.show('port', other.id)).toMatchObject(BOUND);
  });

  test('does not where it is disabled', async () => {
    await putAgent(world.database, 'h4', OVS, { alive: false, enabled: false });
    const made = await onHost('h4');
    expect(await report('h4')).toBe('revived');
    expect(await world.show('port', made.id)).toMatchObject({ 'binding:vif_type': 'binding_failed' });
  });
});

describe('segments', () => {
  test('of a network with several are tried in their order', async () => {
    const several = await world.create('network', {
      segments: [
        { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet2', 'provider:segmentation_id': 5 },
        { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet1', 'provider:segmentation_id': 105 },
      ],
    });
    const made = await world.create('port', { network_id: several.id, 'binding:host_id': 'h1' });
    const [row] = await world.database.sql`
      select s.physical_network from port_binding_levels l join network_segments s on s.id = l.segment_id
      where l.port_id = ${made.id}`;
    expect(row).toEqual({ physical_network: 'physnet1' });
  });

  test('a network without any leaves its ports unbound', async () => {
    const bare = await world.create('network', {});
    await world.database.sql`delete from network_segments where network_id = ${bare.id}`;
    const made = await world.create('port', { network_id: bare.id, 'binding:host_id': 'h1' });
    expect(binding(made)).toEqual(['unbound', 'h1', 'DOWN']);
    expect(lines).toEqual([]);
  });
});

test('without mechanism drivers a port with a host is not bound, and it is said why', async () => {
  const bare = await World.start();
  try {
    const lan = await bare.lan();
    const made = await bare.create('port', { network_id: lan.network.id, 'binding:host_id': 'h1' });
    expect(made).toMatchObject({ 'binding:vif_type': 'binding_failed', 'binding:host_id': 'h1' });
    expect(await failures(bare, made.id)).toEqual(['ml2: none of [ml2] mechanism_drivers binds ports']);
  } finally {
    await bare.stop();
  }
});
