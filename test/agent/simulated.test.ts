/** Simulated hosts against the whole of Nucleon: what agents see and do of what is asked of the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKERS } from '../broker/brokers.ts';
import { until } from '../rpc/support.ts';
import { type Cloud, startCloud } from './support.ts';

describe.each(BROKERS)('simulated hosts, $name', (kind) => {
  let cloud: Cloud;
  beforeAll(async () => {
    if (!kind.present) return;
    cloud = await startCloud(`agents_${kind.name.length}`, kind, ['compute-1', 'compute-2', 'network-1', 'network-2']);
  });
  afterAll(() => cloud?.stop());

  const agents = async () => (await cloud.stack.call('GET', '/v2.0/agents')).body.agents;
  const port = async (id: string) => (await cloud.stack.call('GET', `/v2.0/ports/${id}`)).body.port;

  it.skipIf(!kind.present)('are listed as alive, with what Neutron has of such agents', async () => {
    const host = await cloud.host('compute-1', { bridgeMappings: { physnet1: 'br-ex' } });
    const listed = await agents();
    expect(listed.map((agent: { binary: string }) => agent.binary).sort()).toEqual([
      'neutron-dhcp-agent',
      'neutron-l3-agent',
      'neutron-metadata-agent',
      'neutron-openvswitch-agent',
    ]);
    expect(listed).toEqual(Array(4).fill(expect.objectContaining({ host: 'compute-1', alive: true })));
    const [l2] = listed.filter((agent: { agent_type: string }) => agent.agent_type === 'Open vSwitch agent');
    expect(l2.configurations).toMatchObject({
      bridge_mappings: { physnet1: 'br-ex' },
      tunnel_types: ['vxlan', 'gre', 'geneve'],
      tunneling_ip: expect.stringMatching(/^10\./),
    });
    await host.stop();
    await until(
      async () => (await agents()).every((agent: { alive: boolean }) => !agent.alive),
      'all are seen to be gone',
    );
  });

  it.skipIf(!kind.present)('wire the ports that are bound to them, and no others', async () => {
    const [one, two] = await Promise.all([
      cloud.host('compute-1', { roles: ['l2'] }),
      cloud.host('compute-2', { roles: ['l2'] }),
    ]);
    const network = await cloud.stack.create('network', {});
    await cloud.stack.create('subnet', {
      network_id: network.id,
      ip_version: 4,
      cidr: '10.0.0.0/24',
      enable_dhcp: false,
    });
    const made = await cloud.stack.create('port', {
      network_id: network.id,
      'binding:host_id': 'compute-1',
      device_owner: 'compute:nova',
    });
    expect(made).toMatchObject({ 'binding:vif_type': 'ovs', status: 'DOWN' });
    await until(async () => (await port(made.id)).status === 'ACTIVE', 'the port is ACTIVE');
    await one.settled();
    expect(one.state.ports.get(made.id)).toMatchObject({
      up: true,
      details: { network_type: 'vxlan', segmentation_id: network['provider:segmentation_id'], network_id: network.id },
    });
    expect(two.state.ports.size).toBe(0);

    // Another on the other host: each learns where the other is.
    const other = await cloud.stack.create('port', { network_id: network.id, 'binding:host_id': 'compute-2' });
    await until(async () => (await port(other.id)).status === 'ACTIVE', 'the other port is ACTIVE');
    const end = (host: typeof one) => host.tunnelingIp;
    await until(
      () =>
        one.state.forwarding
          .of(network.id)
          [end(two)]?.includes(`${other.mac_address} ${other.fixed_ips[0].ip_address}`),
      'one knows of the other',
    );
    await until(
      () =>
        two.state.forwarding.of(network.id)[end(one)]?.includes(`${made.mac_address} ${made.fixed_ips[0].ip_address}`),
      'the other knows of it',
    );

    await cloud.stack.call('PUT', `/v2.0/ports/${made.id}`, { body: { port: { 'binding:host_id': 'compute-2' } } });
    await until(() => two.state.ports.has(made.id) && !one.state.ports.has(made.id), 'the port has moved');
    await cloud.stack.call('DELETE', `/v2.0/ports/${made.id}`);
    await until(() => !two.state.ports.has(made.id), 'the port is gone');
    await Promise.all([one.stop(), two.stop()]);
  });

  it.skipIf(!kind.present)('find out after an absence what has changed meanwhile', async () => {
    const network = await cloud.stack.create('network', {});
    const bound = (name: string) =>
      cloud.stack.create('port', { name, network_id: network.id, 'binding:host_id': 'compute-1' });
    const first = await cloud.host('compute-1', { roles: ['l2'] });
    const [kept, deleted] = [await bound('kept'), await bound('deleted')];
    await until(() => first.state.ports.has(kept.id) && first.state.ports.has(deleted.id), 'both are wired');
    await first.kill();
    await until(
      async () =>
        (await agents()).every(
          (agent: { alive: boolean; host: string; agent_type: string }) => agent.host !== 'compute-1' || !agent.alive,
        ),
      'it is seen dead',
    );
    await cloud.stack.call('DELETE', `/v2.0/ports/${deleted.id}`);
    const added = await cloud.stack.call('POST', '/v2.0/ports', {
      body: { port: { network_id: network.id, 'binding:host_id': 'compute-1' } },
    });
    const second = await cloud.host('compute-1', { roles: ['l2'] });
    await second.settled();
    expect([...second.state.ports.keys()]).toContain(kept.id);
    expect([...second.state.ports.keys()]).not.toContain(deleted.id);
    expect(added.status).toBe(201);
    await second.stop();
  });

  it.skipIf(!kind.present)('serve DHCP on the networks they are given', async () => {
    const host = await cloud.host('network-1', { roles: ['l2', 'dhcp'] });
    const network = await cloud.stack.create('network', {});
    const subnet = await cloud.stack.create('subnet', { network_id: network.id, ip_version: 4, cidr: '10.1.0.0/24' });
    await until(() => host.state.networks.get(network.id)?.port_id, 'the network is served');
    const own = await port(host.state.networks.get(network.id)!.port_id!);
    expect(own).toMatchObject({
      device_owner: 'network:dhcp',
      'binding:host_id': 'network-1',
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.2' }],
    });
    await until(async () => (await port(own.id)).status === 'ACTIVE', 'its port is ACTIVE');
    // A port waits for DHCP and for its wiring.
    const made = await cloud.stack.create('port', { network_id: network.id, 'binding:host_id': 'network-1' });
    await until(async () => (await port(made.id)).status === 'ACTIVE', 'the port is ACTIVE');
    expect(host.state.heard.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['network_create_end', 'port_create_end']),
    );
    await host.stop();
  });

  it.skipIf(!kind.present)('know the rules of their ports, and the members of the groups that these name', async () => {
    const [one, two] = await Promise.all([
      cloud.host('compute-1', { roles: ['l2'] }),
      cloud.host('compute-2', { roles: ['l2'] }),
    ]);
    const network = await cloud.stack.create('network', {});
    await cloud.stack.create('subnet', {
      network_id: network.id,
      ip_version: 4,
      cidr: '10.2.0.0/24',
      enable_dhcp: false,
    });
    const [web, db] = [
      await cloud.stack.create('security_group', { name: 'web' }),
      await cloud.stack.create('security_group', { name: 'db' }),
    ];
    const boundTo = (host: string, group: { id: string }) =>
      cloud.stack.create('port', { network_id: network.id, 'binding:host_id': host, security_groups: [group.id] });
    const address = (made: { mac_address: string; fixed_ips: { ip_address: string }[] }) =>
      `${made.fixed_ips[0]!.ip_address} ${made.mac_address}`;
    const before = await boundTo('compute-2', web);
    const guarded = await boundTo('compute-1', db);
    await until(() => one.state.securityGroups.has(guarded.id), 'the group of the port is known');
    expect(one.state.members(web.id)).toEqual([]);
    const rule = { direction: 'ingress', ethertype: 'IPv4', security_group_id: db.id, remote_group_id: web.id };
    await cloud.stack.create('security_group_rule', rule);
    await until(
      () => one.state.rules.get(db.id)?.some(({ remote_group_id }) => remote_group_id === web.id),
      'the rule is known',
    );
    await until(() => one.state.members(web.id).includes(address(before)), 'who was a member before is known');
    const after = await boundTo('compute-2', web);
    await until(() => one.state.members(web.id).includes(address(after)), 'a new member is known');
    expect(one.state.ports.has(after.id)).toBe(false);
    await cloud.stack.call('DELETE', `/v2.0/ports/${after.id}`);
    await until(() => !one.state.members(web.id).includes(address(after)), 'the member is known to be gone');
    await Promise.all([one.stop(), two.stop()]);
  });
});
