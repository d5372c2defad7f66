/** Devices as agents ask for them and report them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, Cloud, shapeOf } from './support.ts';

let cloud: Cloud;
let lan: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2_devices');
  await cloud.agent('host1', { tunneling_ip: '192.0.2.1' });
  await cloud.agent('host2', { tunneling_ip: '192.0.2.2' });
  lan = await cloud.lan('10.0.0.0/22');
});
afterAll(() => cloud.stop());

const status = async (id: string) => (await cloud.show('port', id)).status;

describe('get_device_details', () => {
  it('answers what was observed of Neutron', async () => {
    const pair = { mac_address: 'fa:16:3e:00:00:77', ip_address: '10.0.0.77' };
    const port = await cloud.port(lan.id, 'host1', { allowed_address_pairs: [pair] });
    const args = { device: port.id, agent_id: 'ovs-agent-host1', host: 'host1' };
    const answer = await cloud.call('host1', 'get_device_details', args, '1.9');
    expect(shapeOf({ ...answer, segmentation_id: 77 })).toEqual({
      device: '<uuid>',
      network_id: '<uuid>',
      port_id: '<uuid>',
      mac_address: '<mac>',
      admin_state_up: true,
      network_type: 'vxlan',
      segmentation_id: 77,
      physical_network: null,
      mtu: 1450,
      fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
      device_owner: 'compute:nova',
      allowed_address_pairs: [{ mac_address: '<mac>', ip_address: '<ip>' }],
      port_security_enabled: true,
      qos_policy_id: null,
      qos_network_policy_id: null,
      profile: {},
      propagate_uplink_status: true,
    });
    expect(answer).toMatchObject({ port_id: port.id, mac_address: port.mac_address, fixed_ips: port.fixed_ips });
    expect(answer.segmentation_id).toBe((await cloud.show('network', lan.id))['provider:segmentation_id']);
  });

  it('knows a port by its id, its interface and its MAC address', async () => {
    const port = await cloud.port(lan.id, 'host1');
    for (const device of [port.id, `tap${port.id.slice(0, 11)}`, `qvo${port.id.slice(0, 11)}`, port.mac_address]) {
      const answer = await cloud.call('host1', 'get_device_details', { device });
      expect(answer, device).toMatchObject({ device, port_id: port.id });
    }
  });

  it('tells nothing but the name of what there is not, and of what is bound elsewhere or not at all', async () => {
    const elsewhere = await cloud.port(lan.id, 'host2');
    const nowhere = await cloud.port(lan.id, '');
    for (const device of ['x', crypto.randomUUID(), elsewhere.id, elsewhere.mac_address, nowhere.id]) {
      expect(await cloud.call('host1', 'get_device_details', { device })).toEqual({ device });
    }
    expect([await status(elsewhere.id), await status(nowhere.id)]).toEqual(['DOWN', 'DOWN']);
  });

  it('says on the host that a port migrates to that it is not there yet', async () => {
    const port = await cloud.port(lan.id, 'host1');
    await cloud.prepare(port.id, 'host2');
    const args = { device: port.id, host: 'host2' };
    expect(await cloud.call('host2', 'get_device_details', args)).toEqual({ device: port.id, no_active_binding: true });
    expect(await status(port.id)).toBe('DOWN');
  });

  it('makes a port BUILD that its agent is about to wire, also an ACTIVE one, and leaves a disabled one DOWN', async () => {
    const [port, disabled] = [
      await cloud.port(lan.id, 'host1'),
      await cloud.port(lan.id, 'host1', { admin_state_up: false }),
    ];
    await cloud.call('host1', 'get_devices_details_list', { devices: [port.id, disabled.id] });
    expect([await status(port.id), await status(disabled.id)]).toEqual(['BUILD', 'DOWN']);
    await cloud.call('host1', 'update_device_up', { device: port.id });
    expect(await status(port.id)).toBe('ACTIVE');
    await cloud.call('host1', 'get_device_details', { device: port.id });
    expect(await status(port.id)).toBe('BUILD');
  });

  it('binds a port whose binding has failed, once its host can do it', async () => {
    const port = await cloud.port(lan.id, 'host3');
    expect(port['binding:vif_type']).toBe('binding_failed');
    expect(await cloud.call('host3', 'get_device_details', { device: port.id })).toEqual({ device: port.id });
    await cloud.agent('host3', { tunneling_ip: '192.0.2.3' });
    const answer = await cloud.call('host3', 'get_device_details', { device: port.id });
    expect(answer).toMatchObject({ port_id: port.id, network_type: 'vxlan' });
    expect(await cloud.show('port', port.id)).toMatchObject({ status: 'BUILD', 'binding:vif_type': 'ovs' });
  });
});

describe('a list of devices', () => {
  it("is answered in its order, by Neutron's names for those that are not there", async () => {
    const [a, b] = [await cloud.port(lan.id, 'host1'), await cloud.port(lan.id, 'host1')];
    const devices = [b.id, 'nope', `tap${a.id.slice(0, 11)}`];
    const list = await cloud.call('host1', 'get_devices_details_list', { devices }, '1.9');
    expect(list.map((item: Anything) => item.port_id ?? item)).toEqual([b.id, { device: 'nope' }, a.id]);
    const args = { devices, agent_id: 'a', host: 'host1' };
    const answer = await cloud.call('host1', 'get_devices_details_list_and_failed_devices', args, '1.5');
    expect(answer).toEqual({ devices: list, failed_devices: [] });
  });

  it('costs as many statements for fifty devices as for two', async () => {
    const body = (count: number) => ({
      ports: Array.from({ length: count }, () => ({
        network_id: lan.id,
        device_owner: 'compute:nova',
        'binding:host_id': 'host1',
      })),
    });
    const make = async (count: number): Promise<string[]> => {
      const answer = await cloud.stack.call('POST', '/v2.0/ports', { body: body(count) });
      return answer.body.ports.map(({ id }: Anything) => id);
    };
    const [few, many] = [await make(2), await make(50)];
    const costs = async (devices: readonly string[]) => ({
      first: await cloud.cost('host1', 'get_devices_details_list', { devices }),
      up: await cloud.cost('host1', 'update_device_list', { devices_up: devices, devices_down: [] }),
      down: await cloud.cost('host1', 'update_device_list', { devices_up: [], devices_down: devices }),
      again: await cloud.cost('host1', 'update_device_list', { devices_up: [], devices_down: devices }),
    });
    const cost = await costs(many);
    expect(cost).toEqual(await costs(few));
    expect(cost.again).toBe(1);
  });
});

describe('update_device_up', () => {
  it('makes a port ACTIVE, answers null, and says it again without effect', async () => {
    const port = await cloud.port(lan.id, 'host1');
    const args = { device: port.id, agent_id: 'ovs-agent-host1', host: 'host1' };
    expect(await cloud.call('host1', 'update_device_up', args, '1.9')).toBeNull();
    const once = await cloud.show('port', port.id);
    expect(once.status).toBe('ACTIVE');
    const messages = await cloud.told('q-agent-notifier', async () => {
      expect(await cloud.call('host1', 'update_device_up', args, '1.9')).toBeNull();
    });
    expect(messages).toEqual([]);
    expect(await cloud.show('port', port.id)).toEqual(once);
  });

  it('counts once when copies of the request run at the same time', async () => {
    const port = await cloud.port(lan.id, 'host1');
    const before = await cloud.show('port', port.id);
    const messages = await cloud.told('q-agent-notifier-l2population', async () => {
      await cloud.port(lan.id, 'host2');
      await Promise.all(Array.from({ length: 8 }, () => cloud.call('host1', 'update_device_up', { device: port.id })));
    });
    const after = await cloud.show('port', port.id);
    expect([after.status, after.revision_number]).toEqual(['ACTIVE', before.revision_number + 1]);
    expect(messages.filter(({ to }) => to.includes('host2'))).toHaveLength(1);
  });

  it('of another host, or of a port that is not bound there, changes nothing', async () => {
    const port = await cloud.port(lan.id, 'host1');
    expect(await cloud.call('host2', 'update_device_up', { device: port.id, host: 'host2' })).toBeNull();
    await cloud.prepare(port.id, 'host2');
    expect(await cloud.call('host2', 'update_device_up', { device: port.id, host: 'host2' })).toBeNull();
    expect(await status(port.id)).toBe('DOWN');
    await expect(cloud.call('host2', 'update_device_up', { device: port.id, host: 'host1' })).rejects.toMatchObject({
      type: 'ForeignHost',
    });
  });
});

describe('update_device_down', () => {
  it('makes a port DOWN, as often as it is said', async () => {
    const port = await cloud.port(lan.id, 'host1');
    await cloud.call('host1', 'update_device_up', { device: port.id });
    const args = { device: port.id, agent_id: 'ovs-agent-host1', host: 'host1' };
    for (const _ of [1, 2]) {
      expect(await cloud.call('host1', 'update_device_down', args, '1.9')).toEqual({ device: port.id, exists: true });
      expect(await status(port.id)).toBe('DOWN');
    }
  });

  it('of a port that is elsewhere answers as of none', async () => {
    const port = await cloud.port(lan.id, 'host1');
    await cloud.call('host1', 'update_device_up', { device: port.id });
    for (const device of [port.id, 'nope']) {
      expect(await cloud.call('host2', 'update_device_down', { device })).toEqual({ device, exists: false });
    }
    expect(await status(port.id)).toBe('ACTIVE');
  });
});

describe('update_device_list', () => {
  it('answers what was observed of Neutron', async () => {
    const [up, down] = [await cloud.port(lan.id, 'host1'), await cloud.port(lan.id, 'host1')];
    await cloud.call('host1', 'update_device_up', { device: down.id });
    const args = { devices_up: [up.id], devices_down: [down.id], agent_id: 'a', host: 'host1', refresh_tunnels: true };
    expect(await cloud.call('host1', 'update_device_list', args, '1.9')).toEqual({
      devices_up: [up.id],
      failed_devices_up: [],
      devices_down: [{ device: down.id, exists: true }],
      failed_devices_down: [],
    });
    expect([await status(up.id), await status(down.id)]).toEqual(['ACTIVE', 'DOWN']);
  });
});

describe('get_ports_by_vnic_type_and_host', () => {
  it('answers the ports on the host, in parts if it is asked so', async () => {
    const own = await cloud.lan('10.9.0.0/24');
    await cloud.agent('host4', { tunneling_ip: '192.0.2.4' });
    const ids = [];
    for (const _ of [1, 2, 3]) ids.push((await cloud.port(own.id, 'host4')).id);
    ids.sort();
    const args = { vnic_type: 'normal', host: 'host4' };
    const all = await cloud.call('host4', 'get_ports_by_vnic_type_and_host', args, '1.7');
    expect(all.map(({ id }: Anything) => id)).toEqual(ids);
    expect(all[0]).toEqual({ ...(await cloud.show('port', ids[0])), ip_allocation: 'immediate' });
    const part = await cloud.call('host4', 'get_ports_by_vnic_type_and_host', { ...args, limit: 2, marker: ids[0] });
    expect(part.map(({ id }: Anything) => id)).toEqual(ids.slice(1));
    expect(await cloud.call('host4', 'get_ports_by_vnic_type_and_host', { ...args, vnic_type: 'direct' })).toEqual([]);
  });
});

describe('get_network_details', () => {
  it('answers a host that has ports on the network, and no other', async () => {
    const own = await cloud.lan('10.8.0.0/24');
    const args = { network: own.id, agent_id: 'a', host: 'host1' };
    await expect(cloud.call('host1', 'get_network_details', args, '1.6')).rejects.toMatchObject({
      type: 'NetworkNotFound',
    });
    await cloud.port(own.id, 'host1');
    const answer = await cloud.call('host1', 'get_network_details', args, '1.6');
    expect(answer).toEqual(await cloud.show('network', own.id));
    expect(answer).toMatchObject({ id: own.id, mtu: 1450, 'provider:network_type': 'vxlan', subnets: [own.subnet_id] });
  });
});

describe('arguments that are nonsense', () => {
  it.each([
    ['get_device_details', {}],
    ['get_device_details', { device: ['a'] }],
    ['get_device_details', { device: 'x'.repeat(256) }],
    ['get_device_details', { device: '\u0000' }],
    ['get_devices_details_list', { devices: 'all' }],
    ['get_devices_details_list', { devices: [null] }],
    ['get_devices_details_list', { devices: Array.from({ length: 1001 }, (_, n) => `tap${n}`) }],
    ['get_network_details', { network: "' or true" }],
    ['get_network_details', {}],
    ['update_device_up', { device: 7 }],
    ['update_device_list', { devices_up: [{}] }],
    ['update_device_list', { devices_up: [], refresh_tunnels: 'yes' }],
    ['get_ports_by_vnic_type_and_host', { vnic_type: 'normal', limit: 0 }],
    ['tunnel_sync', { tunnel_ip: 'here', tunnel_type: 'vxlan' }],
    ['get_subnet_for_dvr', { subnet: 1 }],
    ['get_ports', { filters: { project_id: ['p'] } }],
    ['get_ports', { filters: {} }],
  ])('of %s are refused: %j', async (method, args) => {
    await expect(cloud.call('host1', method, args)).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('hide in names that are too short for a device, or hold what no name has', async () => {
    for (const device of ['', 'tap', 'tap%', '%', "tap' or 1=1 --", '../etc']) {
      expect(await cloud.call('host1', 'get_device_details', { device })).toEqual({ device });
    }
  });
});
