/** Whom changes concern that hosts are told of: networks, ports and forwarding entries where routers are on many hosts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Anything } from '../l2_rpc/support.ts';
import { admin } from '../support/stack.ts';
import { FLOODING, ManyHosts, TUNNELS } from './support.ts';

const flooding = JSON.stringify([FLOODING]);

let cloud: ManyHosts;
beforeAll(async () => {
  cloud = await ManyHosts.start('many_hosts_messages', 'dvr_snat');
});
afterAll(() => cloud.stop());

describe('of a distributed router', () => {
  let net: Anything;
  let port: Anything;
  let router: Anything;
  beforeEach(async () => {
    ({ net, port, router } = await cloud.distributed());
    await cloud.server(net, 'c2');
  });

  /** Has the router on a host that has no server on its network: by a second interface. */
  const onlyRouter = async (host: string) => {
    const { net: other, sub } = await cloud.l3.lan(undefined, admin);
    await cloud.l3.add(router, { subnet_id: sub.id }, admin);
    await cloud.server(other, host);
  };

  it('a host that has nothing on a network but the interface is told of the network and of the interface', async () => {
    await onlyRouter('c3');
    await cloud.wire('c3', port.id);
    const rename = () => cloud.l2.update('network', net.id, { mtu: 1400 });
    expect(await cloud.heard('network', rename)).toEqual(['network_update c2,c3']);
    expect((await cloud.l2.call('c3', 'get_network_details', { network: net.id }, '1.6')).id).toBe(net.id);
    expect(await cloud.heard('port', () => cloud.l2.update('port', port.id, { admin_state_up: false }))).toEqual([
      'port_update c3',
    ]);
  });

  it('each host that wires the interface takes what is for everybody, and no address leads to it alone', async () => {
    await cloud.wire('c2', port.id);
    await onlyRouter('c3');
    await cloud.details('c3', port.id);
    const server = await cloud.server(net, 'c1');
    await cloud.wire('c1', server.id);
    const entry = JSON.stringify([FLOODING, [server.mac_address, server.fixed_ips[0].ip_address]]);
    expect(await cloud.entries(() => cloud.up('c3', port.id))).toEqual([
      // All of the network to the new host, and the host to all others.
      `add_fdb_entries c3 ${TUNNELS['c1']}: ${entry}`,
      `add_fdb_entries c3 ${TUNNELS['c2']}: ${flooding}`,
      `add_fdb_entries c1,c2 ${TUNNELS['c3']}: ${flooding}`,
    ]);
    expect(await cloud.entries(() => cloud.down('c3', port.id))).toEqual([
      `remove_fdb_entries c1,c2 ${TUNNELS['c3']}: ${flooding}`,
    ]);
  });

  it('a host that has a server there beside the interface goes on taking what is for everybody', async () => {
    const server = await cloud.server(net, 'c2');
    await cloud.wire('c2', port.id, server.id);
    await cloud.server(net, 'c1');
    expect(await cloud.entries(() => cloud.down('c2', port.id))).toEqual([]);
    await cloud.wire('c2', port.id);
    const address = JSON.stringify([[server.mac_address, server.fixed_ips[0].ip_address]]);
    expect(await cloud.entries(() => cloud.down('c2', server.id))).toEqual([
      `remove_fdb_entries c1 ${TUNNELS['c2']}: ${address}`,
    ]);
    const gone = await cloud.entries(() => cloud.l2.remove('port', server.id));
    expect(gone).toEqual([]);
  });

  it('the interface that is removed is taken off all of its hosts', async () => {
    await cloud.server(net, 'c1');
    for (const host of ['c1', 'c2']) await cloud.wire(host, port.id);
    const remove = () =>
      cloud.l3.done('PUT', `routers/${router.id}/remove_router_interface`, { port_id: port.id }, admin);
    expect((await cloud.entries(remove)).toSorted()).toEqual([
      `remove_fdb_entries c1 ${TUNNELS['c2']}: ${flooding}`,
      `remove_fdb_entries c2 ${TUNNELS['c1']}: ${flooding}`,
    ]);
  });

  it('an agent that has started again is told all again, once', async () => {
    const server = await cloud.server(net, 'c1');
    await cloud.wire('c1', server.id);
    await cloud.wire('c2', port.id);
    const again = () => cloud.l2.call('c2', 'update_device_up', { device: port.id, agent_restarted: true });
    const entry = JSON.stringify([FLOODING, [server.mac_address, server.fixed_ips[0].ip_address]]);
    expect(await cloud.entries(again)).toEqual([`add_fdb_entries c2 ${TUNNELS['c1']}: ${entry}`]);
  });

  it('its changed addresses are entries of nobody', async () => {
    await cloud.server(net, 'c1');
    await cloud.wire('c2', port.id);
    const ip_address = port.fixed_ips[0].ip_address.replace(/1$/, '77');
    await cloud.sql`delete from router_ports where port_id = ${port.id}`;
    const change = () => cloud.l2.update('port', port.id, { fixed_ips: [{ ip_address }] });
    expect(await cloud.entries(change)).toEqual([]);
    expect((await cloud.port(port.id)).fixed_ips[0].ip_address).toBe(ip_address);
  });

  it('agents that follow ports get the interface with its segment, and none of its hosts', async () => {
    await cloud.wire('c2', port.id);
    const args = { resource_type: 'Port', version: '1.11', filter_kwargs: { id: port.id } };
    const [pulled] = await cloud.l2.call('c2', 'bulk_pull', args, '1.1');
    const data = pulled['versioned_object.data'];
    const hosts = (list: readonly Anything[]) => list.map((item) => item['versioned_object.data'].host);
    expect(data.bindings.map((item: Anything) => item['versioned_object.data'].vif_type)).toEqual(['distributed']);
    // For one object goes to all of its hosts.
    await onlyRouter('c3');
    await cloud.wire('c3', port.id);
    const [again] = await cloud.l2.call('c3', 'bulk_pull', args, '1.1');
    for (const { binding_levels, bindings, distributed_bindings } of [data, again['versioned_object.data']]) {
      expect([hosts(binding_levels), hosts(bindings), distributed_bindings]).toEqual([['c2'], [''], []]);
    }
    await cloud.down('c3', port.id);
    const [message] = await cloud.l2.told('neutron-vo-Port', () => cloud.details('c2', port.id));
    expect(message).toMatchObject({ method: 'push', to: ['c2'] });
  });
});

