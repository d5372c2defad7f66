/** ML2: the plugin, its type and mechanism drivers, security groups. */
import { defineGroup } from './define.ts';

const ml2 = defineGroup('ml2', {
  extension_drivers: {
    type: 'list',
    default: [],
    effective: true,
    help: 'Extension drivers by name, in order; without any configuration file, all that only keep and show attributes.',
  },
  external_network_type: {
    type: 'string',
    default: null,
    effective: true,
    help: 'Type of external networks that name none; unset: as project_network_types.',
  },
  mechanism_drivers: { type: 'list', default: [], effective: true, help: 'Mechanism drivers by name, in order.' },
  overlay_ip_version: {
    type: 'integer',
    default: 4,
    choices: ['4', '6'],
    effective: true,
    help: 'IP version of the tunnels’ endpoints: it decides how much of the MTU they take.',
  },
  path_mtu: {
    type: 'integer',
    default: 0,
    min: 0,
    effective: true,
    help: 'MTU between tunnel endpoints; 0: global_physnet_mtu.',
  },
  physical_network_mtus: {
    type: 'dict',
    default: {},
    effective: true,
    help: 'MTU of physical networks that differ: physnet2:9000.',
  },
  project_network_types: {
    type: 'list',
    default: ['local'],
    deprecated_names: [[null, 'tenant_network_types']],
    effective: true,
    help: 'Types that projects’ networks get, tried in order.',
  },
  tunnelled_network_rp_name: { type: 'string', default: 'rp_tunnelled' },
  type_drivers: {
    type: 'list',
    default: ['local', 'flat', 'vlan', 'gre', 'vxlan', 'geneve'],
    effective: true,
    help: 'Network types that can be used.',
  },
});

const ml2TypeFlat = defineGroup('ml2_type_flat', {
  flat_networks: {
    type: 'list',
    default: ['*'],
    effective: true,
    help: 'Physical networks for flat networks; *: any; empty: none.',
  },
});

const ml2TypeVlan = defineGroup('ml2_type_vlan', {
  network_vlan_ranges: {
    type: 'list',
    default: [],
    effective: true,
    help: 'Physical networks with the VLANs that projects get: physnet1:100:199.',
  },
});

const ml2TypeGre = defineGroup('ml2_type_gre', {
  tunnel_id_ranges: { type: 'list', default: [], effective: true, help: 'GRE tunnel ids that projects get: 1:1000.' },
});

const ml2TypeVxlan = defineGroup('ml2_type_vxlan', {
  vni_ranges: { type: 'list', default: [], effective: true, help: 'VNIs that projects get: 1:1000.' },
  vxlan_group: { type: 'string', default: null },
});

const ml2TypeGeneve = defineGroup('ml2_type_geneve', {
  max_header_size: { type: 'integer', default: 30, min: 0, effective: true, help: 'Bytes of Geneve’s own header.' },
  vni_ranges: { type: 'list', default: [], effective: true, help: 'VNIs that projects get: 1:1000.' },
});

const securitygroup = defineGroup('securitygroup', {
  enable_ipset: { type: 'boolean', default: true },
  enable_security_group: {
    type: 'boolean',
    default: true,
    effective: true,
    help: 'Whether there are security groups; off: no API for them, and ports are in none.',
  },
  firewall_driver: { type: 'string', default: null },
  permitted_ethertypes: { type: 'list', default: [] },
});

const ovsDriver = defineGroup('ovs_driver', {
  ovs_create_tap: {
    type: 'boolean',
    default: true,
    deprecated_for_removal: true,
    effective: true,
    help: 'Whether compute hosts are told (binding:vif_details) to make a tap device for each Open vSwitch port.',
  },
  vnic_type_prohibit_list: {
    type: 'list',
    default: [],
    effective: true,
    help: "Kinds of ports (binding:vnic_type) that the mechanism driver 'openvswitch' leaves to others.",
  },
});

const sriovDriver = defineGroup('sriov_driver', {
  vnic_type_prohibit_list: {
    type: 'list',
    default: [],
    effective: true,
    help: "Kinds of ports (binding:vnic_type) that the mechanism driver 'sriovnicswitch' leaves to others.",
  },
});

export const ml2Options = [
  ...ml2,
  ...ml2TypeFlat,
  ...ml2TypeVlan,
  ...ml2TypeGre,
  ...ml2TypeVxlan,
  ...ml2TypeGeneve,
  ...securitygroup,
  ...ovsDriver,
  ...sriovDriver,
];
