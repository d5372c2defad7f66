/**
 * What L2 agents are told (neutron.plugins.ml2.rpc.AgentNotifierApi). Neutron casts to all agents; here a message goes to the
 * hosts that it concerns, and to all only when it carries nothing but an id and nobody knows whom it concerns.
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';

const HOST = 'binding:host_id';
const asJson = (resource: Resource) => resource as JsonObject;
const differs = (a: Resource, b: Resource, name: string) => JSON.stringify(a[name]) !== JSON.stringify(b[name]);

/** Attributes of a network that agents apply. */
const NETWORK_ATTRIBUTES = ['mtu', 'admin_state_up'];
/** Attributes of a port that agents apply, beside those of extensions. */
const PORT_ATTRIBUTES = [
  'admin_state_up',
  'mac_address',
  'fixed_ips',
  'device_owner',
  HOST,
  'binding:vnic_type',
  'binding:profile',
];

interface Change {
  readonly original?: Resource;
  readonly current?: Resource;
}

/** Messages about a network: `network_update` to the hosts with ports on it, `network_delete` to all. */
export async function networkNotifications(
  tx: Transaction,
  { original, current }: Change,
): Promise<readonly Notification[]> {
  if (original === undefined) return [];
  const key = `network:${original['id']}`;
  if (current === undefined) {
    const args = { network_id: String(original['id']) };
    const topic = 'q-agent-notifier-network-delete';
    return [{ to: 'fanout', topic, method: 'network_delete', args, version: '1.0', key }];
  }
  if (!NETWORK_ATTRIBUTES.some((name) => differs(original, current, name))) return [];
  const hosts = await tx<{ host: string }[]>`
    select distinct b.host from ports p join port_bindings b on b.port_id = p.id
    where p.network_id = ${String(original['id'])} and b.host <> '' order by b.host`;
  return hosts.map(({ host }) => ({
    to: { host },
    topic: 'q-agent-notifier-network-update',
    method: 'network_update',
    args: { network: asJson(current) },
    version: '1.4',
    key,
  }));
}

/** Messages about a port, to its host and, when it moves, to the host it leaves; none while it is on no host. */
export function portNotifications(extensionAttributes: readonly string[]) {
  const attributes = [...PORT_ATTRIBUTES, ...extensionAttributes];
  return async (tx: Transaction, { original, current }: Change): Promise<readonly Notification[]> => {
    if (original === undefined) return [];
    const key = `port:${original['id']}`;
    if (current === undefined) {
      return hostsOf(original).map((host) => ({
        to: { host },
        topic: 'q-agent-notifier-port-delete',
        method: 'port_delete',
        args: { port_id: String(original['id']) },
        version: '1.0',
        key,
      }));
    }
    const hosts = hostsOf(original, current);
    if (hosts.length === 0 || !attributes.some((name) => differs(original, current, name))) return [];
    const [segment] = await tx<
      { network_type: string; physical_network: string | null; segmentation_id: number | null }[]
    >`
      select network_type, physical_network, segmentation_id::float8 as segmentation_id
      from network_segments where network_id = ${String(current['network_id'])} and not is_dynamic
      order by segment_index limit 1`;
    const args: { [key: string]: Json } = { port: asJson(current), ...segment };
    return hosts.map((host) => ({
      to: { host },
      topic: 'q-agent-notifier-port-update',
      method: 'port_update',
      args,
      version: '1.0',
      key,
    }));
  };
}

/** Whether agents are told nothing of a change of the port, whatever becomes of it: it is on no host, and stays so. */
export function isOnNoHost(port: Resource, body: Resource): boolean {
  return hostsOf(port, body).length === 0;
}

function hostsOf(...ports: readonly Resource[]): readonly string[] {
  return [...new Set(ports.map((port) => String(port[HOST] ?? '')))].filter((host) => host !== '');
}
