/** Mechanism driver `linuxbridge`: ports on Linux bridges, wired by the Linux bridge agent (Neutron had it until 2025). */
import type { Config } from '#src/lib/config.ts';
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { agentBasedDriver } from '../agent_based.ts';
import { textsOf } from '../configurations.ts';

export function linuxbridgeMechanismDriver(config: Config): MechanismDriver {
  const port_filter = config.boolean('securitygroup', 'enable_security_group');
  return agentBasedDriver({
    name: 'linuxbridge',
    agent_type: 'Linux bridge agent',
    vlan_transparent: true,
    vnic_types: ['normal'],
    networkTypes: ({ tunnel_types }) => [...textsOf(tunnel_types), 'local', 'flat', 'vlan'],
    mappings: ['interface_mappings', 'bridge_mappings'],
    plug: () => ({ vif_type: 'bridge', vif_details: { connectivity: 'l2', port_filter } }),
  });
}
