/**
 * What L2 agents are told of networks and ports (neutron.plugins.ml2.rpc.AgentNotifierApi). Neutron casts to all agents and reads
 * what it tells in the request; here a message goes to the hosts that it concerns, and is completed when it is sent. So these are
 * plain functions of what was and what is.
 */
import type { Resource } from '#src/lib/plugin.ts';
import type { MessageNotification, Notification } from '#src/lib/rpc.ts';
import { isBound, isDistributed } from '../binding/mod.ts';
import { PREPARED_HOSTS } from '../ports/reading.ts';

const HOST = 'binding:host_id';
const differs = (a: Resource, b: Resource, name: string) => JSON.stringify(a[name]) !== JSON.stringify(b[name]);

/** Attributes of a network that agents apply. */
const NETWORK_ATTRIBUTES = [
  'mtu',
  'admin_state_up',
  'provider:network_type',
  'provider:physical_network',
  'provider:segmentation_id',
  'segments',
];
/** Attributes of a port that agents apply, beside those of extensions. */
const PORT_ATTRIBUTES = [
  'admin_state_up',
  'mac_address',
  'fixed_ips',
  'device_owner',
  HOST,
  'binding:vnic_type',
  'binding:vif_type',
  'binding:vif_details',
  'binding:profile',
];

export interface Change {
  readonly original: Resource | undefined;
  readonly latest: Resource | undefined;
}

/** Tells the hosts with ports on a network that it has changed. */
export function networkUpdate(id: string): MessageNotification {
  return {
    to: { audience: 'network', of: [id] },
    topic: 'q-agent-notifier-network-update',
    method: 'network_update',
    args: {},
    reads: { network: { reader: 'network', id } },
    version: '1.4',
    key: `network:${id}`,
  };
}

/** Messages about a network: `network_update` to the hosts with ports on it, `network_delete` to all. */
export function networkMessages({ original, latest }: Change): readonly Notification[] {
  if (original === undefined) return [];
  const id = String(original['id']);
  if (latest !== undefined) {
    return NETWORK_ATTRIBUTES.some((name) => differs(original, latest, name)) ? [networkUpdate(id)] : [];
  }
  // Nobody has ports on it any more; who still has what ports have left behind is not known.
  const args = { network_id: id };
  const topic = 'q-agent-notifier-network-delete';
  return [{ to: 'fanout', topic, method: 'network_delete', args, version: '1.0', key: `network:${id}` }];
}

/**
 * Tells hosts that a port has changed. The segment is that of its binding: with each word of it read by itself, as messages have
 * them beside each other.
 */
export function portUpdate(id: string, to: MessageNotification['to']): MessageNotification {
  const segment = (name: string) => ({ reader: 'port_segment', id: `${id} ${name}` });
  return {
    to,
    topic: 'q-agent-notifier-port-update',
    method: 'port_update',
    args: {},
    reads: {
      port: { reader: 'port', id },
      network_type: segment('network_type'),
      segmentation_id: segment('segmentation_id'),
      physical_network: segment('physical_network'),
    },
    version: '1.0',
    key: `port:${id}`,
  };
}

/**
 * Messages about a port, to the hosts that it is bound to or has replicas on and, when it moves, to the host it leaves; none while
 * it is not bound. Its end is told to all hosts that it was or was to be on.
 */
export function portMessages(extensionAttributes: readonly string[]): (change: Change) => readonly Notification[] {
  const attributes = [...PORT_ATTRIBUTES, ...extensionAttributes];
  return ({ original, latest }) => {
    if (original === undefined) return [];
    const id = String(original['id']);
    const key = `port:${id}`;
    if (latest === undefined) {
      const prepared = (original[PREPARED_HOSTS] ?? []) as readonly string[];
      return [...new Set([...hostsOf(original), ...prepared])].map((host) => ({
        to: { host },
        topic: 'q-agent-notifier-port-delete',
        method: 'port_delete',
        args: { port_id: id },
        version: '1.0',
        key,
      }));
    }
    const hosts = hostsOf(...[original, latest].filter(isBound));
    const told = hosts.length > 0 || isDistributed(latest);
    if (!told || !attributes.some((name) => differs(original, latest, name))) return [];
    // A host that it is still to be bound to hears of it then.
    return [portUpdate(id, isBound(latest) ? [{ hosts }, { audience: 'port', of: [id] }] : { hosts })];
  };
}

function hostsOf(...ports: readonly Resource[]): readonly string[] {
  return [...new Set(ports.map((port) => String(port[HOST] ?? '')))].filter((host) => host !== '');
}
