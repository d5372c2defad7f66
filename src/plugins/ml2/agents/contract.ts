/**
 * What travels between the core plugin and the agents of its networks: state reports, the devices (ports) of a host, tunnels,
 * and what the server tells of ports and networks (neutron.agent.rpc.PluginApi, neutron.plugins.ml2.rpc.AgentNotifierApi,
 * neutron.plugins.ml2.drivers.l2pop.rpc).
 */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { type MessageTopic, type PushedObject, remoteMethod } from '#src/rpc/contract.ts';

/** What `report_state` answers. */
export const AGENT_STATUS = v.picklist(['new', 'alive', 'revived']);
export type AgentStatus = v.InferOutput<typeof AGENT_STATUS>;

/** An agent as it describes itself. */
export type AgentState = {
  readonly agent_type: string;
  readonly binary: string;
  readonly host: string;
  readonly topic: string;
  readonly configurations: JsonObject;
  readonly availability_zone?: string;
  readonly resource_versions?: JsonObject;
  readonly start_flag?: true;
};

export const reportState = remoteMethod<{
  readonly agent_state: { readonly agent_state: AgentState };
  readonly time: string;
}>()({ topic: 'q-reports-plugin', method: 'report_state', version: '1.4', result: AGENT_STATUS });

/** Who asks: an agent of a host. */
export type Asking = { readonly agent_id: string; readonly host: string };

const FIXED_IP = v.object({ subnet_id: v.string(), ip_address: v.string() });

/** A port as the agent that wires it needs it. */
export const DEVICE_DETAILS = v.looseObject({
  device: v.string(),
  port_id: v.string(),
  network_id: v.string(),
  mac_address: v.string(),
  admin_state_up: v.boolean(),
  network_type: v.string(),
  segmentation_id: v.nullable(v.number()),
  physical_network: v.nullable(v.string()),
  mtu: v.number(),
  fixed_ips: v.array(FIXED_IP),
  device_owner: v.string(),
  port_security_enabled: v.boolean(),
});
export type DeviceDetails = v.InferOutput<typeof DEVICE_DETAILS>;

/** A device that does not exist or is not bound to the host that asks; it may be on its way there. */
const NO_DEVICE = v.looseObject({ device: v.string(), no_active_binding: v.optional(v.literal(true)) });

export const getDevicesDetailsList = remoteMethod<Asking & { readonly devices: readonly string[] }>()({
  topic: 'q-plugin',
  method: 'get_devices_details_list',
  version: '1.9',
  result: v.array(v.union([DEVICE_DETAILS, NO_DEVICE])),
});

export const updateDeviceList = remoteMethod<
  Asking & {
    readonly devices_up: readonly string[];
    readonly devices_down: readonly string[];
    readonly refresh_tunnels?: boolean;
    readonly agent_restarted?: boolean;
  }
>()({
  topic: 'q-plugin',
  method: 'update_device_list',
  version: '1.9',
  result: v.looseObject({
    devices_up: v.array(v.unknown()),
    failed_devices_up: v.array(v.string()),
    devices_down: v.array(v.unknown()),
    failed_devices_down: v.array(v.string()),
  }),
});

export const tunnelSync = remoteMethod<{
  readonly tunnel_ip: string;
  readonly tunnel_type: string;
  readonly host: string;
}>()({
  topic: 'q-plugin',
  method: 'tunnel_sync',
  version: '1.4',
  result: v.looseObject({ tunnels: v.array(v.looseObject({ ip_address: v.string() })) }),
});

const HOST_MAC = v.looseObject({ host: v.string(), mac_address: v.string() });

/** The MAC address that a host routes with; made when it first asks. */
export const getDvrMacAddressByHost = remoteMethod<{ readonly host: string }>()({
  topic: 'q-plugin',
  method: 'get_dvr_mac_address_by_host',
  version: '1.0',
  result: HOST_MAC,
});

