/**
 * What DHCP agents are told (neutron.api.rpc.agentnotifiers.dhcp_rpc_agent_api). Agents take up what waits by `priority`, the
 * lowest number first. Messages go to the agents that serve the network when they are sent; those about a network that is gone
 * go to all, with nothing but its id.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { MessageNotification, Notification, Recipients } from '#src/lib/rpc.ts';
import { DHCP_AGENT } from './contract.ts';

type Method = keyof typeof DHCP_AGENT.messages;

const PRIORITIES: Readonly<Partial<Record<Method, number>>> = {
  network_create_end: 0,
  network_update_end: 1,
  network_delete_end: 2,
  subnet_create_end: 3,
  subnet_update_end: 3,
  subnet_delete_end: 4,
  port_create_end: 6,
  port_update_end: 6,
  port_delete_end: 6,
};
/** Of a new port, for the one agent that is to serve it first. */
const FIRST = 5;

/** Attributes of a port that are in what DHCP answers; of others agents need not know. */
const PORT_ATTRIBUTES = ['fixed_ips', 'mac_address', 'extra_dhcp_opts', 'dns_name', 'dns_assignment', 'dns_domain'];

interface Telling {
  readonly to: Recipients;
  readonly key: string;
  readonly payload?: JsonObject;
  readonly priority?: number;
  readonly reads?: MessageNotification['reads'];
}

function message(method: Method, { to, key, payload = {}, priority, reads }: Telling): MessageNotification {
  const args = { payload: { ...payload, priority: priority ?? PRIORITIES[method] ?? 0 } };
  const read = reads === undefined ? {} : { reads };
  return { to, topic: DHCP_AGENT.topic, method, args, version: '1.0', key, ...read };
}

const servers = (network_id: string): Recipients => ({ audience: 'dhcp', of: [network_id] });
const idOf = (resource: Resource): string => String(resource['id']);

/** An agent serves the network from now on. */
export function networkGiven(id: string, host: string): Notification {
  return message('network_create_end', { to: { host }, key: `network:${id}`, payload: { network: { id } } });
}

/** An agent does not serve the network any more. */
export function networkTaken(id: string, host: string): Notification {
  return message('network_delete_end', { to: { host }, key: `network:${id}`, payload: { network_id: id } });
}

/** A network was changed, or is gone. */
export function networkMessages(original: Resource, latest: Resource | undefined): readonly Notification[] {
  const id = idOf(original);
  const key = `network:${id}`;
  if (latest === undefined) {
    return [message('network_delete_end', { to: 'fanout', key, payload: { network_id: id } })];
  }
  return [
    message('network_update_end', { to: servers(id), key, reads: { 'payload.network': { reader: 'network', id } } }),
  ];
}

/** A subnet was made, on a network that is served. */
export function subnetCreated(subnet: Resource): Notification {
  const id = idOf(subnet);
  const network_id = String(subnet['network_id']);
  return message('subnet_create_end', {
    to: servers(network_id),
    key: `subnet:${id}`,
    reads: {
      'payload.subnet': { reader: 'subnet', id },
      'payload.subnet.network': { reader: 'network', id: network_id },
    },
  });
}

/** A subnet was changed, or is gone. */
export function subnetMessages(original: Resource, latest: Resource | undefined): readonly Notification[] {
  const id = idOf(original);
  const network_id = String(original['network_id']);
  const to = servers(network_id);
  const key = `subnet:${id}`;
  if (latest === undefined) return [message('subnet_delete_end', { to, key, payload: { subnet_id: id, network_id } })];
  return [message('subnet_update_end', { to, key, reads: { 'payload.subnet': { reader: 'subnet', id } } })];
}

/**
 * A port was made, on a network that is served: one of its agents is to take it up before the rest. Where there is one by
 * configuration, all that there are come first.
 */
export function portCreated(port: Resource, agentsPerNetwork: number): readonly Notification[] {
  const id = idOf(port);
  const network_id = String(port['network_id']);
  const of = [network_id];
  const telling = {
    key: `port:${id}`,
    reads: {
      'payload.port': { reader: 'port', id },
      'payload.port.network': { reader: 'network', id: network_id },
    },
  };
  const first = agentsPerNetwork > 1 ? 'dhcp_first' : 'dhcp';
  const messages = [message('port_create_end', { ...telling, to: { audience: first, of }, priority: FIRST })];
  if (agentsPerNetwork > 1)
    messages.push(message('port_create_end', { ...telling, to: { audience: 'dhcp_rest', of } }));
  return messages;
}

/** A port was changed in what DHCP answers, or is gone. */
export function portMessages(original: Resource, latest: Resource | undefined): readonly Notification[] {
  const id = idOf(original);
  const network_id = String(original['network_id']);
  const to = servers(network_id);
  const key = `port:${id}`;
  if (latest === undefined) {
    const fixed_ips = original['fixed_ips'] as JsonObject[string];
    return [message('port_delete_end', { to, key, payload: { port_id: id, network_id, fixed_ips } })];
  }
  const changed = PORT_ATTRIBUTES.some((name) => JSON.stringify(original[name]) !== JSON.stringify(latest[name]));
  return changed ? [message('port_update_end', { to, key, reads: { 'payload.port': { reader: 'port', id } } })] : [];
}
