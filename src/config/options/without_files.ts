/**
 * What a server is given that has no configuration file at all, where Neutron's own defaults leave things out that clients
 * and test suites look for. With a file, Neutron's defaults hold, so that an existing configuration means what it meant.
 */
import type { Source } from '../sources.ts';

/** All extension drivers that only keep and show attributes. */
// biome-ignore format: a table of names
export const EXTENSION_DRIVERS = [
  'port_security', 'dns_domain_keywords', 'data_plane_status', 'port_device_profile', 'port_hardware_offload_type', 'port_hints',
  'port_hint_ovs_tx_steering', 'port_numa_affinity_policy', 'port_trusted', 'tag_ports_during_bulk_creation',
  'uplink_status_propagation', 'uplink_status_propagation_updatable',
];

/** What binds ports to hosts with an Open vSwitch agent, and spares them flooding. */
export const MECHANISM_DRIVERS = ['openvswitch', 'l2population'];

/** Beside those that are always there. */
export const SERVICE_PLUGINS = ['router', 'port_forwarding', 'conntrack_helper', 'ndp_proxy'];

const setting = (group: string, name: string, values: readonly string[]) => ({
  group,
  name,
  text: values.join(','),
  file: 'default without a configuration file',
  line: null,
});

/** Weaker than the environment. */
export const WITHOUT_FILES: Source = {
  settings: [
    setting('DEFAULT', 'service_plugins', SERVICE_PLUGINS),
    setting('ml2', 'extension_drivers', EXTENSION_DRIVERS),
    setting('ml2', 'mechanism_drivers', MECHANISM_DRIVERS),
  ],
};
