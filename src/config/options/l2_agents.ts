/** What only layer 2 agents read; a server meets it where one file serves both. */
import { defineGroup } from './define.ts';

const agent = defineGroup('agent', {
  arp_responder: { type: 'boolean', default: false },
  availability_zone: { type: 'string', default: 'nova', max_length: 255 },
  baremetal_smartnic: { type: 'boolean', default: false },
  check_child_processes_action: { type: 'string', default: 'respawn', choices: ['respawn', 'exit'] },
  check_child_processes_interval: { type: 'integer', default: 60, min: 0 },
  comment_iptables_rules: { type: 'boolean', default: true },
  debug_iptables_rules: { type: 'boolean', default: false },
  dont_fragment: { type: 'boolean', default: true },
  drop_flows_on_start: { type: 'boolean', default: false },
  dscp: { type: 'integer', default: null, min: 0, max: 63 },
  dscp_inherit: { type: 'boolean', default: false },
  enable_distributed_routing: { type: 'boolean', default: false },
  explicitly_egress_direct: { type: 'boolean', default: false },
  extensions: { type: 'list', default: [] },
  kill_scripts_path: { type: 'string', default: '/etc/neutron/kill_scripts/' },
  l2_population: { type: 'boolean', default: false },
  log_agent_heartbeats: { type: 'boolean', default: false },
  minimize_polling: { type: 'boolean', default: true },
  ovsdb_monitor_respawn_interval: { type: 'integer', default: 30 },
  polling_interval: { type: 'integer', default: 2, min: 1 },
  quitting_rpc_timeout: { type: 'integer', default: 10, min: 0 },
  report_interval: { type: 'float', default: 30 },
  root_helper: { type: 'string', default: 'sudo' },
  root_helper_daemon: { type: 'string', default: null },
  tunnel_csum: { type: 'boolean', default: false },
  tunnel_types: { type: 'list', default: [] },
  use_helper_for_ns_read: { type: 'boolean', default: true },
  use_random_fully: { type: 'boolean', default: true },
  vxlan_udp_port: { type: 'port', default: 4789 },
});

const ovs = defineGroup('ovs', {
  bridge_mac_table_size: { type: 'integer', default: 50000 },
  bridge_mappings: { type: 'list', default: [] },
  datapath_type: { type: 'string', default: 'system', choices: ['system', 'netdev'] },
  igmp_flood: { type: 'boolean', default: false },
  igmp_flood_reports: { type: 'boolean', default: true },
  igmp_flood_unregistered: { type: 'boolean', default: false },
  igmp_snooping_enable: { type: 'boolean', default: false },
  int_peer_patch_port: { type: 'string', default: 'patch-tun' },
  integration_bridge: { type: 'string', default: 'br-int' },
  local_ip: { type: 'ip', default: null },
  of_connect_timeout: { type: 'integer', default: 300, min: 1 },
  of_inactivity_probe: { type: 'integer', default: 10, min: 0 },
  of_listen_address: { type: 'ip', default: '127.0.0.1' },
  of_listen_port: { type: 'port', default: 6633 },
  of_request_timeout: { type: 'integer', default: 300, min: 1 },
  openflow_processed_per_port: { type: 'boolean', default: false },
  ovsdb_connection: { type: 'string', default: 'tcp:127.0.0.1:6640', pattern: '^(tcp|ssl|unix):.+' },
  ovsdb_connection_timeout: { type: 'integer', default: 180, min: 1 },
  ovsdb_debug: { type: 'boolean', default: false },
  ovsdb_timeout: { type: 'integer', default: 10, min: 1 },
  qos_meter_bandwidth: { type: 'boolean', default: false },
  resource_provider_bandwidths: { type: 'list', default: [] },
  resource_provider_default_hypervisor: { type: 'string', default: null },
  resource_provider_hypervisors: { type: 'dict', default: {} },
  resource_provider_inventory_defaults: {
    type: 'dict',
    default: { allocation_ratio: '1.0', min_unit: '1', step_size: '1', reserved: '0' },
  },
  resource_provider_packet_processing_inventory_defaults: {
    type: 'dict',
    default: { allocation_ratio: '1.0', min_unit: '1', step_size: '1', reserved: '0' },
  },
  resource_provider_packet_processing_with_direction: { type: 'list', default: [] },
  resource_provider_packet_processing_without_direction: { type: 'list', default: [] },
  ssl_ca_cert_file: { type: 'string', default: null },
  ssl_cert_file: { type: 'string', default: null },
  ssl_key_file: { type: 'string', default: null },
  trunk_enabled: { type: 'boolean', default: true },
  tun_peer_patch_port: { type: 'string', default: 'patch-int' },
  tunnel_bridge: { type: 'string', default: 'br-tun' },
  vhostuser_socket_dir: { type: 'string', default: '/var/run/openvswitch' },
});

