/** What the hosts' bindings of a port come to when the port becomes another, and when routers or agents leave hosts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Anything } from '../l2_rpc/support.ts';
import { until } from '../rpc/support.ts';
import { admin } from '../support/stack.ts';
import { DISTRIBUTED, ManyHosts } from './support.ts';

let cloud: ManyHosts;
beforeAll(async () => {
  cloud = await ManyHosts.start('many_hosts_changes', 'dvr_snat');
});
afterAll(() => cloud.stop());

const levels = async (port_id: string) =>
  (await cloud.sql`select host from port_binding_levels where port_id = ${port_id} order by host`).map(
    ({ host }) => host,
  );

describe('a port that becomes the interface of a distributed router', () => {
  it('leaves its host, which is told, and is bound to each of its hosts when they ask', async () => {
    const { net } = await cloud.l3.lan(undefined, admin);
    const port = await cloud.l2.port(net.id, 'c1', { device_owner: 'network:router_interface' });
    await cloud.wire('c1', port.id);
    const become = () => cloud.l2.update('port', port.id, { device_owner: DISTRIBUTED });
    expect(await cloud.heard('port', become)).toEqual(['port_update c1']);
    expect(await cloud.port(port.id)).toMatchObject({
      status: 'DOWN',
      'binding:host_id': '',
      'binding:vif_type': 'distributed',
      'binding:vif_details': {},
    });
    expect(await levels(port.id)).toEqual([]);
  });

  it('ceases to be one, and is on no host any more, or on that which is asked for', async () => {
    for (const host of ['', 'c1', 'c3']) {
      const { net, port } = await cloud.distributed();
      for (const other of ['c1', 'c2']) {
        await cloud.server(net, other);
        await cloud.wire(other, port.id);
      }
      // As the router plugin migrates its ports.
      await cloud.sql`delete from router_ports where port_id = ${port.id}`;
      const body = { device_owner: 'network:router_interface', ...(host === '' ? {} : { 'binding:host_id': host }) };
      const cease = () => cloud.l2.update('port', port.id, body);
      const told = (await cloud.heard('port', cease)).map((message) => message.replace('port_update ', '').split(','));
      expect([...new Set(told.flat())]).toEqual(expect.arrayContaining(['c1', 'c2']));
      expect(await cloud.replicas(port.id)).toEqual([]);
      const [status, bound] = ['DOWN', host === '' ? 'unbound' : 'ovs'];
      expect(await cloud.port(port.id)).toMatchObject({ status, 'binding:host_id': host, 'binding:vif_type': bound });
      expect(await levels(port.id)).toEqual(host === '' ? [] : [host]);
      if (host !== 'c2') expect(await cloud.details('c2', port.id)).toEqual([{ device: port.id }]);
    }
  });
});

describe('a host that loses a router', () => {
  it('has its interfaces no more, unless servers there need it', async () => {
    const outside = await cloud.l3.external();
    const { net, port, router } = await cloud.distributed();
    await cloud.l3.change('router', router.id, { external_gateway_info: { network_id: outside.net.id } }, admin);
    const { agents } = await cloud.l3.done('GET', `routers/${router.id}/l3-agents`, undefined, admin);
    const snat = agents.find(({ host }: Anything) => host.startsWith('c'));
    const other = ['c1', 'c2', 'c3'].find((host) => host !== snat.host)!;
    await cloud.server(net, other);
    for (const host of [snat.host, other]) await cloud.wire(host, port.id);
    expect((await cloud.replicas(port.id)).length).toBe(2);
    await cloud.l3.done('DELETE', `agents/${snat.id}/l3-routers/${router.id}`, undefined, admin);
    expect(await cloud.standing(port.id)).toEqual([`${other} ACTIVE`]);
    expect(await cloud.details(snat.host, port.id)).toEqual([{ device: port.id }]);
  });

  it('has the ports of a highly available one no more', async () => {
    const { port, router } = await cloud.available('c1', 'c2');
    for (const host of ['c1', 'c2']) await cloud.wire(host, port.id);
    expect(await cloud.standing(port.id)).toEqual(['c2 ACTIVE']);
    const { agents } = await cloud.l3.done('GET', `routers/${router.id}/l3-agents`, undefined, admin);
    const standby = agents.find(({ host }: Anything) => host === 'c2');
    await cloud.l3.done('DELETE', `agents/${standby.id}/l3-routers/${router.id}`, undefined, admin);
    expect(await cloud.replicas(port.id)).toEqual([]);
    expect(await cloud.port(port.id)).toMatchObject({ status: 'ACTIVE', 'binding:host_id': 'c1' });
  });

  it('has nothing of it when its L2 agent is deleted', async () => {
    const id = await cloud.l2.agent('leaving', { tunneling_ip: '192.0.2.8' });
    const l3 = await cloud.l3.l3Agent('leaving', 'dvr');
    const { net, port } = await cloud.distributed();
    await cloud.server(net, 'leaving');
    await cloud.wire('leaving', port.id);
    await cloud.l2.remove('agent', l3);
    expect(await cloud.standing(port.id)).toEqual(['leaving ACTIVE']);
    await cloud.l2.remove('agent', id);
    expect(await cloud.replicas(port.id)).toEqual([]);
    expect(await cloud.status(port.id)).toBe('DOWN');
  });
});

describe('races', () => {
  it('of hosts that ask, a conversion and the end of the interface leave what is whole', async () => {
    for (let round = 0; round < 8; round++) {
      const { net, port, router } = await cloud.distributed();
      for (const host of ['c1', 'c2', 'c3']) await cloud.server(net, host);
      const owner = round % 2 === 0;
      const change = owner
        ? cloud.sql`delete from router_ports where port_id = ${port.id}`.then(() =>
            cloud.l2.update('port', port.id, { device_owner: 'network:router_interface' }),
          )
        : cloud.l3.done('PUT', `routers/${router.id}/remove_router_interface`, { port_id: port.id }, admin);
      const hosts = ['c1', 'c2', 'c3'].map((host) => cloud.wire(host, port.id));
      await Promise.all([change, ...hosts]);
      if (owner) {
        expect(await cloud.replicas(port.id)).toEqual([]);
        expect(await levels(port.id)).toEqual([]);
        expect(await cloud.port(port.id)).toMatchObject({ status: 'DOWN', 'binding:vif_type': 'unbound' });
      } else {
        expect(await cloud.sql`select 1 from port_bindings where port_id = ${port.id}`).toHaveLength(0);
      }
    }
  });

  it('of another active agent and hosts that ask leave one binding of each host', async () => {
    const { port } = await cloud.available('c1', 'c2', 'c3');
    for (const host of ['c1', 'c2', 'c3']) await cloud.wire(host, port.id);
    for (const host of ['c2', 'c3', 'c1', 'c3']) {
      await Promise.all([
        cloud.place(port.id, host),
        ...['c1', 'c2', 'c3'].map((asking) => cloud.wire(asking, port.id)),
      ]);
      const rows = await cloud.sql`
        select host, status from port_bindings where port_id = ${port.id} order by status, host`;
      expect(rows[0]).toMatchObject({ host, status: 'ACTIVE' });
      expect(new Set(rows.map((row) => row['host'])).size).toBe(rows.length);
    }
  });
});

describe('the sweep of unbound ports', () => {
  it('binds ports that nobody has come to bind, in batches, and leaves those that were only just made', async () => {
    const { net } = await cloud.l3.lan('10.99.0.0/22', admin);
    const old: string[] = [];
    for (let n = 0; n < 3; n++) old.push((await cloud.server(net, 'c1')).id);
    const fresh = await cloud.server(net, 'c1');
    const failed = await cloud.server(net, 'nowhere');
    // As a crash behind the commit leaves them.
    await cloud.sql`delete from port_binding_levels where port_id = any(${[...old, fresh.id]}::uuid[])`;
    await cloud.sql`
      update port_bindings set vif_type = 'unbound', vif_details = '{}' where port_id = any(${[...old, fresh.id]}::uuid[])`;
    await cloud.sql`
      update ports set updated_at = now() - interval '1 minute' where id = any(${[...old, failed.id]}::uuid[])`;
    const worker = cloud.l3.stack.plugins
      .flatMap((plugin) => plugin.workers?.() ?? [])
      .find(({ name }) => name === 'port binding');
    const running = await worker!.start();
    try {
      const vifType = async (id: string) => (await cloud.port(id))['binding:vif_type'];
      for (const id of old) await until(async () => (await vifType(id)) === 'ovs', 'the port is bound');
      expect(await vifType(fresh.id)).toBe('unbound');
      expect(await vifType(failed.id)).toBe('binding_failed');
    } finally {
      await running.stop();
    }
  });
});
