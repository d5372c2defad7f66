/** Whole ports, networks and subnets as agents get them, against what was observed of Neutron. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_PLUGIN } from '../security/areas/mod.ts';
import { type Anything, Cloud, shapeOf } from './support.ts';

/** What Neutron has beside: keys of its own tables, and of QoS. */
const ABSENT: ReadonlySet<string> = new Set([
  'standard_attr_id',
  'qos_policy_id',
  'qos_network_policy_id',
  'resource_request',
]);
/** What is here beside what Neutron has. */
const BESIDE: ReadonlySet<string> = new Set(['is_default']);

const PORT = {
  id: '<uuid>',
  name: 'x',
  network_id: '<uuid>',
  project_id: '<project>',
  mac_address: '<mac>',
  admin_state_up: true,
  status: 'ACTIVE',
  device_id: 'vm1',
  device_owner: 'compute:nova',
  standard_attr_id: 18,
  fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
  allowed_address_pairs: [{ mac_address: '<mac>', ip_address: '<ip>' }],
  extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
  security_groups: ['<uuid>'],
  description: '',
  'binding:vnic_type': 'normal',
  'binding:profile': {},
  'binding:host_id': 'host1',
  'binding:vif_type': 'ovs',
  'binding:vif_details': {
    connectivity: 'l2',
    port_filter: true,
    ovs_hybrid_plug: false,
    ovs_create_tap: true,
    datapath_type: 'system',
    bridge_name: 'br-int',
    bound_drivers: { '0': 'openvswitch' },
  },
  port_security_enabled: true,
  qos_policy_id: null,
  qos_network_policy_id: null,
  dns_name: '',
  dns_assignment: [{ ip_address: '<ip>', hostname: 'host-10-0-0-87', fqdn: 'host-10-0-0-87.openstacklocal.' }],
  data_plane_status: null,
  dns_domain: '',
  device_profile: null,
  hardware_offload_type: null,
  numa_affinity_policy: null,
  trusted: null,
  propagate_uplink_status: true,
  hints: null,
  resource_request: null,
  tags: [],
  ip_allocation: 'immediate',
  revision_number: '<revision>',
  created_at: '<time>',
  updated_at: '<time>',
  tenant_id: '<project>',
};

const NETWORK = {
  id: '<uuid>',
  name: 'n2',
  tenant_id: '<project>',
  project_id: '<project>',
  admin_state_up: true,
  mtu: 1450,
  status: 'ACTIVE',
  subnets: ['<uuid>'],
  standard_attr_id: 6,
  shared: false,
  availability_zone_hints: [],
  availability_zones: [],
  ipv4_address_scope: null,
  ipv6_address_scope: null,
  'router:external': false,
  description: '',
  port_security_enabled: true,
  qos_policy_id: null,
  dns_domain: '',
  tags: [],
  l2_adjacency: true,
  revision_number: '<revision>',
  created_at: '<time>',
  updated_at: '<time>',
  'provider:network_type': 'vxlan',
  'provider:physical_network': null,
  'provider:segmentation_id': 77,
};

const SUBNET_FOR_DVR = {
  id: '<uuid>',
  name: '',
  project_id: '<project>',
  network_id: '<uuid>',
  ip_version: 4,
  subnetpool_id: null,
  enable_dhcp: false,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  standard_attr_id: 35,
  gateway_ip: '<ip>',
  cidr: '<cidr>',
  allocation_pools: [{ start: '<ip>', end: '<ip>' }],
  host_routes: [],
  dns_nameservers: [],
  shared: false,
  description: '',
  'router:external': false,
  service_types: [],
  dns_publish_fixed_ip: false,
  tags: [],
  segment_id: null,
  revision_number: '<revision>',
  created_at: '<time>',
  updated_at: '<time>',
  tenant_id: '<project>',
  gateway_mac: '<mac>',
};

let cloud: Cloud;
let lan: Anything;
let port: Anything;
beforeAll(async () => {
  cloud = await Cloud.start('l2_golden', { DEFAULT: EVERY_PLUGIN.DEFAULT });
  await cloud.agent('host1', { tunneling_ip: '192.0.2.1', ovs_hybrid_plug: false });
  lan = await cloud.lan('10.0.0.0/24', {
    name: 'n2',
    'provider:network_type': 'vxlan',
    'provider:segmentation_id': 77,
  });
  port = await cloud.port(lan.id, 'host1', {
    name: 'x',
    device_id: 'vm1',
    fixed_ips: [{ ip_address: '10.0.0.87' }],
    allowed_address_pairs: [{ ip_address: '10.0.0.99', mac_address: 'fa:16:3e:00:00:99' }],
    extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
  });
  await cloud.call('host1', 'update_device_up', { device: port.id });
});
afterAll(() => cloud.stop());

/** The answer with words in the place of what is ours, beside kinds. */
function comparable(answer: Anything): Anything {
  const project = (key: string) => key === 'project_id' || key === 'tenant_id';
  const entries = Object.entries(shapeOf(answer) as object).filter(
    ([key, value]) => !BESIDE.has(key) && value !== undefined,
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [key, project(key) ? '<project>' : key === 'revision_number' ? '<revision>' : value]),
  );
}

const present = (observed: object) => Object.fromEntries(Object.entries(observed).filter(([key]) => !ABSENT.has(key)));

describe('answers that were observed of Neutron', () => {
  it('get_ports_by_vnic_type_and_host', async () => {
    const args = { vnic_type: 'normal', host: 'host1' };
    const [answer] = await cloud.call('host1', 'get_ports_by_vnic_type_and_host', args, '1.7');
    expect(comparable(answer)).toEqual(present(PORT));
  });

  it('get_ports of a metadata agent', async () => {
    const filters = { network_id: [lan.id], fixed_ips: { ip_address: ['10.0.0.87'] } };
    const [answer] = await cloud.call('host1', 'get_ports', { filters });
    expect(comparable(answer)).toEqual(present(PORT));
  });

  it('port_update', async () => {
    const [message] = await cloud.told('q-agent-notifier-port', () =>
      cloud.update('port', port.id, { allowed_address_pairs: [] }),
    );
    expect(comparable(message?.args.port)).toEqual(present({ ...PORT, allowed_address_pairs: [] }));
    const { port: _, ...segment } = message?.args ?? {};
    expect(segment).toEqual({ network_type: 'vxlan', segmentation_id: 77, physical_network: null });
  });

  it('get_network_details', async () => {
    const args = { network: lan.id, agent_id: 'a', host: 'host1' };
    const answer = comparable(await cloud.call('host1', 'get_network_details', args, '1.6'));
    expect(answer).toEqual(present(NETWORK));
  });

  it('get_subnet_for_dvr', async () => {
    await cloud.port(lan.id, '', {
      device_owner: 'network:router_interface_distributed',
      fixed_ips: [{ ip_address: '10.0.0.1' }],
    });
    const answer = await cloud.call('host1', 'get_subnet_for_dvr', { subnet: lan.subnet_id, fixed_ips: null });
    expect(comparable(answer)).toEqual(present(SUBNET_FOR_DVR));
  });
});
