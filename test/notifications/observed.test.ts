/**
 * Every message that Neutron 21 was seen to send for a call is sent here, too: topic, method, version and shape of the arguments.
 * Two hosts with agents; the steps follow each other, as they did there.
 *
 * What differs is whom they are sent to. Neutron casts to all agents what stands here with hosts: the hosts that it
 * concerns (`to`), which may be none (`nobody`, with the reason). What still goes to all carries ids alone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { having, IP, MAC, NETWORK, PORT, push, pushGone, SUBNET, UUID } from './shapes.ts';
import { type Message, Scene } from './support.ts';

type To = 'all' | readonly string[];

interface Expected extends Pick<Message, 'topic' | 'method'> {
  readonly version: string;
  readonly to: To;
  readonly args: unknown;
}

interface Step {
  /** As the observation names it. */
  readonly cause: string;
  readonly work: (scene: Scene) => Promise<unknown>;
  readonly messages: readonly Expected[];
  /** Pushes that concern nobody yet, and why. */
  readonly nobody?: string;
}

const HOST1 = ['host1'];
const HOST2 = ['host2'];
const BOTH = ['host1', 'host2'];

const dhcp = (method: string, payload: unknown, to: To = HOST1): Expected => ({
  topic: 'dhcp_agent',
  method,
  version: '1.0',
  to,
  args: { payload },
});
const object = (type: string, args: unknown, to: To): Expected => ({
  topic: `neutron-vo-${type}`,
  method: 'push',
  version: '1.1',
  to,
  args,
});
const groups = (method: string, to: To = HOST1): Expected => ({
  topic: 'q-agent-notifier-security_group-update',
  method,
  version: '1.1',
  to,
  // Ours has more: what has changed of the members.
  args: having([], { security_groups: [UUID] }),
});
const members = (to?: To) => groups('security_groups_member_updated', to);
const rules = (to?: To) => groups('security_groups_rule_updated', to);
const agent = (what: string, method: string, args: unknown, to: To, version = '1.0'): Expected => ({
  topic: `q-agent-notifier-${what}`,
  method,
  version,
  to,
  args,
});
const portUpdate = (to: To, port: Readonly<Record<string, unknown>> = {}) =>
  agent(
    'port-update',
    'port_update',
    { port: having(PORT, port), network_type: 'vxlan', segmentation_id: 77, physical_network: null },
    to,
  );
const portDelete = (to: To) => agent('port-delete', 'port_delete', { port_id: UUID }, to);
const portCreated = (port: Readonly<Record<string, unknown>> = {}) =>
  dhcp('port_create_end', {
    port: having([...PORT, 'network'], { network: having(NETWORK), ...port }),
    priority: expect.any(Number),
  });
const portDeleted = dhcp('port_delete_end', {
  port_id: UUID,
  network_id: UUID,
  fixed_ips: expect.arrayContaining([{ subnet_id: UUID, ip_address: IP }]),
  priority: expect.any(Number),
});
const subnetCreated = dhcp('subnet_create_end', {
  subnet: having([...SUBNET, 'network'], { network: having(NETWORK) }),
  priority: expect.any(Number),
});
const networkCreated = dhcp('network_create_end', { network: { id: UUID }, priority: expect.any(Number) });
const fdb = (method: string, to: To) =>
  agent(
    'l2population-update',
    method,
    {
      fdb_entries: expect.toSatisfy((entries: object) => {
        const [entry, ...others] = Object.values(entries);
        expect(others).toEqual([]);
        expect(entry).toEqual({ segment_id: 77, network_type: 'vxlan', ports: expect.anything() });
        for (const [ip, addresses] of Object.entries(entry.ports)) {
          expect(ip).toEqual(IP);
          for (const address of addresses as string[][]) expect(address).toEqual([MAC, IP]);
        }
        return true;
      }),
    },
    to,
  );

const NOVA = { as: { project: 'service', roles: 'admin,service' } } as const;

