/** The interface of a distributed router as the L2 agents of its hosts have it, and as the API shows it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anything, shapeOf } from '../l2_rpc/support.ts';
import { admin } from '../support/stack.ts';
import { DISTRIBUTED, ManyHosts } from './support.ts';

let cloud: ManyHosts;
let net: Anything;
let port: Anything;
let router: Anything;
beforeAll(async () => {
  cloud = await ManyHosts.start('distributed_ports');
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  ({ net, port, router } = await cloud.distributed());
  for (const host of ['c1', 'c2']) await cloud.server(net, host);
});

describe('an interface of a distributed router', () => {
  it('is bound to no host, as was observed of Neutron', async () => {
    expect(port).toMatchObject({
      device_owner: DISTRIBUTED,
      status: 'DOWN',
      'binding:host_id': '',
      'binding:vif_type': 'distributed',
      'binding:vif_details': {},
      'binding:vnic_type': 'normal',
      'binding:profile': {},
      port_security_enabled: false,
      security_groups: [],
    });
    await cloud.details('c1', port.id);
    expect((await cloud.port(port.id))['binding:vif_details']).toEqual({ bound_drivers: { '0': 'openvswitch' } });
  });

  it('comes to be on a host when its agent asks, and is bound there by the drivers', async () => {
    const [answer] = await cloud.details('c1', port.id);
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
      device_owner: DISTRIBUTED,
      allowed_address_pairs: [],
      port_security_enabled: false,
      qos_policy_id: null,
      qos_network_policy_id: null,
      profile: {},
      propagate_uplink_status: true,
    });
    expect(answer).toMatchObject({ port_id: port.id, mac_address: port.mac_address });
    expect(await cloud.replicas(port.id)).toEqual([{ host: 'c1', status: 'BUILD', vif_type: 'ovs', levels: 1 }]);
  });

  it('is not there for a host that the router does not concern, by whatever name', async () => {
    for (const device of [port.id, `tap${port.id.slice(0, 11)}`, port.mac_address]) {
      expect(await cloud.details('c3', device)).toEqual([{ device }]);
      expect(await cloud.l2.call('c3', 'update_device_down', { device })).toEqual({ device, exists: false });
      await cloud.up('c3', device);
    }
    expect(await cloud.replicas(port.id)).toEqual([]);
    expect(await cloud.status(port.id)).toBe('DOWN');
  });

  it('is known to its host by the name of its interface, and by its MAC address once it is there', async () => {
    for (const device of [`qvo${port.id.slice(0, 11)}`, port.mac_address]) {
      expect((await cloud.details('c2', device))[0]).toMatchObject({ device, port_id: port.id });
    }
    expect(await cloud.standing(port.id)).toEqual(['c2 BUILD']);
  });

  it('comes to be on a host whose agent keeps ports, and only pulls it and reports it', async () => {
    const args = { resource_type: 'Port', version: '1.11', filter_kwargs: { id: port.id } };
    const pull = (host: string) => cloud.l2.call(host, 'bulk_pull', args, '1.1');
    expect(await pull('c3')).toEqual([]);
    const [pulled] = await pull('c1');
    expect(pulled['versioned_object.data']).toMatchObject({ id: port.id });
    expect(pulled['versioned_object.data'].binding_levels).toHaveLength(1);
    await cloud.up('c1', port.id);
    await cloud.up('c2', port.id);
    expect(await cloud.standing(port.id)).toEqual(['c1 ACTIVE', 'c2 ACTIVE']);
    expect(await cloud.status(port.id)).toBe('ACTIVE');
  });

  it('has a status on each host: it is ACTIVE while any has wired it, BUILD while one is about to, and else DOWN', async () => {
    const seen: string[] = [];
    const look = async () =>
      void seen.push(`${(await cloud.standing(port.id)).join()}: ${await cloud.status(port.id)}`);
    await cloud.details('c1', port.id);
    await look();
    await cloud.up('c1', port.id);
    await look();
    await cloud.details('c2', port.id);
    await look();
    await cloud.down('c1', port.id);
    await look();
    await cloud.up('c2', port.id);
    await look();
    await cloud.down('c2', port.id);
    await look();
    expect(seen).toEqual([
      'c1 BUILD: BUILD',
      'c1 ACTIVE: ACTIVE',
      'c1 ACTIVE,c2 BUILD: ACTIVE',
      'c2 BUILD: BUILD',
      'c2 ACTIVE: ACTIVE',
      ': DOWN',
    ]);
    expect((await cloud.port(port.id))['binding:vif_details']).toEqual({});
  });

  it('answers a report that comes again as before, without effect', async () => {
    await cloud.wire('c1', port.id);
    const once = await cloud.port(port.id);
    await cloud.up('c1', port.id);
    expect(await cloud.port(port.id)).toEqual(once);
    const answer = { device: port.id, exists: true };
    expect(await cloud.l2.call('c1', 'update_device_down', { device: port.id })).toEqual(answer);
    expect(await cloud.l2.call('c1', 'update_device_down', { device: port.id })).toEqual(answer);
  });

  it('is asked for by many hosts at once, each several times, and is on each once', async () => {
    const hosts = ['c1', 'c2', 'c1', 'c2', 'c1'];
    const answers = await Promise.all(
      hosts.map((host) => cloud.l2.call(host, 'get_device_details', { device: port.id, host })),
    );
    expect(answers.map(({ port_id }) => port_id)).toEqual(hosts.map(() => port.id));
    await Promise.all(hosts.map((host) => cloud.l2.call(host, 'update_device_up', { device: port.id, host })));
    expect(await cloud.standing(port.id)).toEqual(['c1 ACTIVE', 'c2 ACTIVE']);
    expect(await cloud.status(port.id)).toBe('ACTIVE');
  });

  it('that is disabled stays on its hosts, DOWN, until it is enabled', async () => {
    await cloud.wire('c1', port.id);
    const hear = (work: () => Promise<unknown>) => cloud.heard('port', work);
    const update = (admin_state_up: boolean) => cloud.l2.update('port', port.id, { admin_state_up });
    expect(await hear(() => update(false))).toEqual(['port_update c1']);
    await cloud.details('c1', port.id);
    expect(await cloud.down('c1', port.id)).toMatchObject({ devices_down: [{ device: port.id, exists: true }] });
    await cloud.up('c1', port.id);
    expect(await cloud.standing(port.id)).toEqual(['c1 DOWN']);
    expect(await cloud.status(port.id)).toBe('DOWN');
    expect(await hear(() => update(true))).toEqual(['port_update c1']);
    await cloud.wire('c1', port.id);
    expect(await cloud.status(port.id)).toBe('ACTIVE');
  });

  it('is not bound where the host has no agent of its own, and is when it has', async () => {
    await cloud.l3.l3Agent('bare', 'dvr');
    await cloud.server(net, 'bare');
    expect(await cloud.details('bare', port.id)).toEqual([{ device: port.id }]);
    expect(await cloud.replicas(port.id)).toEqual([
      { host: 'bare', status: 'DOWN', vif_type: 'binding_failed', levels: 0 },
    ]);
    await cloud.up('bare', port.id);
    expect(await cloud.status(port.id)).toBe('DOWN');
    await cloud.l2.agent('bare', { tunneling_ip: '192.0.2.9' });
    expect((await cloud.details('bare', port.id))[0]).toMatchObject({ port_id: port.id });
  });

  it('is not made ACTIVE by DHCP that serves its address', async () => {
    const [agent] = await cloud.sql`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'DHCP agent', 'neutron-dhcp-agent', 'dhcp_agent', 'c1', true, 'nova', now(), now(),
        now() + interval '1 hour', '{}') returning id`;
    await cloud.sql`insert into network_dhcp_agents (network_id, agent_id, place) values (${net.id}, ${agent?.['id']}, 1)`;
    await cloud.l2.call('c1', 'dhcp_ready_on_ports', { port_ids: [port.id] }, '1.5');
    expect(await cloud.status(port.id)).toBe('DOWN');
    await cloud.sql`delete from agents where id = ${agent?.['id']}`;
  });

  it('has no security groups to apply', async () => {
    await cloud.wire('c1', port.id);
    const args = { devices: [port.id], call_version: '1.3' };
    const info = await cloud.l2.call('c1', 'security_group_info_for_devices', args, '1.3');
    expect(info.devices).toEqual({});
  });

  it('has no bindings in the API, and is not bound to a host that is asked for', async () => {
    await cloud.wire('c1', port.id);
    const answer = await cloud.l3.stack.call('GET', `/v2.0/ports/${port.id}/bindings`, { as: admin });
    expect(answer.status).toBe(400);
    const change = { 'binding:host_id': 'c3', 'binding:profile': { a: 1 } };
    const as = { project: 'admin', roles: 'admin,service' };
    const { body } = await cloud.l3.stack.call('PUT', `/v2.0/ports/${port.id}`, { as, body: { port: change } });
    const updated = body.port;
    expect(updated).toMatchObject({ 'binding:host_id': '', 'binding:vif_type': 'distributed', status: 'ACTIVE' });
    expect(updated['binding:profile']).toEqual({ a: 1 });
    expect(await cloud.standing(port.id)).toEqual(['c1 ACTIVE']);
  });

  it('says what it waits for in its diagnosis', async () => {
    const diagnose = async () =>
      (await cloud.l3.stack.call('GET', `/v2.0/ports/${port.id}/diagnosis`, { as: admin })).body.diagnosis;
    const entities = ({ waits_for }: Anything) => waits_for.map(({ entity }: Anything) => entity);
    const before = await diagnose();
    expect(entities(before)).toEqual(['host']);
    expect(before.waits_for[0].reason).toContain('no host of its router');
    await cloud.details('c1', port.id);
    const building = await diagnose();
    expect(entities(building)).toEqual(['L2']);
    expect(building.waits_for[0].agents.map(({ host }: Anything) => host)).toEqual(['c1']);
    expect(building.bindings.map(({ host, status, host_status }: Anything) => [host, status, host_status])).toEqual([
      ['', 'ACTIVE', null],
      ['c1', 'REPLICA', 'BUILD'],
    ]);
    await cloud.up('c1', port.id);
    expect((await diagnose()).waits_for).toEqual([]);
  });

  it('goes from its hosts with its interface, of which they are told', async () => {
    for (const host of ['c1', 'c2']) await cloud.wire(host, port.id);
    const remove = () =>
      cloud.l3.done('PUT', `routers/${router.id}/remove_router_interface`, { port_id: port.id }, admin);
    expect(await cloud.heard('port', remove)).toEqual(['port_delete c1', 'port_delete c2']);
    expect(await cloud.replicas(port.id)).toEqual([]);
  });
});

describe('what it costs', () => {
  it('is as much for many interfaces as for one', async () => {
    const ports = [port.id];
    for (let n = 0; n < 9; n++) {
      const made = await cloud.distributed();
      await cloud.server(made.net, 'c1');
      ports.push(made.port.id);
    }
    const others = await cloud.distributed();
    await cloud.server(others.net, 'c1');
    const costs = async (devices: readonly string[]) => ({
      first: await cloud.l2.cost('c1', 'get_devices_details_list', { devices }),
      up: await cloud.l2.cost('c1', 'update_device_list', { devices_up: devices }),
      again: await cloud.l2.cost('c1', 'get_devices_details_list', { devices }),
      down: await cloud.l2.cost('c1', 'update_device_list', { devices_down: devices }),
    });
    const many = await costs(ports);
    expect(many).toEqual(await costs([others.port.id]));
    // Drivers are asked, each replica is bound, and its status written; nothing of it is done twice.
    expect(many).toEqual({ first: 19, up: 12, again: 8, down: 8 });
  });
});
