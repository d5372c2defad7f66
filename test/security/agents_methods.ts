/** Arguments of every method that agents can call: the first of each is what an agent usually says, others say it otherwise. */
import type { AgentWorld, Side } from './agents_support.ts';

type Args = Readonly<Record<string, unknown>>;

const state = ({ host }: Side, more: object = {}): Args => ({
  agent_state: {
    agent_state: {
      agent_type: 'DHCP agent',
      binary: 'neutron-dhcp-agent',
      host,
      topic: 'dhcp_agent',
      availability_zone: 'nova',
      configurations: { networks: 1, subnets: 1, ports: 1 },
      resource_versions: { Port: '1.11' },
      ...more,
    },
  },
  time: new Date().toISOString(),
});

const agent = ({ host }: Side) => ({ agent_id: `ovs-agent-${host}`, host });

/** The names that a port's device can have. */
const names = ({ port, mac }: Side): readonly string[] => [
  port,
  `tap${port.slice(0, 11)}`,
  `qvo${port}`,
  port.slice(0, 8),
  mac,
  mac.toUpperCase().replaceAll(':', '-'),
];
const ofDevice = (side: Side, more: object = {}): readonly Args[] =>
  names(side).map((device) => ({ ...agent(side), device, ...more }));
const ofDevices = (side: Side): readonly Args[] => [
  { ...agent(side), devices: [side.port] },
  { ...agent(side), devices: [...names(side), side.dhcp_port] },
];

const dhcpPort = (side: Side) => ({
  network_id: side.network,
  tenant_id: side.project,
  device_id: side.device_id,
  device_owner: 'network:dhcp',
  name: '',
  admin_state_up: true,
  fixed_ips: [{ subnet_id: side.subnet }],
});

const TYPES = {
  Port: ['1.11', 'port'],
  Network: ['1.3', 'network'],
  Subnet: ['1.2', 'subnet'],
  SecurityGroup: ['1.6', 'group'],
  SecurityGroupRule: ['1.3', 'rule'],
  AddressGroup: ['1.2', 'group'],
  Agent: ['1.1', 'agent'],
  PortForwarding: ['1.3', 'forwarding'],
  ConntrackHelper: ['1.0', 'helper'],
  NDPProxy: ['1.0', 'proxy'],
} as const satisfies Readonly<Record<string, readonly [version: string, id: keyof Side]>>;
const ofEachType = (make: (type: { resource_type: string; version: string }, id: keyof Side) => Args) =>
  Object.entries(TYPES).map(([resource_type, [version, id]]) => make({ resource_type, version }, id));

const agentMethods: Readonly<Record<string, (side: Side) => readonly Args[]>> = {
  has_alive_neutron_server: () => [{}],
  report_state: (side) => [
    state(side),
    state(side, { start_flag: true }),
    state(side, { agent_type: 'Open vSwitch agent', binary: 'neutron-openvswitch-agent', topic: 'N/A' }),
  ],
  get_agents: (side) => [{ is_active: true }, {}, { is_active: false, host: side.host }],
  delete_agent: ({ host }) => [
    { agent_type: 'DHCP agent', host },
    { agent_type: 'no such', host },
  ],
};

const of = (topic: string, methods: typeof agentMethods) =>
  Object.fromEntries(Object.entries(methods).map(([name, examples]) => [`${topic} ${name}`, examples]));

