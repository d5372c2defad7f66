/** What Nova is told of: requests, agents' reports and migrations, with the notifier as a server loads it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anything, Cloud as L2Cloud } from '../l2_rpc/support.ts';
import { until } from '../rpc/support.ts';
import { admin, type Who } from '../support/stack.ts';
import { Cloud, novaOptions } from './cloud.ts';

const NOVA: Who = { project: 'service', roles: 'service' };

let nova: Cloud;
let cloud: L2Cloud;
let network: Anything;
let stopWorker: () => Promise<void>;

async function start(options: Record<string, boolean | number> = {}): Promise<L2Cloud> {
  const started = await L2Cloud.start('nova_causes', {
    nova: novaOptions(nova),
    DEFAULT: { send_events_interval: 1, service_plugins: ['router'], ...options },
  });
  for (const host of ['host1', 'host2']) await started.agent(host);
  return started;
}

const notifierOf = ({ stack }: L2Cloud) => stack.plugins.find(({ type }) => type === 'nova-notifier')!;

beforeAll(async () => {
  nova = await Cloud.start();
  cloud = await start();
  network = await cloud.lan('10.0.0.0/16');
  const [worker] = notifierOf(cloud).workers?.() ?? [];
  const working = await worker!.start();
  stopWorker = () => working.stop();
});
afterAll(async () => {
  await stopWorker();
  await cloud.stop();
  await nova.stop();
});

let device_id: string;
let id: string;
beforeEach(async () => {
  device_id = crypto.randomUUID();
  nova.instances.add(device_id);
  ({ id } = await cloud.port(network.id, 'host1', { device_id }));
});
afterEach(() => nothingWaits());

const nothingWaits = () =>
  until(async () => (await cloud.sql`select 1 from nova_events`).length === 0, 'Nova has been told all');
const report = (host: string, method: string, device = id) => cloud.call(host, method, { agent_id: 'a', device, host });
/** What has been caused of the port by now, oldest first. */
const events = async (of = id): Promise<readonly string[]> => {
  await nothingWaits();
  return nova.taken.filter(({ tag }) => tag === of).map(({ name, status }) => [name, status].filter(Boolean).join(' '));
};
const bindings = (method: string, path = '', body?: unknown) =>
  cloud.stack.call(method, `/v2.0/ports/${id}/bindings${path}`, { as: NOVA, body });

describe('Nova is told', () => {
  it('of the life of an instance’s port', async () => {
    expect(await events()).toEqual([]);
    await report('host1', 'update_device_up');
    await report('host1', 'update_device_up');
    await cloud.update('port', id, { name: 'new' });
    await report('host1', 'update_device_down');
    await cloud.remove('port', id);
    expect(await events()).toEqual([
      'network-vif-plugged completed',
      'network-changed',
      'network-vif-unplugged completed',
      'network-vif-deleted',
    ]);
    expect(nova.taken.find(({ tag }) => tag === id)?.server_uuid).toBe(device_id);
  });

  it('of a host that is changed: the port is unplugged', async () => {
    await report('host1', 'update_device_up');
    await cloud.update('port', id, { 'binding:host_id': 'host2' });
    await report('host2', 'update_device_up');
    expect(await events()).toEqual([
      'network-vif-plugged completed',
      'network-vif-unplugged completed',
      'network-changed',
      'network-vif-plugged completed',
    ]);
  });

  it('of a live migration: the port is plugged at the destination before it moves, and again when it has', async () => {
    await report('host1', 'update_device_up');
    expect((await bindings('POST', '', { binding: { host: 'host2' } })).status).toBe(201);
    await report('host2', 'update_device_up');
    expect((await cloud.show('port', id)).status).toBe('ACTIVE');
    expect(await events()).toEqual(['network-vif-plugged completed', 'network-vif-plugged completed']);
    await bindings('PUT', '/host2/activate');
    await report('host2', 'update_device_up');
    await bindings('DELETE', '/host1');
    expect((await events()).slice(2)).toEqual(['network-vif-unplugged completed', 'network-vif-plugged completed']);
  });

  it('not by the agent of a host that nobody has prepared', async () => {
    await report('host2', 'update_device_up');
    expect(await events()).toEqual([]);
  });

  it.each([
    ['of no instance', { device_owner: 'network:dhcp', device_id: crypto.randomUUID() }],
    ['whose device is no UUID', { device_owner: 'compute:nova', device_id: 'vm' }],
    ['of nothing', { device_owner: '', device_id: '' }],
  ])('nothing of a port %s', async (_, attributes) => {
    const other = await cloud.port(network.id, 'host1', attributes);
    await report('host1', 'update_device_up', other.id);
    await cloud.update('port', other.id, { name: 'new' });
    await cloud.remove('port', other.id);
    expect(await events(other.id)).toEqual([]);
  });

  it('nothing of a request that is refused', async () => {
    const answer = await cloud.stack.call('PUT', `/v2.0/ports/${id}`, {
      as: admin,
      body: { port: { fixed_ips: [{ ip_address: '192.0.2.1' }] } },
    });
    expect([answer.status, await events()]).toEqual([400, []]);
  });
});