const sriovNic = defineGroup('sriov_nic', {
  exclude_devices: { type: 'list', default: [] },
  physical_device_mappings: { type: 'list', default: [] },
  resource_provider_bandwidths: { type: 'list', default: [] },
  resource_provider_default_hypervisor: { type: 'string', default: null },
  resource_provider_hypervisors: { type: 'dict', default: {} },
  resource_provider_inventory_defaults: {
    type: 'dict',
    default: { allocation_ratio: '1.0', min_unit: '1', step_size: '1', reserved: '0' },
  },
});

const macvtap = defineGroup('macvtap', {
  physical_interface_mappings: { type: 'list', default: [] },
});

const networkLog = defineGroup('network_log', {
  burst_limit: { type: 'integer', default: 25, min: 25 },
  local_output_log_base: { type: 'string', default: null },
  rate_limit: { type: 'integer', default: 100, min: 100 },
});

const dhcp = defineGroup('dhcp', {
  dhcp_rebinding_time: { type: 'integer', default: 0, min: 0 },
  dhcp_renewal_time: { type: 'integer', default: 0, min: 0 },
  enable_ipv6: { type: 'boolean', default: true },
});

const metadata = defineGroup('metadata', {
  auth_ca_cert: { type: 'string', default: null },
  host_proxy_listen_port: { type: 'integer', default: 80, min: 1, max: 65535 },
  metadata_proxy_shared_secret: { type: 'string', default: '', secret: true },
  nova_client_cert: { type: 'string', default: '' },
  nova_client_priv_key: { type: 'string', default: '' },
  nova_metadata_host: { type: 'host', default: '127.0.0.1' },
  nova_metadata_insecure: { type: 'boolean', default: false },
  nova_metadata_port: { type: 'port', default: 8775 },
  nova_metadata_protocol: { type: 'string', default: 'http', choices: ['http', 'https'] },
  provider_base_mac: { type: 'string', default: 'fa:16:ee:00:00:00' },
  provider_cidr: { type: 'string', default: '240.0.0.0/16' },
  provider_vlan_id: { type: 'integer', default: 1, min: 1, max: 4094 },
});

const metadataHaproxy = defineGroup('metadata_haproxy', {
  timeout_client: { type: 'integer', default: 32, min: 1 },
  timeout_connect: { type: 'integer', default: 30, min: 1 },
  timeout_http_keep_alive: { type: 'integer', default: 30, min: 1 },
  timeout_http_request: { type: 'integer', default: 30, min: 1 },
  timeout_server: { type: 'integer', default: 32, min: 1 },
});

const metadataRateLimiting = defineGroup('metadata_rate_limiting', {
  base_query_rate_limit: { type: 'integer', default: 10, min: 1 },
  base_window_duration: { type: 'integer', default: 10, min: 1 },
  burst_query_rate_limit: { type: 'integer', default: 10, min: 1 },
  burst_window_duration: { type: 'integer', default: 10, min: 1 },
  ip_versions: { type: 'list', default: ['4'], choices: ['4', '6'] },
  rate_limit_enabled: { type: 'boolean', default: false },
});

export const l2AgentOptions = [
  ...agent,
  ...ovs,
  ...sriovNic,
  ...macvtap,
  ...networkLog,
  ...dhcp,
  ...metadata,
  ...metadataHaproxy,
  ...metadataRateLimiting,
];
