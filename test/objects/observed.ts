/**
 * Objects as Neutron 21 was seen to send and to answer them. `<uuid>` and the like stand for values of that kind; what differs here
 * and why stands beside it.
 */
export const ID = '<uuid>';
export const PROJECT = 'a'.repeat(32);
const STANDARD = { description: '', created_at: '<time>', updated_at: '<time>' };

const object = (name: string, version: string, data: object) => ({
  'versioned_object.name': name,
  'versioned_object.namespace': 'versionedobjects',
  'versioned_object.version': version,
  'versioned_object.data': data,
});

// A segment's row has a description in Neutron only if somebody gave it one.
const { description: _, ...UNDESCRIBED } = STANDARD;
const SEGMENT = object('NetworkSegment', '1.0', {
  id: ID,
  network_id: ID,
  network_type: 'vxlan',
  segmentation_id: 77,
  is_dynamic: false,
  segment_index: 0,
  hosts: [],
  revision_number: 0,
  ...UNDESCRIBED,
});

export const NETWORK = object('Network', '1.3', {
  id: ID,
  project_id: PROJECT,
  name: 'n1',
  status: 'ACTIVE',
  admin_state_up: true,
  shared: false,
  mtu: 1450,
  security: object('NetworkPortSecurity', '1.0', { id: ID, port_security_enabled: true }),
  segments: [SEGMENT],
  pvlan: null,
  dns_domain: null,
  qos_policy_id: null,
  revision_number: 1,
  ...STANDARD,
});

const subnet = (more: object) => ({
  id: ID,
  project_id: PROJECT,
  name: '',
  network_id: ID,
  cidr: '<cidr>',
  gateway_ip: '<ip>',
  allocation_pools: [object('IPAllocationPool', '1.0', { id: ID, subnet_id: ID, start: '<ip>', end: '<ip>' })],
  enable_dhcp: true,
  shared: false,
  dns_publish_fixed_ip: false,
  service_types: [],
  external: false,
  revision_number: 0,
  ...STANDARD,
  ...more,
});

export const SUBNET = object(
  'Subnet',
  '1.2',
  subnet({
    ip_version: 4,
    dns_nameservers: [object('DNSNameServer', '1.0', { address: '<ip>', subnet_id: ID, order: 0 })],
    host_routes: [object('Route', '1.0', { subnet_id: ID, destination: '<cidr>', nexthop: '<ip>' })],
  }),
);

export const SLAAC_SUBNET = object(
  'Subnet',
  '1.2',
  subnet({
    ip_version: 6,
    ipv6_ra_mode: 'slaac',
    ipv6_address_mode: 'slaac',
    dns_nameservers: [],
    host_routes: [],
  }),
);

const PAIR = object('AllowedAddressPair', '1.0', { port_id: ID, mac_address: '<mac>', ip_address: '<ip>' });
const FIXED_IP = object('IPAllocation', '1.0', { port_id: ID, subnet_id: ID, network_id: ID, ip_address: '<ip>' });

export const BOUND_PORT = object('Port', '1.11', {
  id: ID,
  project_id: PROJECT,
  name: 'x',
  network_id: ID,
  mac_address: '<mac>',
  admin_state_up: true,
  device_id: 'vm1',
  device_owner: 'compute:nova',
  status: 'DOWN',
  allowed_address_pairs: [PAIR],
  bindings: [
    object('PortBinding', '1.0', {
      port_id: ID,
      host: 'host1',
      profile: '{}',
      vif_type: 'ovs',
      vif_details: '<str>',
      vnic_type: 'normal',
      status: 'ACTIVE',
    }),
  ],
  data_plane_status: null,
  dhcp_options: [
    object('ExtraDhcpOpt', '1.1', { id: ID, port_id: ID, opt_name: 'mtu', opt_value: '1400', ip_version: 4 }),
  ],
  distributed_bindings: [],
  dns: null,
  // Of both subnets.
  fixed_ips: [FIXED_IP, FIXED_IP],
  hints: null,
  security: object('PortSecurity', '1.0', { id: ID, port_security_enabled: true }),
  security_group_ids: [ID],
  pvlan_type: null,
  pvlan_community: null,
  qos_policy_id: null,
  qos_network_policy_id: null,
  binding_levels: [
    object('PortBindingLevel', '1.1', {
      port_id: ID,
      host: 'host1',
      level: 0,
      driver: 'openvswitch',
      segment: SEGMENT,
      segment_id: ID,
    }),
  ],
  revision_number: '<number>',
  ...STANDARD,
});

export const UNBOUND = [
  object('PortBinding', '1.0', {
    port_id: ID,
    host: 'host1',
    profile: '{}',
    vif_type: 'unbound',
    vif_details: null,
    vnic_type: 'normal',
    status: 'ACTIVE',
  }),
];

export const RULE = object('SecurityGroupRule', '1.3', {
  id: ID,
  project_id: PROJECT,
  security_group_id: ID,
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: 22,
  port_range_max: 22,
  remote_ip_prefix: '<cidr>',
  normalized_cidr: '<cidr>',
  belongs_to_default_sg: false,
  revision_number: 0,
  ...STANDARD,
});

export const GROUP = object('SecurityGroup', '1.6', {
  id: ID,
  name: 'web',
  project_id: PROJECT,
  shared: false,
  stateful: true,
  is_default: false,
  rules: [RULE],
  revision_number: '<number>',
  ...STANDARD,
});

export const ADDRESS_GROUP = object('AddressGroup', '1.2', {
  id: ID,
  name: 'ag',
  project_id: PROJECT,
  shared: false,
  addresses: [object('AddressAssociation', '1.0', { address: '<cidr>', address_group_id: ID })],
  revision_number: 1,
  ...STANDARD,
});

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '<uuid>'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '<time>'],
  [/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, '<mac>'],
  [/^[0-9a-f.:]+\/\d+$/, '<cidr>'],
  [/^(\d+\.){3}\d+$|^[0-9a-f]*:[0-9a-f:]+$/, '<ip>'],
];

/** The value with what depends on the run as its kind; `numbers` are members that are counted differently here. */
export function byKind(value: unknown, numbers: readonly string[] = []): unknown {
  if (typeof value === 'string') return KINDS.find(([pattern]) => pattern.test(value))?.[1] ?? value;
  if (Array.isArray(value)) return value.map((item) => byKind(item, numbers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === 'vif_details' && member !== null) return [name, '<str>'];
      return [byKind(name), numbers.includes(name) ? '<number>' : byKind(member, numbers)];
    }),
  );
}