const compute = (name: string, host: string) => ({
  network_id: name,
  device_owner: 'compute:nova',
  device_id: `vm of ${host}`,
  'binding:host_id': host,
});

const STEPS: readonly Step[] = [
  {
    cause: 'create network',
    work: (scene) =>
      scene.request(
        'POST',
        'networks',
        { network: { name: 'n1', 'provider:network_type': 'vxlan', 'provider:segmentation_id': 77 } },
        ['n1'],
      ),
    messages: [],
    nobody: 'Network and SecurityGroup are pushed to hosts with ports of theirs',
  },
  {
    cause: 'create subnet',
    work: (scene) =>
      scene.request(
        'POST',
        'subnets',
        {
          subnet: {
            network_id: scene.id('n1'),
            ip_version: 4,
            cidr: '10.0.0.0/24',
            dns_nameservers: ['10.0.0.9'],
            host_routes: [{ destination: '10.1.0.0/24', nexthop: '10.0.0.8' }],
          },
        },
        ['s1'],
      ),
    messages: [networkCreated, subnetCreated, object('Subnet-1.2', push('Subnet-1.2'), HOST1)],
  },
  {
    cause: 'create ipv6 slaac subnet',
    work: (scene) =>
      scene.request(
        'POST',
        'subnets',
        {
          subnet: {
            network_id: scene.id('n1'),
            ip_version: 6,
            cidr: '2001:db8::/64',
            ipv6_ra_mode: 'slaac',
            ipv6_address_mode: 'slaac',
          },
        },
        ['s6'],
      ),
    messages: [subnetCreated, object('Subnet-1.2', push('Subnet-1.2'), HOST1)],
  },
  {
    cause: 'update network',
    work: (scene) => scene.request('PUT', `networks/${scene.id('n1')}`, { network: { name: 'n2' } }),
    messages: [
      // Not seen there, where no DHCP agent had the network yet.
      dhcp('network_update_end', { network: having(NETWORK, { name: 'n2' }), priority: expect.any(Number) }),
      object('Network-1.3', push('Network-1.3', { name: 'n2' }), HOST1),
    ],
  },
  {
    cause: 'update subnet',
    work: (scene) => scene.request('PUT', `subnets/${scene.id('s1')}`, { subnet: { name: 's2' } }),
    messages: [
      dhcp('subnet_update_end', { subnet: having(SUBNET, { name: 's2' }), priority: expect.any(Number) }),
      object('Subnet-1.2', push('Subnet-1.2', { name: 's2' }), HOST1),
    ],
  },
  {
    cause: 'create port bound to host1',
    work: (scene) =>
      scene.request(
        'POST',
        'ports',
        {
          port: {
            ...compute(scene.id('n1'), 'host1'),
            allowed_address_pairs: [{ ip_address: '10.0.0.77' }],
            extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400' }],
          },
        },
        ['p1'],
      ),
    messages: [
      portCreated({ 'binding:host_id': 'host1' }),
      members(HOST1),
      // Ours: the host that the port was bound to is told so.
      portUpdate(HOST1, { 'binding:vif_type': 'ovs' }),
      object('Port-1.11', push('Port-1.11', { device_id: 'vm of host1' }), HOST1),
    ],
  },
  {
    cause: 'create port bound to host2',
    work: (scene) => scene.request('POST', 'ports', { port: compute(scene.id('n1'), 'host2') }, ['p2']),
    messages: [
      portCreated({ 'binding:host_id': 'host2' }),
      members(BOTH),
      portUpdate(HOST2, { 'binding:vif_type': 'ovs' }),
      object('Port-1.11', push('Port-1.11', { device_id: 'vm of host2' }), HOST2),
    ],
  },
  {
    cause: 'create unbound port',
    work: (scene) => scene.request('POST', 'ports', { port: { network_id: scene.id('n1') } }, ['p3']),
    messages: [portCreated({ 'binding:host_id': '' }), members(BOTH)],
    nobody: 'a Port is pushed to the host that it is bound to',
  },
  {
    cause: 'update port',
    work: (scene) => scene.request('PUT', `ports/${scene.id('p1')}`, { port: { name: 'x', admin_state_up: false } }),
    messages: [
      portUpdate(HOST1, { name: 'x', admin_state_up: false }),
      object('Port-1.11', push('Port-1.11', { name: 'x', admin_state_up: false }), HOST1),
    ],
  },
  {
    cause: 'update port back',
    work: (scene) => scene.request('PUT', `ports/${scene.id('p1')}`, { port: { admin_state_up: true } }),
    messages: [
      portUpdate(HOST1, { admin_state_up: true }),
      object('Port-1.11', push('Port-1.11', { admin_state_up: true }), HOST1),
    ],
  },
  {
    cause: 'create security group',
    work: (scene) => scene.request('POST', 'security-groups', { security_group: { name: 'g1' } }, ['g1']),
    messages: [],
    nobody: 'a SecurityGroup is pushed to hosts with ports in it',
  },
  {
    cause: 'port gets security group',
    work: (scene) => scene.request('PUT', `ports/${scene.id('p1')}`, { port: { security_groups: [scene.id('g1')] } }),
    messages: [
      portUpdate(HOST1),
      // Of the group that it leaves, which host1 has no port in any more.
      members(HOST2),
      object('Port-1.11', push('Port-1.11', { security_group_ids: [UUID] }), HOST1),
    ],
  },
  {
    cause: 'create security group rule',
    work: (scene) =>
      scene.request(
        'POST',
        'security-group-rules',
        {
          security_group_rule: {
            security_group_id: scene.id('g1'),
            direction: 'ingress',
            ethertype: 'IPv4',
            protocol: 'tcp',
            port_range_min: 22,
            port_range_max: 22,
            remote_ip_prefix: '10.9.0.0/24',
          },
        },
        ['r1'],
      ),
    messages: [
      rules(HOST1),
      object('SecurityGroupRule-1.3', push('SecurityGroupRule-1.3', { protocol: 'tcp' }), HOST1),
    ],
  },
  {
    cause: 'update security group',
    work: (scene) => scene.request('PUT', `security-groups/${scene.id('g1')}`, { security_group: { name: 'g2' } }),
    messages: [object('SecurityGroup-1.6', push('SecurityGroup-1.6', { name: 'g2' }), HOST1)],
  },
  {
    cause: 'delete security group rule',
    work: (scene) => scene.request('DELETE', `security-group-rules/${scene.id('r1')}`),
    messages: [rules(HOST1), object('SecurityGroupRule-1.3', pushGone('SecurityGroupRule-1.3'), HOST1)],
  },
  {
    cause: 'create address group',
    work: (scene) =>
      scene.request('POST', 'address-groups', { address_group: { name: 'ag', addresses: ['10.7.0.0/24'] } }, ['ag']),
    messages: [],
    nobody: 'an AddressGroup is pushed to hosts with ports in groups whose rules have it',
  },
  {
    cause: 'rule with address group',
    work: (scene) =>
      scene.request(
        'POST',
        'security-group-rules',
        {
          security_group_rule: {
            security_group_id: scene.id('g1'),
            direction: 'ingress',
            remote_address_group_id: scene.id('ag'),
          },
        },
        ['r2'],
      ),
    messages: [rules(HOST1), object('SecurityGroupRule-1.3', push('SecurityGroupRule-1.3'), HOST1)],
  },
  {
    cause: 'add addresses',
    work: (scene) =>
      scene.request('PUT', `address-groups/${scene.id('ag')}/add_addresses`, { addresses: ['10.8.0.0/24'] }),
    messages: [members(HOST1), object('AddressGroup-1.2', push('AddressGroup-1.2'), HOST1)],
  },
  {
    cause: 'remove addresses',
    work: (scene) =>
      scene.request('PUT', `address-groups/${scene.id('ag')}/remove_addresses`, { addresses: ['10.8.0.0/24'] }),
    messages: [members(HOST1), object('AddressGroup-1.2', push('AddressGroup-1.2'), HOST1)],
  },
  {
    cause: 'rpc tunnel_sync',
    work: (scene) =>
      scene.rpc(
        'flooding',
        'q-plugin',
        'tunnel_sync',
        { tunnel_ip: '192.0.2.77', tunnel_type: 'vxlan', host: 'flooding' },
        '1.4',
      ),
    // Neutron tells all; agents that build tunnels by l2population have no use for it.
    messages: [
      agent('tunnel-update', 'tunnel_update', { tunnel_ip: '192.0.2.77', tunnel_type: 'vxlan' }, ['flooding']),
    ],
  },
  {
    cause: 'rpc get_dvr_mac_address_by_host',
    work: (scene) => scene.rpc('host1', 'q-plugin', 'get_dvr_mac_address_by_host', { host: 'host1' }, '1.0'),
    messages: [
      agent(
        'dvr-update',
        'dvr_mac_address_update',
        { dvr_macs: [{ host: 'host1', mac_address: expect.any(String) }] },
        'all',
      ),
    ],
  },
  {
    cause: 'rpc update_device_up',
    work: async (scene) => {
      await scene.rpc('host1', 'q-plugin', 'dhcp_ready_on_ports', { host: 'host1', port_ids: [scene.id('p2')] }, '1.5');
      await scene.stack.database.sql`delete from outbox`;
      const args = { agent_id: 'ovs-agent-host2', device: scene.id('p2'), host: 'host2' };
      await scene.rpc('host2', 'q-plugin', 'update_device_up', args, '1.1');
    },
    // host1 has a port there, too, though not wired yet.
    messages: [fdb('add_fdb_entries', HOST1), object('Port-1.11', push('Port-1.11', { status: 'ACTIVE' }), HOST2)],
  },
  {
    cause: 'rpc dhcp_ready_on_ports',
    work: async (scene) => {
      const args = { agent_id: 'ovs-agent-host1', device: scene.id('p1'), host: 'host1' };
      await scene.rpc('host1', 'q-plugin', 'update_device_up', args, '1.1');
      await scene.stack.database.sql`delete from outbox`;
      await scene.rpc('host1', 'q-plugin', 'dhcp_ready_on_ports', { host: 'host1', port_ids: [scene.id('p1')] }, '1.5');
    },
    messages: [fdb('add_fdb_entries', HOST2), object('Port-1.11', push('Port-1.11', { status: 'ACTIVE' }), HOST1)],
  },
  {
    cause: 'rpc update_device_down',
    work: (scene) =>
      scene.rpc(
        'host2',
        'q-plugin',
        'update_device_down',
        { agent_id: 'ovs-agent-host2', device: scene.id('p2'), host: 'host2' },
        '1.1',
      ),
    messages: [fdb('remove_fdb_entries', HOST1), object('Port-1.11', push('Port-1.11', { status: 'DOWN' }), HOST2)],
  },
  {
    cause: 'activate binding',
    work: async (scene) => {
      await scene.request('POST', `ports/${scene.id('p1')}/bindings`, { binding: { host: 'host2' } }, [], NOVA);
      await scene.stack.database.sql`delete from outbox`;
      await scene.request('PUT', `ports/${scene.id('p1')}/bindings/host2/activate`, undefined, [], NOVA);
    },
    messages: [
      agent(
        'binding-deactivate',
        'binding_deactivate',
        { port_id: UUID, host: 'host1', network_id: UUID },
        HOST1,
        '1.5',
      ),
      agent('binding-activate', 'binding_activate', { port_id: UUID, host: 'host2' }, HOST2, '1.5'),
      // The port was wired on host1; and the capture was over before these.
      fdb('remove_fdb_entries', HOST2),
      portUpdate(BOTH, { 'binding:host_id': 'host2' }),
      object('Port-1.11', push('Port-1.11'), BOTH),
    ],
  },
  {
    cause: 'move port to other host',
    work: (scene) => scene.request('PUT', `ports/${scene.id('p1')}`, { port: { 'binding:host_id': 'host1' } }),
    messages: [
      // To the host that it leaves when it does, to the other when it is bound there.
      portUpdate(HOST2, { 'binding:host_id': 'host1' }),
      portUpdate(HOST1, { 'binding:host_id': 'host1' }),
      // Of its host, and of its new binding.
      object('Port-1.11', push('Port-1.11'), HOST1),
      object('Port-1.11', push('Port-1.11'), HOST2),
    ],
  },
  {
    cause: 'disable l3 agent',
    work: async (scene) => {
      const { agents } = await scene.request('GET', 'agents?agent_type=L3%20agent');
      await scene.request('PUT', `agents/${agents[0].id}`, { agent: { admin_state_up: false } });
    },
    messages: [
      {
        topic: 'l3_agent',
        method: 'agent_updated',
        version: '1.0',
        to: HOST1,
        args: { payload: { admin_state_up: false } },
      },
    ],
  },
  {
    cause: 'remove network from dhcp agent',
    work: async (scene) => {
      const { agents } = await scene.request('GET', 'agents?agent_type=DHCP%20agent', undefined, ['dhcp agent']);
      await scene.request('DELETE', `agents/${agents[0].id}/dhcp-networks/${scene.id('n1')}`);
    },
    messages: [dhcp('network_delete_end', { network_id: UUID, priority: expect.any(Number) })],
  },
  {
    cause: 'add network to dhcp agent',
    work: (scene) =>
      scene.request('POST', `agents/${scene.id('dhcp agent')}/dhcp-networks`, { network_id: scene.id('n1') }),
    messages: [networkCreated],
  },
  {
    cause: 'delete unbound port',
    work: (scene) => scene.request('DELETE', `ports/${scene.id('p3')}`),
    messages: [portDeleted, members(HOST2)],
    nobody: 'a port that is on no host is deleted on none',
  },
  {
    cause: 'delete port',
    work: (scene) => scene.request('DELETE', `ports/${scene.id('p2')}`),
    // The last port of its group: nobody is left to be told of members.
    messages: [portDeleted, portDelete(HOST2), object('Port-1.11', pushGone('Port-1.11'), HOST2)],
  },
  {
    cause: 'delete subnet',
    work: async (scene) => {
      await scene.request('DELETE', `ports/${scene.id('p1')}`);
      await scene.stack.database.sql`delete from outbox`;
      await scene.request('DELETE', `subnets/${scene.id('s6')}`);
    },
    messages: [
      dhcp('subnet_delete_end', { subnet_id: UUID, network_id: UUID, priority: expect.any(Number) }),
      object('Subnet-1.2', pushGone('Subnet-1.2'), HOST1),
    ],
  },
  {
    cause: 'delete network',
    work: (scene) => scene.request('DELETE', `networks/${scene.id('n1')}`),
    messages: [
      dhcp('network_delete_end', { network_id: UUID, priority: expect.any(Number) }, 'all'),
      agent('network-delete', 'network_delete', { network_id: UUID }, 'all'),
    ],
    nobody: 'no port of a network is left when it is deleted; that it is goes to all',
  },
];

const named = ({ topic, method, version, to }: Expected) =>
  `${topic} ${method} ${version} to ${to === 'all' ? to : to.toSorted().join(', ')}`;

describe('notifications that Neutron was seen to send', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start('notifications');
  });
  afterAll(() => scene?.stop());

  test.each(STEPS)('$cause', async ({ work, messages }) => {
    const told = await scene.told(() => work(scene));
    expect(told.map(named).toSorted()).toEqual(messages.map(named).toSorted());
    for (const message of messages) {
      const same = told.filter((one) => named(one) === named(message)).map(({ args }) => args);
      if (same.length === 1) expect(same[0], named(message)).toEqual(message.args);
      else expect(same, named(message)).toContainEqual(message.args);
    }
  });
});
