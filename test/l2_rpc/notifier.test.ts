/** What L2 agents are told of networks and ports, and who is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, Cloud, shapeOf } from './support.ts';

let cloud: Cloud;
let lan: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2_notifier', { DEFAULT: { service_plugins: ['segments'] } });
  for (const n of [1, 2, 3]) await cloud.agent(`host${n}`, { tunneling_ip: `192.0.2.${n}` });
  lan = await cloud.lan();
});
afterAll(() => cloud.stop());

const segment = { network_type: 'vxlan', physical_network: null };

describe('port_update', () => {
  it('has what was observed of Neutron, and goes to the host of the port', async () => {
    const port = await cloud.port(lan.id, 'host1');
    const messages = await cloud.told('q-agent-notifier-port', () =>
      cloud.update('port', port.id, { admin_state_up: false }),
    );
    const shown = await cloud.show('port', port.id);
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-port-update',
        method: 'port_update',
        version: '1.0',
        to: ['host1'],
        args: { port: { ...shown, ip_allocation: 'immediate' }, ...segment, segmentation_id: expect.any(Number) },
      },
    ]);
    expect(shapeOf(messages[0]?.args.port)).toMatchObject({
      id: '<uuid>',
      admin_state_up: false,
      fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
      'binding:host_id': 'host1',
      'binding:vif_type': 'ovs',
      revision_number: expect.any(Number),
      updated_at: '<time>',
    });
  });

  it('of a port that moves goes to the host it leaves, too', async () => {
    const port = await cloud.port(lan.id, 'host1');
    const messages = await cloud.told('q-agent-notifier-port', () =>
      cloud.update('port', port.id, { 'binding:host_id': 'host2' }),
    );
    expect(new Set(messages.flatMap(({ to }) => to))).toEqual(new Set(['host1', 'host2']));
    expect(messages.at(-1)?.args.port['binding:host_id']).toBe('host2');
  });

  it('of a port that migrates goes to both of its hosts', async () => {
    const port = await cloud.port(lan.id, 'host1');
    await cloud.prepare(port.id, 'host3');
    const messages = await cloud.told('q-agent-notifier-port', () =>
      cloud.update('port', port.id, { admin_state_up: false }),
    );
    expect(messages.map(({ to }) => to)).toEqual([['host1', 'host3']]);
  });

  it('is not sent for what agents do not apply, nor for a port that is nowhere', async () => {
    const [port, nowhere] = [await cloud.port(lan.id, 'host1'), await cloud.port(lan.id, '')];
    const messages = await cloud.told('q-agent-notifier-port', async () => {
      await cloud.update('port', port.id, { name: 'other', description: 'other' });
      await cloud.update('port', nowhere.id, { admin_state_up: false });
      await cloud.remove('port', nowhere.id);
    });
    expect(messages).toEqual([]);
  });

  it('that waits while the port is deleted is dropped; port_delete comes', async () => {
    const port = await cloud.port(lan.id, 'host1');
    const messages = await cloud.told('q-agent-notifier-port', async () => {
      await cloud.update('port', port.id, { admin_state_up: false });
      await cloud.remove('port', port.id);
    });
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-port-delete',
        method: 'port_delete',
        version: '1.0',
        to: ['host1'],
        args: { port_id: port.id },
      },
    ]);
  });
});

describe('network_update', () => {
  it('goes to the hosts with ports on the network, with the network as it is', async () => {
    const own = await cloud.lan('10.3.0.0/24');
    for (const host of ['host1', 'host3', 'host3', '']) await cloud.port(own.id, host);
    const messages = await cloud.told('q-agent-notifier-network', async () => {
      await cloud.update('network', own.id, { mtu: 1400 });
      await cloud.update('network', own.id, { name: 'only a name' });
    });
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-network-update',
        method: 'network_update',
        version: '1.4',
        to: ['host1', 'host3'],
        args: { network: await cloud.show('network', own.id) },
      },
    ]);
    expect(messages[0]?.args.network).toMatchObject({ mtu: 1400, name: 'only a name' });
  });

  it('comes when segments come and go', async () => {
    const own = await cloud.lan('10.4.0.0/24');
    await cloud.port(own.id, 'host2');
    const body = { network_id: own.id, network_type: 'vlan', physical_network: 'physnet1', segmentation_id: 150 };
    const messages = await cloud.told('q-agent-notifier-network', async () => {
      const { id } = await cloud.stack.create('segment', body);
      await cloud.remove('segment', id);
    });
    expect(messages.map(({ method, to }) => [method, to])).toEqual([
      ['network_update', ['host2']],
      ['network_update', ['host2']],
    ]);
  });
});

describe('network_delete', () => {
  it('goes to all, with nothing but the id', async () => {
    const own = await cloud.stack.create('network', {});
    const messages = await cloud.told('q-agent-notifier-network', () => cloud.remove('network', own.id));
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-network-delete',
        method: 'network_delete',
        version: '1.0',
        to: 'all',
        args: { network_id: own.id },
      },
    ]);
  });
});
