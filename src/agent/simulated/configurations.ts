/** What agents of each role say about themselves, as Neutron's do (`agent_type`, `binary`, `topic`, `configurations`). */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { AgentMode } from '#src/services/router/contract.ts';
import type { HostState } from './state.ts';

export const ROLES = ['l2', 'dhcp', 'l3', 'metadata'] as const;
export type Role = (typeof ROLES)[number];

/** What the descriptions are made from. */
export interface HostDescription {
  readonly state: HostState;
  /** Bridges by physical network: `{physnet1: 'br-ex'}`. */
  readonly bridgeMappings: Readonly<Record<string, string>>;
  readonly tunnelTypes: readonly string[];
  readonly tunnelingIp: string;
  /** What the L3 agent may do; in all modes but `legacy` the host routes for its own ports. */
  readonly l3Mode: AgentMode;
}

export interface RoleDescription {
  readonly agent_type: string;
  readonly binary: string;
  readonly topic: string;
  /** Whether the agent is scheduled by availability zone. */
  readonly zoned: boolean;
  readonly resource_versions?: JsonObject;
  readonly configurations: (host: HostDescription) => JsonObject;
}

const inventory = { allocation_ratio: 1, min_unit: 1, step_size: 1, reserved: 0 };

/** By role. */
export const DESCRIPTIONS: Readonly<Record<Role, RoleDescription>> = {
  l2: {
    agent_type: 'Open vSwitch agent',
    binary: 'neutron-openvswitch-agent',
    topic: 'N/A',
    zoned: false,
    resource_versions: {
      Port: '1.11',
      Network: '1.3',
      Subnet: '1.2',
      SecurityGroup: '1.6',
      SecurityGroupRule: '1.3',
      AddressGroup: '1.2',
    },
    configurations: ({ state, bridgeMappings, tunnelTypes, tunnelingIp, l3Mode }) => ({
      bridge_mappings: bridgeMappings,
      integration_bridge: 'br-int',
      tunnel_types: tunnelTypes,
      tunneling_ip: tunnelingIp,
      l2_population: true,
      arp_responder_enabled: true,
      enable_distributed_routing: l3Mode !== 'legacy',
      in_distributed_mode: l3Mode !== 'legacy',
      log_agent_heartbeats: false,
      extensions: [],
      datapath_type: 'system',
      ovs_capabilities: {
        datapath_types: ['netdev', 'system'],
        iface_types: ['geneve', 'gre', 'internal', 'patch', 'vxlan'],
      },
      vhostuser_socket_dir: '/var/run/openvswitch',
      ovs_hybrid_plug: false,
      baremetal_smartnic: false,
      devices: state.ports.size,
      resource_provider_bandwidths: {},
      resource_provider_hypervisors: {},
      resource_provider_inventory_defaults: inventory,
      resource_provider_packet_processing_without_direction: {},
      resource_provider_packet_processing_with_direction: {},
      resource_provider_packet_processing_inventory_defaults: inventory,
    }),
  },
  dhcp: {
    agent_type: 'DHCP agent',
    binary: 'neutron-dhcp-agent',
    topic: 'dhcp_agent',
    zoned: true,
    configurations: ({ state }) => {
      const served = [...state.networks.values()];
      const count = (of: 'subnets' | 'ports') => served.reduce((sum, { network }) => sum + network[of].length, 0);
      return {
        dhcp_driver: 'simulated',
        dhcp_lease_duration: 86_400,
        log_agent_heartbeats: false,
        networks: served.length,
        subnets: count('subnets'),
        ports: count('ports'),
      };
    },
  },
  l3: {
    agent_type: 'L3 agent',
    binary: 'neutron-l3-agent',
    topic: 'l3_agent',
    zoned: true,
    configurations: ({ state, l3Mode }) => {
      const served = [...state.routers.values()];
      const devices = (start: string) =>
        served.reduce((sum, { ports }) => sum + [...ports.values()].filter((name) => name.startsWith(start)).length, 0);
      return {
        agent_mode: l3Mode,
        handle_internal_only_routers: true,
        interface_driver: 'openvswitch',
        log_agent_heartbeats: false,
        extensions: [],
        routers: served.length,
        ex_gw_ports: devices('qg-'),
        interfaces: devices('qr-'),
        floating_ips: served.reduce((sum, { floatingips }) => sum + floatingips.size, 0),
      };
    },
  },
  metadata: {
    agent_type: 'Metadata agent',
    binary: 'neutron-metadata-agent',
    topic: 'N/A',
    zoned: false,
    configurations: () => ({
      metadata_proxy_socket: '/var/lib/neutron/metadata_proxy',
      nova_metadata_host: '127.0.0.1',
      nova_metadata_port: 8775,
      log_agent_heartbeats: false,
    }),
  },
};
