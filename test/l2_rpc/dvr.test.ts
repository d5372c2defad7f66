/** What L2 agents ask where routers are distributed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, Cloud, shapeOf } from './support.ts';

const FORM = /^FA-16-3F-[0-9A-F]{2}-[0-9A-F]{2}-[0-9A-F]{2}$/;

let cloud: Cloud;
let lan: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2_dvr');
  await cloud.agent('host1', { tunneling_ip: '192.0.2.1' });
  lan = await cloud.lan();
});
afterAll(() => cloud.stop());

const macOf = (host: string) => cloud.call(host, 'get_dvr_mac_address_by_host', { host });

describe('get_dvr_mac_address_by_host', () => {
  it('makes an address for the host, tells all, and answers the same from then on', async () => {
    let mac: Anything;
    const messages = await cloud.told('q-agent-notifier-dvr', async () => {
      mac = await macOf('host1');
    });
    expect(mac).toEqual({ host: 'host1', mac_address: expect.stringMatching(FORM) });
    expect(messages).toEqual([
      {
        topic: 'q-agent-notifier-dvr-update',
        method: 'dvr_mac_address_update',
        version: '1.0',
        to: 'all',
        args: { dvr_macs: [mac] },
      },
    ]);
    expect(await cloud.told('q-agent-notifier-dvr', () => macOf('host1'))).toEqual([]);
    expect(await macOf('host1')).toEqual(mac);
    expect(await cloud.call('host2', 'get_dvr_mac_address_list', {})).toEqual([mac]);
  });

  it('asked by many hosts at once, each twice, gives each one of its own', async () => {
    const hosts = Array.from({ length: 20 }, (_, n) => `h${n}`);
    const macs = await Promise.all([...hosts, ...hosts].map(macOf));
    expect(new Set(macs.map(({ mac_address }) => mac_address)).size).toBe(20);
    expect(macs.slice(0, 20)).toEqual(macs.slice(20));
  });

  it('is for the host that asks alone', async () => {
    await expect(cloud.call('host1', 'get_dvr_mac_address_by_host', { host: 'host2' })).rejects.toMatchObject({
      type: 'ForeignHost',
    });
  });

  it('goes with the last agent of the host', async () => {
    const [first, second] = [await cloud.agent('gone'), crypto.randomUUID()];
    await cloud.sql`
      insert into agents select ${second}, 'L3 agent', 'neutron-l3-agent', topic, host, admin_state_up, availability_zone,
        created_at, started_at, heartbeat_timestamp, description, configurations, resource_versions, load, resources_synced
      from agents where id = ${first}`;
    const mac = await macOf('gone');
    const list = () => cloud.call('host1', 'get_dvr_mac_address_list', {});
    expect(await cloud.told('q-agent-notifier-dvr', () => cloud.remove('agent', first))).toEqual([]);
    expect(await list()).toContainEqual(mac);
    expect(await cloud.told('q-agent-notifier-dvr', () => cloud.remove('agent', second))).toHaveLength(1);
    expect(await list()).not.toContainEqual(mac);
  });
});

describe('get_ports_on_host_by_subnet', () => {
  it('answers what was observed of Neutron, of the own host', async () => {
    const port = await cloud.port(lan.id, 'host1', { device_id: 'vm3' });
    await cloud.port(lan.id, 'host1', { device_owner: 'network:router_gateway' });
    const args = { host: 'host1', subnet: lan.subnet_id };
    const answer = await cloud.call('host1', 'get_ports_on_host_by_subnet', args);
    expect(shapeOf(answer)).toEqual([
      {
        id: '<uuid>',
        name: '',
        network_id: '<uuid>',
        project_id: port.project_id,
        mac_address: '<mac>',
        admin_state_up: true,
        status: 'DOWN',
        device_id: 'vm3',
        device_owner: 'compute:nova',
        tenant_id: port.project_id,
      },
    ]);
    expect(answer[0].id).toBe(port.id);
    expect(await cloud.call('host2', 'get_ports_on_host_by_subnet', { ...args, host: 'host2' })).toEqual([]);
  });
});

describe('get_subnet_for_dvr', () => {
  it('answers the subnet with the MAC address of its gateway, to a host with ports on the network', async () => {
    const own = await cloud.lan('10.7.0.0/24');
    const args = { subnet: own.subnet_id, fixed_ips: null };
    await cloud.port(own.id, 'host1');
    expect(await cloud.call('host1', 'get_subnet_for_dvr', args)).toEqual({});
    const gateway = await cloud.port(own.id, '', {
      device_owner: 'network:router_interface_distributed',
      fixed_ips: [{ ip_address: '10.7.0.1' }],
    });
    const subnet = await cloud.show('subnet', own.subnet_id);
    const answer = { ...subnet, shared: false, gateway_mac: gateway.mac_address };
    expect(await cloud.call('host1', 'get_subnet_for_dvr', args)).toEqual(answer);
    expect(await cloud.call('host2', 'get_subnet_for_dvr', args)).toEqual({});
    expect(await cloud.call('host1', 'get_subnet_for_dvr', { subnet: crypto.randomUUID() })).toEqual({});
    const other = [{ subnet_id: own.subnet_id, ip_address: '10.7.0.200' }];
    expect(await cloud.call('host1', 'get_subnet_for_dvr', { ...args, fixed_ips: other })).toEqual({});
  });
});
