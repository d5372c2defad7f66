/**
 * Mechanism driver `openvswitch` (neutron.plugins.ml2.drivers.openvswitch.mech_driver): ports on Open vSwitch bridges, wired by
 * the Open vSwitch agent; over DPDK as vhost-user sockets, where the agent reports that its switch can do so.
 */
import type { Config } from '#src/lib/config.ts';
import type { BindingRequest, HostAgent, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { agentBasedDriver } from '../agent_based.ts';
import { objectOf, textOf, textsOf } from '../configurations.ts';

const SYSTEM = 'system';
const NETDEV = 'netdev';
const VHOST_USER = 'dpdkvhostuser';
const VHOST_USER_CLIENT = 'dpdkvhostuserclient';
const SOCKET_FOLDER = '/var/run/openvswitch';
/** Names of network devices are not longer. */
const DEVICE_NAME_LENGTH = 14;

const interfaceTypes = ({ configurations }: HostAgent) =>
  textsOf(objectOf(configurations['ovs_capabilities'])['iface_types']);
const datapathOf = ({ configurations }: HostAgent) => textOf(configurations['datapath_type']) ?? SYSTEM;

function hasVhostUser(agent: HostAgent): boolean {
  const types = interfaceTypes(agent);
  return (types.includes(VHOST_USER) || types.includes(VHOST_USER_CLIENT)) && datapathOf(agent) === NETDEV;
}

function vhostUser(port_id: string, agent: HostAgent) {
  const folder = textOf(agent.configurations['vhostuser_socket_dir']) ?? SOCKET_FOLDER;
  return {
    port_filter: false,
    ovs_hybrid_plug: false,
    // The instance's side: where the switch is the client, the instance serves the socket.
    vhostuser_mode: interfaceTypes(agent).includes(VHOST_USER_CLIENT) ? 'server' : 'client',
    vhostuser_ovs_plug: true,
    vhostuser_socket: `${folder.replace(/\/+$/, '')}/${`vhu${port_id}`.slice(0, DEVICE_NAME_LENGTH)}`,
  };
}

/** Ports that a card switches take their flows from Open vSwitch only if the card says it can. */
function isSwitchdev({ profile }: Pick<BindingRequest, 'profile'>): boolean {
  return textsOf(profile['capabilities']).includes('switchdev');
}

export function openvswitchMechanismDriver(config: Config): MechanismDriver {
  const port_filter = config.boolean('securitygroup', 'enable_security_group');
  const createTap = config.boolean('ovs_driver', 'ovs_create_tap');

  const kernel = (vnic_type: string, agent: HostAgent) => {
    const hybrid = agent.configurations['ovs_hybrid_plug'] ?? null;
    const taps = createTap && datapathOf(agent) === SYSTEM && vnic_type !== 'direct' && !hybrid;
    return {
      connectivity: 'l2',
      port_filter,
      ovs_hybrid_plug: hybrid,
      ...(taps ? { ovs_create_tap: true } : {}),
    };
  };

  return agentBasedDriver({
    name: 'openvswitch',
    agent_type: 'Open vSwitch agent',
    excludes: ['vlan-transparent', 'qinq'],
    vnic_types: ['normal', 'direct', 'smart-nic', 'vdpa'],
    prohibited: config.list('ovs_driver', 'vnic_type_prohibit_list'),
    networkTypes: ({ tunnel_types }) => [...textsOf(tunnel_types), 'local', 'flat', 'vlan'],
    mappings: ['bridge_mappings'],
    rules: (request) =>
      request.vnic_type === 'direct' && !isSwitchdev(request)
        ? "vnic type direct is supported only with the capability 'switchdev' in binding:profile"
        : undefined,
    agentRules: ({ vnic_type }, agent) =>
      vnic_type === 'smart-nic' && !agent.configurations['baremetal_smartnic']
        ? `the Open vSwitch agent on host ${agent.host} takes no ports of vnic type smart-nic: it reports no baremetal_smartnic`
        : undefined,
    plug({ port, vnic_type }, _segment, agent) {
      const sockets = vnic_type !== 'direct' && hasVhostUser(agent);
      const bridge_name = textOf(agent.configurations['integration_bridge']);
      return {
        vif_type: sockets ? 'vhostuser' : 'ovs',
        vif_details: {
          ...(sockets ? vhostUser(String(port['id']), agent) : kernel(vnic_type, agent)),
          datapath_type: datapathOf(agent),
          ...(bridge_name === undefined ? {} : { bridge_name }),
        },
      };
    },
  });
}
