/**
 * What travels between the router plugin and L3 agents (neutron.agent.l3.agent.L3PluginApi, neutron.api.rpc.agentnotifiers
 * .l3_rpc_agent_api). Only what an agent must know is named; the rest of a router is kept as it comes.
 */
import * as v from 'valibot';
import { type MessageTopic, remoteMethod } from '#src/rpc/contract.ts';

/** What an L3 agent may be, as it says in its `configurations` and the scheduler reads it. */
export const AGENT_MODES = ['legacy', 'dvr', 'dvr_snat', 'dvr_no_external'] as const;
export type AgentMode = (typeof AGENT_MODES)[number];

const FIXED_IP = v.looseObject({ subnet_id: v.string(), ip_address: v.string() });

/** A port of a router. */
const PORT = v.looseObject({
  id: v.string(),
  network_id: v.string(),
  mac_address: v.string(),
  device_owner: v.string(),
  fixed_ips: v.array(FIXED_IP),
  'binding:host_id': v.optional(v.string()),
});
export type RouterPort = v.InferOutput<typeof PORT>;

const FLOATING_IP = v.looseObject({
  id: v.string(),
  floating_ip_address: v.string(),
  floating_network_id: v.string(),
  fixed_ip_address: v.nullable(v.string()),
  port_id: v.nullable(v.string()),
  status: v.string(),
  // Of distributed routers: the host whose agent leads it; null or missing where the one that has SNAT does.
  host: v.nullish(v.string()),
});
export type RouterFloatingIp = v.InferOutput<typeof FLOATING_IP>;

/** What an agent says of itself about a highly available router; `unknown` is the server's word. */
export const HA_STATES = ['active', 'standby', 'unknown'] as const;
export type HaState = (typeof HA_STATES)[number];

/** A router with all that an agent needs to serve it. */
export const ROUTER = v.looseObject({
  id: v.string(),
  admin_state_up: v.boolean(),
  revision_number: v.number(),
  distributed: v.optional(v.boolean(), false),
  ha: v.optional(v.boolean(), false),
  ha_vr_id: v.optional(v.number(), 0),
  routes: v.array(v.looseObject({ destination: v.string(), nexthop: v.string() })),
  gw_port: v.nullish(PORT),
  gw_port_host: v.nullish(v.string()),
  _interfaces: v.optional(v.array(PORT), () => []),
  _snat_router_interfaces: v.optional(v.array(PORT), () => []),
  _floatingip_agent_interfaces: v.optional(v.array(PORT), () => []),
  _floatingips: v.optional(v.array(FLOATING_IP), () => []),
  // Those that forward ports.
  _pf_floatingips: v.optional(v.array(FLOATING_IP), () => []),
  _ha_interface: v.nullish(PORT),
  _ha_state: v.nullish(v.picklist(HA_STATES)),
});
export type SyncedRouter = v.InferOutput<typeof ROUTER>;

type OfHost = { readonly host: string };

/** A page of a list: so many at most, after the last one of the page before. */
type Paged = { readonly limit?: number; readonly after?: string };

/** The ids of the routers that the host has to serve, in their order; all, or a page. */
export const getRouterIds = remoteMethod<OfHost & Paged>()({
  topic: 'q-l3-plugin',
  method: 'get_router_ids',
  version: '1.9',
  result: v.array(v.string()),
});

/**
 * Routers in full, in the order of their ids; those that the host does not serve are missing from the answer. With `limit` a page
 * of them: the next one begins after the last router and its last floating IP (null: it has none), a router may go on there with
 * more floating IPs, and an empty page is the last.
 */
export const syncRouters = remoteMethod<
  OfHost & {
    readonly router_ids?: readonly string[];
    readonly limit?: number;
    readonly after?: { readonly router_id: string; readonly floatingip_id: string | null };
  }
>()({
  topic: 'q-l3-plugin',
  method: 'sync_routers',
  version: '1.0',
  result: v.array(ROUTER),
});

/** `{floating IP: 'ACTIVE' | 'DOWN' | 'ERROR'}` */
export const updateFloatingIpStatuses = remoteMethod<{
  readonly router_id: string;
  readonly fip_statuses: Readonly<Record<string, string>>;
}>()({ topic: 'q-l3-plugin', method: 'update_floatingip_statuses', version: '1.1', result: v.unknown() });

/** How a highly available router stands: the epoch under which a report counts, and where it is active; null: nowhere. */
const STANDING = v.looseObject({ epoch: v.number(), active_host: v.nullable(v.string()) });
export type HaStanding = v.InferOutput<typeof STANDING>;

/** With `epochs`, those that the agent knows, it is answered how the routers stand then; those that it has not are missing. */
export const updateHaRoutersStates = remoteMethod<
  OfHost & {
    readonly states: Readonly<Record<string, HaState>>;
    readonly epochs: Readonly<Record<string, number>>;
  }
>()({
  topic: 'q-l3-plugin',
  method: 'update_ha_routers_states',
  version: '1.5',
  result: v.record(v.string(), STANDING),
});

/** The ports with an address in a subnet of the host's routers, in the order of their ids; all, or a page. */
export const getPortsBySubnet = remoteMethod<OfHost & Paged & { readonly subnet_id: string }>()({
  topic: 'q-l3-plugin',
  method: 'get_ports_by_subnet',
  version: '1.2',
  result: v.array(v.looseObject({ id: v.string(), mac_address: v.string(), fixed_ips: v.array(FIXED_IP) })),
});

export const getAgentGatewayPort = remoteMethod<OfHost & { readonly network_id: string }>()({
  topic: 'q-l3-plugin',
  method: 'get_agent_gateway_port',
  version: '1.2',
  result: v.nullable(PORT),
});

export const deleteAgentGatewayPort = remoteMethod<OfHost & { readonly network_id: string }>()({
  topic: 'q-l3-plugin',
  method: 'delete_agent_gateway_port',
  version: '1.7',
  result: v.unknown(),
});

/** The types of the service plugins that the server has loaded. */
export const getServicePluginList = remoteMethod<Readonly<Record<string, never>>>()({
  topic: 'q-l3-plugin',
  method: 'get_service_plugin_list',
  version: '1.3',
  result: v.array(v.string()),
});

const ROUTER_ID = v.looseObject({ router_id: v.string() });
const ARP_ENTRY = v.looseObject({
  payload: v.looseObject({
    router_id: v.string(),
    arp_table: v.looseObject({ ip_address: v.string(), mac_address: v.string(), subnet_id: v.string() }),
  }),
});

/** What L3 agents are told. */
export const L3_AGENT = {
  topic: 'l3_agent',
  messages: {
    routers_updated: v.looseObject({ routers: v.array(v.string()) }),
    router_deleted: ROUTER_ID,
    router_added_to_agent: v.looseObject({ payload: v.array(v.string()) }),
    router_removed_from_agent: v.looseObject({ payload: ROUTER_ID }),
    add_arp_entry: ARP_ENTRY,
    del_arp_entry: ARP_ENTRY,
    fipnamespace_delete_on_ext_net: v.looseObject({ ext_net_id: v.string() }),
    agent_updated: v.looseObject({ payload: v.looseObject({ admin_state_up: v.boolean() }) }),
  },
} as const satisfies MessageTopic;
