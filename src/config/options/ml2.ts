/** ML2: the plugin, its type and mechanism drivers, security groups. */
import { defineGroup } from './define.ts';

const ml2 = defineGroup('ml2', {
  extension_drivers: { type: 'list', default: [], effective: true },
  external_network_type: { type: 'string', default: null, effective: true },
  mechanism_drivers: { type: 'list', default: [], effective: true },
  overlay_ip_version: { type: 'integer', default: 4, choices: ['4', '6'], effective: true },
  path_mtu: { type: 'integer', default: 0, min: 0, effective: true },
  physical_network_mtus: { type: 'dict', default: {}, effective: true },
  project_network_types: {
    type: 'list',
    default: ['local'],
    deprecated_names: [[null, 'tenant_network_types']],
    effective: true,
  },
  tunnelled_network_rp_name: { type: 'string', default: 'rp_tunnelled' },
  type_drivers: { type: 'list', default: ['local', 'flat', 'vlan', 'gre', 'vxlan', 'geneve'], effective: true },
});

const ml2TypeFlat = defineGroup('ml2_type_flat', {
  flat_networks: { type: 'list', default: ['*'], effective: true },
});

const ml2TypeVlan = defineGroup('ml2_type_vlan', {
  network_vlan_ranges: { type: 'list', default: [], effective: true },
});

const ml2TypeGre = defineGroup('ml2_type_gre', {
  tunnel_id_ranges: { type: 'list', default: [], effective: true },
});

const ml2TypeVxlan = defineGroup('ml2_type_vxlan', {
  vni_ranges: { type: 'list', default: [], effective: true },
  vxlan_group: { type: 'string', default: null, effective: true },
});

const ml2TypeGeneve = defineGroup('ml2_type_geneve', {
  max_header_size: { type: 'integer', default: 30, min: 0, effective: true },
  vni_ranges: { type: 'list', default: [], effective: true },
});

const securitygroup = defineGroup('securitygroup', {
  enable_ipset: { type: 'boolean', default: true },
  enable_security_group: { type: 'boolean', default: true },
  firewall_driver: { type: 'string', default: null },
  permitted_ethertypes: { type: 'list', default: [] },
});

const ovsDriver = defineGroup('ovs_driver', {
  ovs_create_tap: { type: 'boolean', default: true, deprecated_for_removal: true },
  vnic_type_prohibit_list: { type: 'list', default: [] },
});

const sriovDriver = defineGroup('sriov_driver', {
  vnic_type_prohibit_list: { type: 'list', default: [] },
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
