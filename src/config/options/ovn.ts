/** The OVN driver. */
import { defineGroup } from './define.ts';

const ovn = defineGroup('ovn', {
  bfd_min_rx: { type: 'integer', default: 1000, min: 1 },
  bfd_min_tx: { type: 'integer', default: 100, min: 1 },
  bfd_mult: { type: 'integer', default: 3, min: 1, max: 255 },
  broadcast_arps_to_all_routers: { type: 'boolean', default: true },
  dhcp_default_lease_time: { type: 'integer', default: 43200, min: 1 },
  disable_ovn_dhcp_for_baremetal_ports: { type: 'boolean', default: false },
  dns_records_ovn_owned: { type: 'boolean', default: false },
  dns_servers: { type: 'list', default: [] },
  enable_distributed_floating_ip: { type: 'boolean', default: false },
  fdb_age_threshold: { type: 'integer', default: 300, min: 0 },
  ha_failover_strategy: {
    type: 'string',
    default: 'normal',
    choices: ['normal', 'aggressive', 'conservative', 'manual'],
  },
  live_migration_activation_strategy: { type: 'string', default: 'rarp', choices: ['rarp', ''] },
  localnet_learn_fdb: { type: 'boolean', default: false },
  mac_binding_age_threshold: { type: 'integer', default: 300, min: 0 },
  neutron_sync_mode: { type: 'string', default: 'log', choices: ['off', 'log', 'repair', 'migrate'] },
  ovn_dhcp4_global_options: { type: 'dict', default: {} },
  ovn_dhcp6_global_options: { type: 'dict', default: {} },
  ovn_l3_scheduler: { type: 'string', default: 'leastloaded', choices: ['leastloaded', 'chance'] },
  ovn_metadata_enabled: { type: 'boolean', default: false },
  ovn_nb_ca_cert: { type: 'string', default: '' },
  ovn_nb_certificate: { type: 'string', default: '' },
  ovn_nb_connection: { type: 'list', default: ['tcp:127.0.0.1:6641'], pattern: '^(tcp|ssl|unix):.+' },
  ovn_nb_private_key: { type: 'string', default: '' },
  ovn_router_indirect_snat: { type: 'boolean', default: true, deprecated_for_removal: true },
  ovn_sb_ca_cert: { type: 'string', default: '' },
  ovn_sb_certificate: { type: 'string', default: '' },
  ovn_sb_connection: { type: 'list', default: ['tcp:127.0.0.1:6642'], pattern: '^(tcp|ssl|unix):.+' },
  ovn_sb_private_key: { type: 'string', default: '' },
  ovs_create_tap: { type: 'boolean', default: true, deprecated_for_removal: true },
  ovsdb_connection_timeout: { type: 'integer', default: 180, min: 1 },
  ovsdb_log_level: { type: 'string', default: 'INFO', choices: ['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG'] },
  ovsdb_probe_interval: { type: 'integer', default: 60000, min: 0 },
  ovsdb_retry_max_interval: { type: 'integer', default: 180, min: 1 },
  stateless_nat_enabled: { type: 'boolean', default: false },
  vhost_sock_dir: { type: 'string', default: '/var/run/openvswitch' },
});

const ovnNbGlobal = defineGroup('ovn_nb_global', {
  fdb_removal_limit: { type: 'integer', default: 0, min: 0 },
  ignore_lsp_down: { type: 'boolean', default: false },
  mac_binding_removal_limit: { type: 'integer', default: 0, min: 0 },
});

const ovnEvpn = defineGroup('ovn_evpn', {
  bgp_as: { type: 'integer', default: null, min: 1, max: 4294967295 },
  bgp_local_interface: { type: 'string', default: null },
  frr_vty_socket: { type: 'string', default: '/run/frr' },
});

export const ovnOptions = [...ovn, ...ovnNbGlobal, ...ovnEvpn];