describe('the notifier', () => {
  const caused = async (of: L2Cloud): Promise<readonly string[]> => {
    const lan = await of.lan();
    const port = await of.port(lan.id, 'host1', { device_id });
    await of.call('host1', 'update_device_up', { agent_id: 'a', device: port.id, host: 'host1' });
    await of.update('port', port.id, { name: 'new' });
    await of.remove('port', port.id);
    const rows = await of.sql<{ name: string }[]>`select name from nova_events order by id`;
    return rows.map(({ name }) => name);
  };

  it.each([
    ['status changes', { notify_nova_on_port_data_changes: false }, ['network-vif-plugged']],
    ['data changes', { notify_nova_on_port_status_changes: false }, ['network-changed', 'network-vif-deleted']],
  ])('tells of %s alone where the other is off', async (_, options, expected) => {
    const other = await start(options);
    try {
      expect(await caused(other)).toEqual(expected);
    } finally {
      await other.stop();
    }
  });

  it('tells of floating IPs of the ports that they lead to', async () => {
    const other = await start();
    try {
      const outside = await other.lan('192.0.2.0/24', { 'router:external': true });
      const lan = await other.lan('10.0.0.0/24');
      const gateway = { network_id: outside.id };
      const router = await other.stack.create('router', { external_gateway_info: gateway });
      const path = `/v2.0/routers/${router.id}/add_router_interface`;
      await other.stack.call('PUT', path, { body: { subnet_id: lan.subnet_id } });
      const ports = [];
      for (const owner of ['compute:nova', 'compute:nova', 'baremetal:none']) {
        ports.push(await other.port(lan.id, 'host1', { device_id, device_owner: owner }));
      }
      const [one, two, none] = ports.map((port) => port.id);
      const told = async () => {
        const rows = await other.sql<{ tag: string; name: string }[]>`delete from nova_events returning tag, name`;
        return rows.map(({ tag, name }) => `${name} ${[one, two, none].indexOf(tag)}`).toSorted();
      };
      const { id } = await other.stack.create('floatingip', { floating_network_id: outside.id, port_id: one });
      expect(await told()).toEqual(['network-changed 0']);
      await other.update('floatingip', id, { port_id: two });
      expect(await told()).toEqual(['network-changed 0', 'network-changed 1']);
      await other.update('floatingip', id, { port_id: none });
      expect(await told()).toEqual(['network-changed 1']);
      await other.update('floatingip', id, { port_id: two });
      await other.remove('floatingip', id);
      expect(await told()).toEqual(['network-changed 1', 'network-changed 1']);
    } finally {
      await other.stop();
    }
  });

  it('is off, and has no worker, where [nova] does not say how', async () => {
    const other = await L2Cloud.start('nova_off');
    try {
      await other.agent('host1');
      expect(await caused(other)).toEqual([]);
      expect(notifierOf(other).workers).toBeUndefined();
    } finally {
      await other.stop();
    }
  });

  it('takes one statement for the events of fifty ports, as for that of one', async () => {
    // No sender works here, whose statements would be counted.
    const other = await start();
    try {
      const lan = await other.lan('10.0.0.0/16');
      const ports: string[] = [];
      for (let count = 0; count < 51; count++) ports.push((await other.port(lan.id, 'host1', { device_id })).id);
      const cost = (devices_up: readonly string[]) =>
        other.cost('host1', 'update_device_list', { agent_id: 'a', host: 'host1', devices_up, devices_down: [] });
      const costs = [await cost(ports.slice(0, 1)), await cost(ports.slice(1))];
      expect(costs[1]).toBe(costs[0]);
      const rows = await other.sql<{ tag: string }[]>`select tag from nova_events`;
      expect(rows.map(({ tag }) => tag).toSorted()).toEqual(ports.toSorted());
    } finally {
      await other.stop();
    }
  });

  it('says at start which option is missing', async () => {
    const { password, ...without } = novaOptions(nova);
    await expect(L2Cloud.start('nova_wrong', { nova: without })).rejects.toThrow('[nova] password is needed');
    expect(password).not.toBe('');
  });
});