describe('of a highly available router', () => {
  it('hosts that stand by plug the interface in, and it is the active one whose status counts', async () => {
    const { port } = await cloud.available('c1', 'c2');
    expect(port).toMatchObject({ 'binding:host_id': 'c1', device_owner: 'network:ha_router_replicated_interface' });
    await cloud.wire('c2', port.id);
    expect(await cloud.status(port.id)).toBe('DOWN');
    await cloud.wire('c1', port.id);
    expect(await cloud.status(port.id)).toBe('ACTIVE');
    await cloud.down('c2', port.id);
    expect(await cloud.status(port.id)).toBe('ACTIVE');
    expect(await cloud.details('c3', port.id)).toEqual([{ device: port.id }]);
    expect(await cloud.standing(port.id)).toEqual([]);
  });

  it('all hosts of it take what is for everybody, and no address leads to one of them', async () => {
    const { net, port } = await cloud.available('c1', 'c2');
    const server = await cloud.server(net, 'c3');
    await cloud.wire('c3', server.id);
    const entry = JSON.stringify([FLOODING, [server.mac_address, server.fixed_ips[0].ip_address]]);
    expect((await cloud.entries(() => cloud.wire('c1', port.id))).toSorted()).toEqual([
      `add_fdb_entries c1 ${TUNNELS['c3']}: ${entry}`,
      `add_fdb_entries c3 ${TUNNELS['c1']}: ${flooding}`,
    ]);
    expect((await cloud.entries(() => cloud.wire('c2', port.id))).toSorted()).toEqual([
      `add_fdb_entries c1,c3 ${TUNNELS['c2']}: ${flooding}`,
      `add_fdb_entries c2 ${TUNNELS['c1']}: ${flooding}`,
      `add_fdb_entries c2 ${TUNNELS['c3']}: ${entry}`,
    ]);
  });

  it('another active agent finds the interface plugged in, and the one before goes on standing by', async () => {
    const { net, port } = await cloud.available('c1', 'c2');
    await cloud.server(net, 'c3');
    for (const host of ['c1', 'c2']) await cloud.wire(host, port.id);
    const told: Anything = {};
    told.entries = await cloud.entries(async () => {
      told.port = await cloud.heard('port', () => cloud.place(port.id, 'c2'));
    });
    expect(told.port).toEqual(['port_update c1,c2']);
    const moved = await cloud.port(port.id);
    expect(moved).toMatchObject({ 'binding:host_id': 'c2', 'binding:vif_type': 'ovs', status: 'ACTIVE' });
    expect(await cloud.replicas(port.id)).toEqual([{ host: 'c1', status: 'ACTIVE', vif_type: 'ovs', levels: 1 }]);
    await cloud.place(port.id, 'c1');
    expect(await cloud.standing(port.id)).toEqual(['c2 ACTIVE']);
    // To where nobody has plugged it in.
    await cloud.place(port.id, 'c3');
    expect(await cloud.port(port.id)).toMatchObject({
      'binding:host_id': 'c3',
      'binding:vif_type': 'ovs',
      status: 'DOWN',
    });
  });
});
