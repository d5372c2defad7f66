/**
 * The extension manager: loads the drivers of `[ml2] extension_drivers` and the attribute extensions that ML2 always has, and
 * joins what they add to each resource into one reading and one set of columns
 * (neutron.plugins.ml2.managers.ExtensionManager).
 */
import { joinExtensions, type ResourceExtensions } from '#src/db/mod.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { allowedAddressPairs } from '../extensions/allowed_address_pairs.ts';
import { dataPlaneStatus } from '../extensions/data_plane_status.ts';
import { dns, dnsDomainKeywords, dnsDomainPorts, subnetDnsPublishFixedIp } from '../extensions/dns/mod.ts';
import { extraDhcpOpts } from '../extensions/extra_dhcp_opts.ts';
import { portDeviceProfile } from '../extensions/port_device_profile.ts';
import { portHardwareOffloadType } from '../extensions/port_hardware_offload_type.ts';
import { portHintOvsTxSteering, portHints } from '../extensions/port_hints.ts';
import { portNumaAffinityPolicy } from '../extensions/port_numa_affinity_policy.ts';
import { portSecurity } from '../extensions/port_security.ts';
import { portTrusted } from '../extensions/port_trusted.ts';
import { tagPortsDuringBulkCreation } from '../extensions/tag_ports_during_bulk_creation.ts';
import { uplinkStatusPropagation, uplinkStatusPropagationUpdatable } from '../extensions/uplink_status_propagation.ts';
import { type VlanTagSupport, vlanTagDrivers } from '../extensions/vlan_tags.ts';
import { ABSENT_EXTENSIONS, namedDrivers } from './absent.ts';

export type { ResourceExtensions } from '#src/db/mod.ts';

const DRIVERS: Readonly<Record<string, (config: Config) => ExtensionDriver>> = {
  data_plane_status: () => dataPlaneStatus,
  dns,
  dns_domain_keywords: dnsDomainKeywords,
  dns_domain_ports: dnsDomainPorts,
  port_device_profile: () => portDeviceProfile,
  port_hardware_offload_type: () => portHardwareOffloadType,
  port_hint_ovs_tx_steering: () => portHintOvsTxSteering,
  port_hints: () => portHints,
  port_numa_affinity_policy: () => portNumaAffinityPolicy,
  port_security: () => portSecurity,
  port_trusted: () => portTrusted,
  subnet_dns_publish_fixed_ip: subnetDnsPublishFixedIp,
  tag_ports_during_bulk_creation: () => tagPortsDuringBulkCreation,
  uplink_status_propagation: () => uplinkStatusPropagation,
  uplink_status_propagation_updatable: () => uplinkStatusPropagationUpdatable,
};
const ALWAYS: readonly ExtensionDriver[] = [allowedAddressPairs, extraDhcpOpts];

export interface ExtensionManager {
  readonly definitions: readonly ExtensionDefinition[];
  readonly networks: ResourceExtensions;
  readonly subnets: ResourceExtensions;
  readonly ports: ResourceExtensions;
}

/** `others`: what other plugins add to a collection of ML2's; `vlanTags`: what mechanism drivers can. */
export function createExtensionManager(
  config: Config,
  log: Logger,
  others: PluginHost['attributeExtensions'],
  vlanTags: VlanTagSupport,
): ExtensionManager {
  const named = config.list('ml2', 'extension_drivers');
  const configured = namedDrivers(named, 'extension_drivers', DRIVERS, ABSENT_EXTENSIONS, log);
  const drivers = [...configured.map(([, driver]) => driver(config)), ...ALWAYS, ...vlanTagDrivers(config, vlanTags)];
  return {
    definitions: drivers.flatMap(({ extensions }) => extensions),
    networks: joinExtensions([...drivers.map(({ networks }) => networks), ...others('networks')]),
    subnets: joinExtensions([...drivers.map(({ subnets }) => subnets), ...others('subnets')]),
    ports: joinExtensions([...drivers.map(({ ports }) => ports), ...others('ports')]),
  };
}
