/** Service plugins beside the core: VPN, firewall, BGP, chaining, taps, layer 2 gateways. */
import { defineGroup } from './define.ts';

const serviceProviders = defineGroup('service_providers', {
  service_provider: {
    type: 'multi',
    default: [],
    effective: true,
    help: 'Providers of services beside those that are always there: type:name:driver[:default]. Those of routers are known.',
  },
});

const vpnagent = defineGroup('vpnagent', {
  vpn_device_driver: {
    type: 'multi',
    default: ['neutron_vpnaas.services.vpn.device_drivers.libreswan_ipsec.LibreSwanDriver'],
  },
});

const ipsec = defineGroup('ipsec', {
  config_base_dir: { type: 'string', default: '$state_path/ipsec' },
  enable_detailed_logging: { type: 'boolean', default: false },
  ipsec_status_check_interval: { type: 'integer', default: 60 },
});

const pluto = defineGroup('pluto', {
  restart_check_config: { type: 'boolean', default: false, deprecated_names: [['libreswan', null]] },
  shutdown_check_back_off: { type: 'float', default: 1.5, deprecated_names: [['libreswan', null]] },
  shutdown_check_retries: { type: 'integer', default: 5, deprecated_names: [['libreswan', null]] },
  shutdown_check_timeout: { type: 'integer', default: 1, deprecated_names: [['libreswan', null]] },
});

const libreswan = defineGroup('libreswan', {
  ipsec_config_template: { type: 'string', default: null },
  ipsec_secret_template: { type: 'string', default: null },
});

const strongswan = defineGroup('strongswan', {
  default_config_area: { type: 'string', default: '/etc/strongswan.d' },
  ipsec_config_template: { type: 'string', default: null },
  ipsec_secret_template: { type: 'string', default: null },
  strongswan_config_template: { type: 'string', default: null },
});

const fwaas = defineGroup('fwaas', {
  conntrack_driver: { type: 'string', default: 'conntrack' },
  driver: { type: 'string', default: '' },
  enabled: { type: 'boolean', default: false },
  firewall_l2_driver: { type: 'string', default: 'noop' },
});

const defaultFwgRules = defineGroup('default_fwg_rules', {
  egress_action: { type: 'string', default: 'allow', choices: ['allow', 'deny', 'reject'] },
  egress_destination_ipv4_address: { type: 'string', default: null },
  egress_destination_ipv6_address: { type: 'string', default: null },
  egress_destination_port: { type: 'string', default: null },
  egress_source_ipv4_address: { type: 'string', default: null },
  egress_source_ipv6_address: { type: 'string', default: null },
  egress_source_port: { type: 'string', default: null },
  enabled: { type: 'boolean', default: true },
  ingress_action: { type: 'string', default: 'deny', choices: ['allow', 'deny', 'reject'] },
  ingress_destination_ipv4_address: { type: 'string', default: null },
  ingress_destination_ipv6_address: { type: 'string', default: null },
  ingress_destination_port: { type: 'string', default: null },
  ingress_source_ipv4_address: { type: 'string', default: null },
  ingress_source_ipv6_address: { type: 'string', default: null },
  ingress_source_port: { type: 'string', default: null },
  protocol: { type: 'string', default: null },
  shared: { type: 'boolean', default: false },
});

const bgp = defineGroup('bgp', {
  bgp_router_id: { type: 'string', default: null },
  bgp_speaker_driver: { type: 'string', default: null },
});

const flowclassifier = defineGroup('flowclassifier', {
  drivers: { type: 'list', default: ['dummy'] },
});

const sfc = defineGroup('sfc', {
  drivers: { type: 'list', default: ['dummy'] },
});

const taas = defineGroup('taas', {
  vlan_range_end: { type: 'integer', default: 4000 },
  vlan_range_start: { type: 'integer', default: 3900 },
});

const ovsdb = defineGroup('ovsdb', {
  enable_manager: { type: 'boolean', default: false },
  l2_gw_agent_ca_cert_base_path: { type: 'string', default: null },
  l2_gw_agent_cert_base_path: { type: 'string', default: null },
  l2_gw_agent_priv_key_base_path: { type: 'string', default: null },
  manager_table_listening_port: { type: 'port', default: 6632 },
  max_connection_retries: { type: 'integer', default: 10 },
  ovsdb_hosts: { type: 'string', default: 'host1:127.0.0.1:6632' },
  periodic_interval: { type: 'integer', default: 20 },
  socket_timeout: { type: 'integer', default: 30 },
});

const experimental = defineGroup('experimental', {
  ipv6_pd_enabled: { type: 'boolean', default: false },
});

export const serviceOptions = [
  ...serviceProviders,
  ...vpnagent,
  ...ipsec,
  ...pluto,
  ...libreswan,
  ...strongswan,
  ...fwaas,
  ...defaultFwgRules,
  ...bgp,
  ...flowclassifier,
  ...sfc,
  ...taas,
  ...ovsdb,
  ...experimental,
];