/** By topic, namespace and name of the method. */
export const EXAMPLES: Readonly<Record<string, (side: Side) => readonly Args[]>> = {
  ...of('q-reports-plugin', agentMethods),
  ...of('q-server-resource-versions', {
    report_agent_resource_versions: ({ host }) => [
      { agent_type: 'DHCP agent', agent_host: host, version_map: { Port: '1.11' } },
    ],
  }),
  ...of('q-plugin', {
    ...agentMethods,
    get_device_details: (side) => ofDevice(side),
    get_devices_details_list: ofDevices,
    get_devices_details_list_and_failed_devices: ofDevices,
    get_network_details: (side) => [{ ...agent(side), network: side.network }],
    update_device_up: (side) => [
      ...ofDevice(side),
      { ...agent(side), device: side.port, refresh_tunnels: true, agent_restarted: true },
    ],
    update_device_down: (side) => ofDevice(side),
    update_device_list: (side) => [
      { ...agent(side), devices_up: [side.port], devices_down: [], refresh_tunnels: false, agent_restarted: false },
      { ...agent(side), devices_up: names(side), devices_down: [side.dhcp_port], refresh_tunnels: true },
    ],
    get_ports_by_vnic_type_and_host: ({ host, port }) => [
      { vnic_type: 'normal', host },
      { vnic_type: 'normal', host, limit: 10, marker: port },
    ],
    tunnel_sync: ({ host, tunnel_ip }) => [
      { tunnel_ip, tunnel_type: 'vxlan', host },
      { tunnel_ip, tunnel_type: 'gre', host, limit: 10, marker: tunnel_ip },
    ],
    get_dvr_mac_address_list: () => [{}],
    get_dvr_mac_address_by_host: ({ host }) => [{ host }],
    get_ports_on_host_by_subnet: ({ host, subnet }) => [{ host, subnet }],
    get_subnet_for_dvr: ({ subnet, ip }) => [
      { subnet, fixed_ips: null },
      { subnet, fixed_ips: [{ subnet_id: subnet, ip_address: ip }] },
    ],
    get_ports: ({ network, port, instance, mac, ip, subnet }) => [
      { filters: { network_id: [network], fixed_ips: { ip_address: [ip] } } },
      { filters: { id: [port] } },
      { filters: { device_id: [instance] } },
      { filters: { mac_address: [mac] } },
      { filters: { fixed_ips: { subnet_id: [subnet] } }, limit: 10 },
      { filters: { device_owner: ['compute:nova', 'network:dhcp'] }, limit: 10, marker: port },
    ],
    pull: (side) => ofEachType((type, id) => ({ ...type, resource_id: side[id] })),
    bulk_pull: (side) => [
      ...ofEachType((type, id) => ({ ...type, filter_kwargs: { id: [side[id]] } })),
      ...ofEachType((type, id) => ({ ...type, filter_kwargs: {}, limit: 10, marker: side[id] })),
      ...ofEachType((type) => ({ ...type, filter_kwargs: { project_id: side.project } })).slice(0, 6),
    ],
    'nucleon.sync': (side) => [
      ...ofEachType((type, id) => ({ ...type, known: { [side[id]]: 1 }, after: null, until: null, limit: 100 })),
      ...ofEachType((type, id) => ({ ...type, known: {}, after: side[id], until: side[id] })),
    ],
    get_active_networks_info: ({ host, network, port }) => [
      { host, enable_dhcp_filter: false },
      { host, enable_dhcp_filter: true, limit: 10, after: { network_id: network, port_id: port } },
    ],
    get_network_info: ({ host, network, port }) => [
      { host, network_id: network },
      { host, network_id: network, enable_dhcp: null, limit: 10, after: port },
    ],
    release_dhcp_port: ({ host, network, device_id }) => [{ host, network_id: network, device_id }],
    create_dhcp_port: (side) => [{ host: side.host, port: { port: dhcpPort(side) } }],
    update_dhcp_port: (side) => [
      { host: side.host, port_id: side.dhcp_port, port: { port: dhcpPort(side) } },
      { host: side.host, port_id: side.port, port: { port: dhcpPort(side) } },
    ],
    get_dhcp_port: ({ host, dhcp_port, port }) => [
      { host, port_id: dhcp_port },
      { host, port_id: port },
    ],
    dhcp_ready_on_ports: ({ port, dhcp_port }) => [{ port_ids: [port, dhcp_port] }],
    get_networks: ({ network, project }) => [
      { filters: { id: [network] }, fields: ['id', 'name'] },
      { filters: { project_id: [project], admin_state_up: [true] }, fields: null },
      { filters: null, limit: 10, after: network },
    ],
    security_group_rules_for_devices: ofDevices,
    security_group_info_for_devices: (side) => [
      ...ofDevices(side).map((args) => ({ ...args, call_version: '1.3' })),
      ...ofDevices(side).map((args) => ({ ...args, call_version: '1.2', paged: true })),
    ],
    'nucleon.security_group_members': ({ group, port }) => [
      { security_group: group },
      { security_group: group, limit: 10, marker: port },
    ],
  }),
  ...of('q-l3-plugin', {
    get_router_ids: ({ host, router }) => [{ host }, { host, limit: 10, after: router }],
    sync_routers: ({ host, router, ha_router, floatingip }) => [
      { host },
      { host, router_ids: [router, ha_router] },
      { host, limit: 10, after: { router_id: router, floatingip_id: floatingip } },
    ],
    get_service_plugin_list: () => [{}],
    update_floatingip_statuses: ({ router, floatingip }) => [
      { router_id: router, fip_statuses: { [floatingip]: 'ACTIVE' } },
      { router_id: router, fip_statuses: {} },
    ],
    get_ports_by_subnet: ({ host, subnet, port }) => [
      { host, subnet_id: subnet },
      { host, subnet_id: subnet, limit: 10, after: port },
    ],
    get_networks: ({ network, project }) => [
      { filters: { id: [network] }, fields: ['id', 'name'] },
      { filters: { project_id: [project], admin_state_up: [true] }, fields: null },
      { filters: null, limit: 10, after: network },
    ],
    get_agent_gateway_port: ({ host, outside }) => [{ host, network_id: outside }],
    delete_agent_gateway_port: ({ host, outside }) => [{ host, network_id: outside }],
    update_ha_routers_states: ({ host, ha_router }) => [
      { host, states: { [ha_router]: 'active' } },
      { host, states: { [ha_router]: 'standby' }, epochs: { [ha_router]: 1 } },
    ],
    get_host_ha_router_count: ({ host }) => [{ host }],
    update_all_ha_network_port_statuses: ({ host }) => [{ host }],
  }),
};

/** The fields that objects of a type are found by, as the server tells them who asks by another. */
export async function filtersOf(world: AgentWorld, host: string, resource_type: string, version: string) {
  const method = {
    name: 'q-plugin bulk_pull',
    topic: 'q-plugin',
    namespace: undefined,
    version: '1.1',
    method: 'bulk_pull',
  };
  const { failure } = await world.ask(host, method, { resource_type, version, filter_kwargs: { nothing: 1 } });
  return /found by (.*?)\.?$/.exec(failure?.message ?? '')?.[1]?.split(', ') ?? [];
}
