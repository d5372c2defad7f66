/**
 * Mechanism driver `sriovnicswitch` (neutron.plugins.ml2.drivers.mech_sriov.mech_driver): virtual functions of SR-IOV cards,
 * which the NIC Switch agent configures, and whole physical functions, of which it knows nothing.
 */
import type { Config } from '#src/lib/config.ts';
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import { agentBasedDriver } from '../agent_based.ts';
import { textsOf } from '../configurations.ts';

/** A whole card, given to the instance. */
const PHYSICAL_FUNCTION = 'direct-physical';
const UNTAGGED = 0;

const details = ({ segmentation_id }: Segment) => ({
  connectivity: 'l2',
  port_filter: false,
  vlan: String(segmentation_id ?? UNTAGGED),
});

export function sriovnicswitchMechanismDriver(config: Config): MechanismDriver {
  return agentBasedDriver({
    name: 'sriovnicswitch',
    agent_type: 'NIC Switch agent',
    vnic_types: ['direct', 'macvtap', PHYSICAL_FUNCTION, 'accelerator-direct'],
    prohibited: config.list('sriov_driver', 'vnic_type_prohibit_list'),
    networkTypes: () => ['flat', 'vlan'],
    mappings: ['device_mappings'],
    rules: ({ vnic_type, profile }) =>
      vnic_type === 'direct' && textsOf(profile['capabilities']).includes('switchdev')
        ? "a port with the capability 'switchdev' in binding:profile is left to Open vSwitch"
        : undefined,
    plug: (_request, segment) => ({ vif_type: 'hw_veb', vif_details: details(segment) }),
    // The agent knows virtual functions only; nobody will report that the whole card has been plugged.
    withoutAgent: {
      vnic_types: [PHYSICAL_FUNCTION],
      plug: (_request, segment) => ({ vif_type: 'hostdev_physical', vif_details: details(segment), status: 'ACTIVE' }),
    },
  });
}