const ADDRESSES = v.array(v.tuple([v.string(), v.string()]));

/** What is behind whose tunnel end: `{network: {segment_id, network_type, ports: {tunnel ip: [[mac, ip], ...]}}}`. */
const FDB_ENTRIES = v.looseObject({
  fdb_entries: v.record(
    v.string(),
    v.looseObject({
      segment_id: v.nullish(v.number()),
      network_type: v.optional(v.string()),
      ports: v.optional(v.record(v.string(), ADDRESSES)),
    }),
  ),
});
export type FdbEntries = v.InferOutput<typeof FDB_ENTRIES>['fdb_entries'];

/** `{network: {tunnel ip: {before: [[mac, ip], ...], after: [[mac, ip], ...]}}}` */
const MOVED = v.record(
  v.string(),
  v.record(v.string(), v.object({ before: v.optional(ADDRESSES), after: v.optional(ADDRESSES) })),
);
export type MovedAddresses = v.InferOutput<typeof MOVED>;

const TUNNEL = v.looseObject({ tunnel_ip: v.string(), tunnel_type: v.string() });

/** What layer 2 agents are told. */
export const L2_TOPICS = {
  portUpdate: {
    topic: 'q-agent-notifier-port-update',
    messages: { port_update: v.looseObject({ port: v.looseObject({ id: v.string() }) }) },
  },
  portDelete: {
    topic: 'q-agent-notifier-port-delete',
    messages: { port_delete: v.looseObject({ port_id: v.string() }) },
  },
  networkUpdate: {
    topic: 'q-agent-notifier-network-update',
    messages: { network_update: v.looseObject({ network: v.looseObject({ id: v.string() }) }) },
  },
  networkDelete: {
    topic: 'q-agent-notifier-network-delete',
    messages: { network_delete: v.looseObject({ network_id: v.string() }) },
  },
  bindingActivate: {
    topic: 'q-agent-notifier-binding-activate',
    messages: { binding_activate: v.looseObject({ port_id: v.string(), host: v.string() }) },
  },
  bindingDeactivate: {
    topic: 'q-agent-notifier-binding-deactivate',
    messages: { binding_deactivate: v.looseObject({ port_id: v.string(), host: v.string() }) },
  },
  tunnelUpdate: { topic: 'q-agent-notifier-tunnel-update', messages: { tunnel_update: TUNNEL } },
  tunnelDelete: { topic: 'q-agent-notifier-tunnel-delete', messages: { tunnel_delete: TUNNEL } },
  l2population: {
    topic: 'q-agent-notifier-l2population-update',
    messages: {
      add_fdb_entries: FDB_ENTRIES,
      remove_fdb_entries: FDB_ENTRIES,
      update_fdb_entries: v.looseObject({ fdb_entries: v.looseObject({ chg_ip: v.optional(MOVED, () => ({})) }) }),
    },
  },
} as const satisfies Readonly<Record<string, MessageTopic>>;

const BINDING = v.looseObject({
  'versioned_object.data': v.looseObject({ host: v.string(), vif_type: v.string(), status: v.string() }),
});

/** A port as it is pushed; only what wiring it needs is named. */
export const PORT_OBJECT = {
  name: 'Port',
  version: '1.11',
  data: v.looseObject({
    id: v.string(),
    network_id: v.string(),
    revision_number: v.number(),
    admin_state_up: v.boolean(),
    mac_address: v.string(),
    device_owner: v.optional(v.string(), ''),
    fixed_ips: v.array(v.looseObject({ 'versioned_object.data': v.looseObject({ ip_address: v.string() }) })),
    security_group_ids: v.array(v.string()),
    bindings: v.array(BINDING),
    distributed_bindings: v.optional(v.array(BINDING), () => []),
  }),
} as const satisfies PushedObject<unknown>;
export type PortObject = v.InferOutput<typeof PORT_OBJECT.data>;
