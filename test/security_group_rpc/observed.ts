/**
 * What Neutron 21 was seen to answer of a device with its rules. Kinds of values stand for what depends on the run; left out are
 * attributes of extensions that are not served (`ip_allocation`, `qos_policy_id`, `resource_request`).
 */
const PORT = {
  id: '<uuid>',
  name: 'x',
  network_id: '<uuid>',
  project_id: 'a'.repeat(32),
  mac_address: '<mac>',
  admin_state_up: true,
  status: 'DOWN',
  device_id: 'vm1',
  device_owner: 'compute:nova',
  fixed_ips: ['<ip>', '<ip>'],
  allowed_address_pairs: [{ mac_address: '<mac>', ip_address: '<ip>' }],
  extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400', ip_version: 4 }],
  security_groups: ['<uuid>'],
  description: '',
  'binding:vnic_type': 'normal',
  'binding:profile': {},
  'binding:host_id': 'host1',
  'binding:vif_type': 'ovs',
  port_security_enabled: true,
  dns_name: '',
  data_plane_status: null,
  dns_domain: '',
  device_profile: null,
  hardware_offload_type: null,
  numa_affinity_policy: null,
  trusted: null,
  propagate_uplink_status: true,
  hints: null,
  tags: [],
  created_at: '<time>',
  updated_at: '<time>',
  tenant_id: 'a'.repeat(32),
};

const dhcp = (ethertype: string, client: number, server: number) => ({
  direction: 'ingress',
  ethertype,
  protocol: 'udp',
  port_range_min: client,
  port_range_max: client,
  source_port_range_min: server,
  source_port_range_max: server,
  dest_ip_prefix: '<cidr>',
});

/** Router advertisements, and DHCP to the port's address and to all, by IP version. */
export const PROVIDER_RULES = [
  { direction: 'ingress', ethertype: 'IPv6', protocol: 'ipv6-icmp', source_port_range_min: 134 },
  dhcp('IPv4', 68, 67),
  dhcp('IPv4', 68, 67),
  dhcp('IPv6', 546, 547),
  dhcp('IPv6', 546, 547),
];

export const DEVICE = {
  ...PORT,
  security_group_rules: PROVIDER_RULES,
  security_group_source_groups: [],
  security_group_remote_address_groups: [],
  device: '<uuid>',
};

/** `security_group_info_for_devices`, version 1.2, of a device in a group without rules. */
export const INFO = {
  devices: { '<uuid>': DEVICE },
  security_groups: { '<uuid>': [] },
  sg_member_ips: {},
};

/** The same where a rule names an address group. */
export const INFO_WITH_ADDRESSES = {
  devices: { '<uuid>': { ...DEVICE, security_group_remote_address_groups: ['<uuid>'] } },
  security_groups: {
    '<uuid>': [{ direction: 'ingress', ethertype: 'IPv4', remote_address_group_id: '<uuid>', stateful: true }],
  },
  sg_member_ips: { '<uuid>': { IPv4: ['<cidr>'], IPv6: [] } },
};
