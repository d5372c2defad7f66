/**
 * What Neutron's server answered to `sync_routers` and `get_ports_by_subnet`, with words in the place of what differs each time. It
 * has beside these: ids of its standard attributes, and what QoS adds.
 */
const GATEWAY_INFO = {
  network_id: '<uuid>',
  external_fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
  enable_snat: true,
};

const SUBNET = {
  id: '<uuid>',
  cidr: '<cidr>',
  gateway_ip: '<ip>',
  dns_nameservers: [],
  ipv6_ra_mode: null,
  subnetpool_id: null,
};

const GATEWAY = {
  id: '<uuid>',
  name: '',
  network_id: '<uuid>',
  project_id: '',
  mac_address: '<mac>',
  admin_state_up: true,
  status: 'DOWN',
  device_id: '<uuid>',
  device_owner: 'network:router_gateway',
  fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>', prefixlen: 24 }],
  allowed_address_pairs: [],
  extra_dhcp_opts: [],
  security_groups: [],
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
  port_security_enabled: false,
  dns_name: '',
  dns_assignment: [{ ip_address: '<ip>', hostname: '<name>', fqdn: '<name>' }],
  data_plane_status: null,
  dns_domain: '',
  device_profile: null,
  hardware_offload_type: null,
  numa_affinity_policy: null,
  trusted: null,
  propagate_uplink_status: true,
  hints: null,
  tags: [],
  ip_allocation: 'immediate',
  revision_number: '<number>',
  created_at: '<time>',
  updated_at: '<time>',
  tenant_id: '',
  subnets: [SUBNET],
  extra_subnets: [],
  address_scopes: { '4': null, '6': null },
  mtu: '<number>',
};
const OWN = { project_id: '<project>', tenant_id: '<project>' };
const INTERFACE = { ...GATEWAY, ...OWN, device_owner: 'network:router_interface' };

const FLOATING_IP = {
  id: '<uuid>',
  ...OWN,
  floating_ip_address: '<ip>',
  floating_network_id: '<uuid>',
  router_id: '<uuid>',
  port_id: '<uuid>',
  fixed_ip_address: '<ip>',
  status: 'DOWN',
  description: '',
  port_details: {
    name: 'x',
    network_id: '<uuid>',
    mac_address: '<mac>',
    admin_state_up: true,
    status: '<status>',
    device_id: 'vm1',
    device_owner: 'compute:nova',
  },
  dns_domain: '',
  dns_name: '',
  tags: [],
  revision_number: '<number>',
  created_at: '<time>',
  updated_at: '<time>',
  port_forwardings: [],
  fixed_ip_address_scope: null,
};

const ROUTER = {
  id: '<uuid>',
  name: 'r1',
  ...OWN,
  admin_state_up: true,
  status: 'ACTIVE',
  enable_snat: true,
  external_gateway_info: GATEWAY_INFO,
  gw_port_id: '<uuid>',
  description: '',
  availability_zones: ['nova'],
  distributed: false,
  ha: false,
  ha_vr_id: 0,
  availability_zone_hints: [],
  enable_default_route_ecmp: false,
  enable_default_route_bfd: false,
  routes: [],
  flavor_id: null,
  tags: [],
  revision_number: '<number>',
  created_at: '<time>',
  updated_at: '<time>',
  conntrack_helpers: [],
  enable_ndp_proxy: false,
  gw_port_host: 'host1',
};

export const LEGACY = {
  ...ROUTER,
  routes: [{ destination: '<cidr>', nexthop: '<ip>' }],
  gw_port: GATEWAY,
  _snat_router_interfaces: [],
  _floatingip_agent_interfaces: [],
  _floatingips: [FLOATING_IP],
  _interfaces: [
    {
      ...INTERFACE,
      subnets: [{ ...SUBNET, dns_nameservers: ['<ip>'] }],
      extra_subnets: [{ ...SUBNET, ipv6_ra_mode: 'slaac' }],
    },
  ],
};

export const DISTRIBUTED = {
  ...ROUTER,
  distributed: true,
  gw_port: GATEWAY,
  _snat_router_interfaces: [{ ...GATEWAY, device_owner: 'network:router_centralized_snat' }],
  _floatingip_agent_interfaces: [{ ...GATEWAY, device_owner: 'network:floatingip_agent_gateway' }],
  _floatingips: [{ ...FLOATING_IP, host: 'host1', dest_host: null }],
  _interfaces: [
    {
      ...INTERFACE,
      device_owner: 'network:router_interface_distributed',
      'binding:host_id': '',
      'binding:vif_type': 'distributed',
      'binding:vif_details': { bound_drivers: { '0': 'openvswitch' } },
    },
  ],
};

export const HIGHLY_AVAILABLE = {
  ...ROUTER,
  ha: true,
  ha_vr_id: '<number>',
  external_gateway_info: null,
  gw_port_id: null,
  gw_port_host: null,
  _ha_state: 'standby',
  _ha_interface: {
    ...GATEWAY,
    name: '<name>',
    device_owner: 'network:router_ha_interface',
    fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>', prefixlen: 18 }],
    subnets: [{ ...SUBNET, gateway_ip: null }],
  },
};

export const SUBNET_PORT = {
  id: '<uuid>',
  name: 'x',
  network_id: '<uuid>',
  ...OWN,
  mac_address: '<mac>',
  admin_state_up: true,
  status: '<status>',
  device_id: 'vm1',
  device_owner: 'compute:nova',
  fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
  allowed_address_pairs: [{ mac_address: '<mac>', ip_address: '<ip>' }],
};
