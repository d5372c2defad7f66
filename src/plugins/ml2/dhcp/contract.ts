/** What travels between the core plugin and DHCP agents (neutron.agent.dhcp.agent.DhcpPluginApi, DhcpAgent). */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { type MessageTopic, remoteMethod } from '#src/rpc/contract.ts';

/** What an agent's own port had as device_id while no agent has it: the next one takes it over. */
export const RESERVED_DHCP_PORT = 'reserved_dhcp_port';

const SUBNET = v.looseObject({
  id: v.string(),
  ip_version: v.number(),
  cidr: v.string(),
  enable_dhcp: v.boolean(),
  gateway_ip: v.nullable(v.string()),
});

const PORT = v.looseObject({
  id: v.string(),
  network_id: v.string(),
  mac_address: v.string(),
  device_id: v.string(),
  device_owner: v.string(),
  fixed_ips: v.array(v.object({ subnet_id: v.string(), ip_address: v.string() })),
});
export type DhcpPort = v.InferOutput<typeof PORT>;

/** A network with all that an agent needs to serve it. */
export const DHCP_NETWORK = v.looseObject({
  id: v.string(),
  project_id: v.string(),
  admin_state_up: v.boolean(),
  mtu: v.number(),
  subnets: v.array(SUBNET),
  ports: v.array(PORT),
});
export type DhcpNetwork = v.InferOutput<typeof DHCP_NETWORK>;

type OfHost = { readonly host: string };

/**
 * All networks of the host, or with `limit` that many rows of them: each port is one, and a network without any. The next page
 * begins after the last network and port of this one; a network may go on there. An empty page is the last.
 */
export const getActiveNetworksInfo = remoteMethod<
  OfHost & {
    readonly enable_dhcp_filter: boolean;
    readonly limit?: number;
    readonly after?: { readonly network_id: string; readonly port_id: string | null };
  }
>()({
  topic: 'q-plugin',
  method: 'get_active_networks_info',
  version: '1.1',
  result: v.array(DHCP_NETWORK),
});

/** One network; with `limit` that many of its ports, after one, until there are none. */
export const getNetworkInfo = remoteMethod<
  OfHost & { readonly network_id: string; readonly limit?: number; readonly after?: string }
>()({
  topic: 'q-plugin',
  method: 'get_network_info',
  version: '1.0',
  result: v.nullable(DHCP_NETWORK),
});

export const createDhcpPort = remoteMethod<OfHost & { readonly port: { readonly port: JsonObject } }>()({
  topic: 'q-plugin',
  method: 'create_dhcp_port',
  version: '1.1',
  // Null: the network or its subnet has gone meanwhile.
  result: v.nullable(PORT),
});

export const updateDhcpPort = remoteMethod<
  OfHost & { readonly port_id: string; readonly port: { readonly port: JsonObject } }
>()({ topic: 'q-plugin', method: 'update_dhcp_port', version: '1.1', result: v.unknown() });

export const releaseDhcpPort = remoteMethod<OfHost & { readonly network_id: string; readonly device_id: string }>()({
  topic: 'q-plugin',
  method: 'release_dhcp_port',
  version: '1.0',
  result: v.unknown(),
});

export const dhcpReadyOnPorts = remoteMethod<{ readonly port_ids: readonly string[] }>()({
  topic: 'q-plugin',
  method: 'dhcp_ready_on_ports',
  version: '1.5',
  result: v.unknown(),
});

const about = <Entries extends v.ObjectEntries>(entries: Entries) => v.looseObject({ payload: v.looseObject(entries) });
const ID = v.looseObject({ id: v.string() });
const OF_NETWORK = v.looseObject({ id: v.string(), network_id: v.string() });

/** What DHCP agents are told. */
export const DHCP_AGENT = {
  topic: 'dhcp_agent',
  messages: {
    network_create_end: about({ network: ID }),
    network_update_end: about({ network: v.looseObject({ id: v.string(), admin_state_up: v.boolean() }) }),
    network_delete_end: about({ network_id: v.string() }),
    subnet_create_end: about({ subnet: OF_NETWORK }),
    subnet_update_end: about({ subnet: OF_NETWORK }),
    subnet_delete_end: about({ subnet_id: v.string(), network_id: v.optional(v.string()) }),
    port_create_end: about({ port: PORT }),
    port_update_end: about({ port: PORT }),
    port_delete_end: about({ port_id: v.string(), network_id: v.optional(v.string()) }),
    agent_updated: about({ admin_state_up: v.boolean() }),
  },
} as const satisfies MessageTopic;

/** RFC 9562's name space of host names. */
const DNS_NAMESPACE = '6ba7b8109dad11d180b400c04fd430c8';

/** The device_id of an agent's port on a network: `dhcp<UUID of the host's name>-<network>`, as every DHCP agent makes it. */
export async function dhcpDeviceId(network_id: string, host: string): Promise<string> {
  const [name = ''] = host.split('.');
  const namespace = Uint8Array.from(DNS_NAMESPACE.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const input = new Uint8Array([...namespace, ...new TextEncoder().encode(name)]);
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-1', input)).slice(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return `dhcp${uuid}-${network_id}`;
}
