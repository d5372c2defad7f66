/**
 * Mechanism driver `macvtap` (neutron.plugins.ml2.drivers.macvtap): ports as macvtap devices of a host's interface, which the
 * Macvtap agent prepares. An instance that moves keeps its device's name, so both hosts must have the same one.
 */
import type { Config } from '#src/lib/config.ts';
import type { BindingRequest, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { agentBasedDriver } from '../agent_based.ts';
import { objectOf, textOf } from '../configurations.ts';

const MAPPINGS = 'interface_mappings';
/** Of the 15 characters of a device's name, what is left before `.4094`. */
const INTERFACE_LENGTH = 10;
const HASH_LENGTH = 6;

/** The interface's VLAN device; the name of a long one is cut and told from others by a hash, as the agent does. */
async function vlanDevice(name: string, vlan: number | null): Promise<string> {
  if (name.length <= INTERFACE_LENGTH) return `${name}.${vlan}`;
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(name));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  const hash = hex.join('').slice(0, HASH_LENGTH);
  return `${name.slice(0, INTERFACE_LENGTH - HASH_LENGTH)}${hash}.${vlan}`;
}

/** The device that the port is on now, if it is moving while it runs. */
function sourceOfMigration({ original }: BindingRequest): unknown {
  if (!objectOf(original?.['binding:profile'])['migrating_to']) return undefined;
  return objectOf(original?.['binding:vif_details'])['macvtap_source'];
}

export function macvtapMechanismDriver(_config: Config): MechanismDriver {
  return agentBasedDriver({
    name: 'macvtap',
    agent_type: 'Macvtap agent',
    excludes: ['vlan-transparent', 'qinq'],
    vnic_types: ['normal'],
    networkTypes: () => ['flat', 'vlan'],
    mappings: [MAPPINGS],
    async plug(request, { network_type, physical_network, segmentation_id }, agent) {
      const physical_interface = textOf(objectOf(agent.configurations[MAPPINGS])[physical_network ?? '']);
      if (physical_interface === undefined) return `the agent names no interface for ${physical_network}`;
      const isVlan = network_type === 'vlan';
      const macvtap_source = isVlan ? await vlanDevice(physical_interface, segmentation_id) : physical_interface;
      const source = sourceOfMigration(request);
      if (source !== undefined && source !== macvtap_source) {
        return `the port moves while it runs, but its device is ${source} where it is and ${macvtap_source} on this host`;
      }
      return {
        vif_type: 'macvtap',
        vif_details: {
          connectivity: 'l2',
          port_filter: false,
          ...(isVlan ? { vlan: segmentation_id } : {}),
          physical_interface,
          macvtap_source,
          macvtap_mode: 'bridge',
        },
      };
    },
  });
}
