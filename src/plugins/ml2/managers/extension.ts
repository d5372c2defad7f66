/**
 * The extension manager: loads the drivers of `[ml2] extension_drivers` and the attribute extensions that ML2 always has, and
 * joins what they add to each resource into one reading and one set of columns
 * (neutron.plugins.ml2.managers.ExtensionManager).
 */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type {
  AttributeExtension,
  AttributeReading,
  ColumnValues,
  ExtensionDriver,
} from '#src/lib/ml2/extension_driver.ts';
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

/** What all drivers together add to one resource. */
export interface ResourceExtensions {
  readonly attributes: Readonly<Record<string, AttributeReading>>;
  /** Appended to the reading's `from`. */
  readonly joins: string;
  /** Columns of the row beside the core's, with their SQL types. */
  readonly columns: Readonly<Record<string, string>>;
  readonly notifies: readonly string[];
  create(input: Parameters<NonNullable<AttributeExtension['create']>>[0]): ColumnValues;
  update(input: Parameters<NonNullable<AttributeExtension['update']>>[0]): ColumnValues;
  /** Whether `store` does anything. */
  readonly stores: boolean;
  /** Attributes that `store` keeps, in tables beside the resource's own. */
  readonly stored: readonly string[];
  store: NonNullable<AttributeExtension['store']>;
}

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
    networks: join([...drivers.map(({ networks }) => networks), ...others('networks')]),
    subnets: join([...drivers.map(({ subnets }) => subnets), ...others('subnets')]),
    ports: join([...drivers.map(({ ports }) => ports), ...others('ports')]),
  };
}

function join(given: readonly (AttributeExtension | undefined)[]): ResourceExtensions {
  const extensions = given.filter((extension) => extension !== undefined);
  const stores = extensions.filter(({ store }) => store !== undefined);
  return {
    attributes: Object.assign({}, ...extensions.map(({ attributes }) => attributes)),
    joins: extensions.map((extension) => (extension.join === undefined ? '' : ` ${extension.join}`)).join(''),
    columns: Object.assign({}, ...extensions.map(({ columns }) => columns ?? {})),
    notifies: extensions.flatMap(({ notifies }) => notifies ?? []),
    create: (input) => Object.assign({}, ...extensions.map((extension) => extension.create?.(input) ?? {})),
    update: (input) => Object.assign({}, ...extensions.map((extension) => extension.update?.(input) ?? {})),
    stores: stores.length > 0,
    stored: stores.flatMap(({ attributes }) => Object.keys(attributes)),
    async store(tx, context, written) {
      // All are called before any is waited for: their first statements are sent at once.
      const outcomes = await Promise.all(stores.map(({ store }) => store?.(tx, context, written)));
      return !outcomes.includes(false);
    },
  };
}
