/** The same over real brokers: an agent that asks, reports, and is told. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROKERS } from '../broker/brokers.ts';
import { until, World } from '../rpc/support.ts';
import { type Anything, Cloud } from './support.ts';

for (const kind of BROKERS) {
  describe.skipIf(!kind.present)(`over ${kind.name}`, () => {
    let cloud: Cloud;
    let world: World;
    let lan: Anything;
    beforeAll(async () => {
      cloud = await Cloud.start('l2_broker');
      world = await World.start(kind, ['host1', 'host2']);
      await world.server(cloud.stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? []));
      for (const n of [1, 2]) await cloud.agent(`host${n}`, { tunneling_ip: `192.0.2.${n}` });
      lan = await cloud.lan();
    });
    afterAll(async () => {
      await world?.stop();
      await cloud?.stop();
    });

    test('a port is asked for, wired and ACTIVE', async () => {
      const port = await cloud.port(lan.id, 'host1');
      const client = await world.client('host1');
      const call = (method: string, args: object) =>
        client.call('q-plugin', method, { agent_id: 'a', host: 'host1', ...args }, { version: '1.9' });
      expect(await call('tunnel_sync', { tunnel_ip: '192.0.2.1', tunnel_type: 'vxlan' })).toEqual({
        tunnels: [{ ip_address: '192.0.2.1', udp_port: 4789, host: 'host1' }],
      });
      const [details] = (await call('get_devices_details_list', { devices: [port.id] })) as Anything[];
      expect(details).toMatchObject({ port_id: port.id, network_type: 'vxlan' });
      expect(await call('update_device_list', { devices_up: [port.id], devices_down: [] })).toMatchObject({
        devices_up: [port.id],
      });
      expect((await cloud.show('port', port.id)).status).toBe('ACTIVE');
    });

    test('casts that come again and again say the same', async () => {
      const port = await cloud.port(lan.id, 'host1');
      const client = await world.client('host1');
      for (let n = 0; n < 20; n++) {
        await client.cast('q-plugin', 'update_device_up', { device: port.id, host: 'host1' }, { version: '1.9' });
      }
      const shown = await until(async () => {
        const now = await cloud.show('port', port.id);
        return now.status === 'ACTIVE' && now;
      }, 'the port is ACTIVE');
      const answer = await client.call('q-plugin', 'update_device_up', { device: port.id }, { version: '1.9' });
      expect(answer).toBeNull();
      expect(await cloud.show('port', port.id)).toEqual(shown);
    });

    test('an agent is told nothing of ports on other hosts, and speaks for none', async () => {
      const port = await cloud.port(lan.id, 'host1');
      const client = await world.client('host2');
      const call = (method: string, args: object) => client.call('q-plugin', method, { device: port.id, ...args });
      expect(await call('get_device_details', { host: 'host2' })).toEqual({ device: port.id });
      await expect(call('update_device_up', { host: 'host1' })).rejects.toMatchObject({ type: 'ForeignHost' });
      expect(await call('update_device_up', {})).toBeNull();
      expect((await cloud.show('port', port.id)).status).toBe('DOWN');
    });
  });
}
