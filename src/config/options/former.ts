/** Options that older releases of Neutron had and files may still hold: known, without effect. */
import { defineGroup } from './define.ts';

const defaults = defineGroup('DEFAULT', {
  allow_overlapping_ips: { type: 'boolean', default: true },
  allow_pagination: { type: 'boolean', default: true },
  allow_sorting: { type: 'boolean', default: true },
  advertise_mtu: { type: 'boolean', default: true },
  nova_url: { type: 'string', default: null },
  nova_region_name: { type: 'string', default: null },
  dhcp_delete_namespaces: { type: 'boolean', default: true },
  router_delete_namespaces: { type: 'boolean', default: true },
  external_network_bridge: { type: 'string', default: '' },
  notification_driver: { type: 'multi', default: [] },
  ovs_integration_bridge: { type: 'string', default: 'br-int' },
  prefix_delegation_driver: { type: 'string', default: 'dibbler' },
  keepalived_use_no_track: { type: 'boolean', default: true },
  pd_confs: { type: 'string', default: '$state_path/pd' },
  vendor_pen: { type: 'string', default: '8888' },
});

const others = [
  ...defineGroup('agent', { veth_mtu: { type: 'integer', default: 9000 } }),
  ...defineGroup('experimental', { linuxbridge: { type: 'boolean', default: false } }),
  ...defineGroup('linux_bridge', {
    physical_interface_mappings: { type: 'list', default: [] },
    bridge_mappings: { type: 'list', default: [] },
  }),
  ...defineGroup('vxlan', {
    enable_vxlan: { type: 'boolean', default: true },
    local_ip: { type: 'string', default: null },
    l2_population: { type: 'boolean', default: false },
    vxlan_group: { type: 'string', default: null },
    arp_responder: { type: 'boolean', default: false },
  }),
  ...defineGroup('ovn', {
    ovn_l3_mode: { type: 'boolean', default: true },
    vif_type: { type: 'string', default: 'ovs' },
    ovn_emit_need_to_frag: { type: 'boolean', default: true },
  }),
];

export const formerOptions = [...defaults, ...others];
