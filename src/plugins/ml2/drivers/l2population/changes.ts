/**
 * What a change of a port means for the forwarding entries of other hosts (neutron.plugins.ml2.drivers.l2pop.mech_driver). A port
 * has entries from when it becomes ACTIVE on a host until it is DOWN, gone, or elsewhere; BUILD changes nothing, as an agent that
 * starts again looks at ports that go on working. Of a port on many hosts each replica is told of as a port on its host; as its
 * addresses are behind no single tunnel, it only makes the host take what is for everybody.
 */
import type { Resource } from '#src/lib/plugin.ts';
import type { MessageNotification } from '#src/lib/rpc.ts';
import { isBehindManyTunnels, mayBeOnManyHosts } from '../../owners.ts';
import { PREPARED_HOSTS } from '../../ports/reading.ts';
import { idOf } from './ids.ts';

interface Place {
  readonly network_id: string;
  readonly host: string;
  readonly mac_address: string;
  readonly ips: readonly string[];
  readonly status: string;
}

type Method = 'add_fdb_entries' | 'remove_fdb_entries' | 'update_fdb_entries';
type Reader = 'fdb_of_port' | 'fdb_of_gone_port' | 'fdb_of_changed_port' | 'fdb_of_network';

export const TOPIC = 'q-agent-notifier-l2population-update';

function placeOf(port: Resource): Place {
  const fixed_ips = (port['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[];
  return {
    network_id: String(port['network_id']),
    host: String(port['binding:host_id'] ?? ''),
    mac_address: String(port['mac_address']),
    ips: isBehindManyTunnels(port['device_owner']) ? [] : fixed_ips.map(({ ip_address }) => ip_address),
    status: String(port['status']),
  };
}

/** A message to hosts; its entries are read when it is sent. */
export function fdbMessage(
  method: Method,
  to: MessageNotification['to'],
  network_id: string,
  [reader, id]: readonly [Reader, string],
): MessageNotification {
  // One key for a network: its hosts' entries for flooding depend on all of its ports.
  const key = `fdb:${network_id}`;
  return { to, topic: TOPIC, method, args: {}, reads: { fdb_entries: { reader, id } }, version: '1.0', key };
}

const others = ({ network_id, host }: Place): MessageNotification['to'] => ({
  audience: 'l2population',
  of: [idOf({ network_id, host })],
});

const hasEntries = ({ host, status }: Place) => host !== '' && (status === 'ACTIVE' || status === 'BUILD');

function removal(place: Place): MessageNotification {
  const { network_id, host, mac_address, ips } = place;
  const what = ['fdb_of_gone_port', idOf({ network_id, host, mac_address, ips })] as const;
  return fdbMessage('remove_fdb_entries', others(place), network_id, what);
}

/** What other hosts are told when a port changes. */
export function onUpdate(original: Resource, current: Resource): readonly MessageNotification[] {
  const [before, after] = [placeOf(original), placeOf(current)];
  const moved = before.host !== after.host || before.mac_address !== after.mac_address;
  const messages: MessageNotification[] = [];
  if (hasEntries(before) && (moved || !hasEntries(after))) messages.push(removal(before));
  if (after.host !== '' && after.status === 'ACTIVE' && (moved || before.status !== 'ACTIVE')) {
    const id = idOf({ port_id: String(current['id']), host: after.host });
    messages.push(fdbMessage('add_fdb_entries', others(after), after.network_id, ['fdb_of_port', id]));
  } else if (!moved && hasEntries(before) && hasEntries(after)) {
    const gone = before.ips.filter((ip) => !after.ips.includes(ip));
    const come = after.ips.filter((ip) => !before.ips.includes(ip));
    if (gone.length > 0 || come.length > 0) {
      const { network_id, host, mac_address } = after;
      const id = idOf({ network_id, host, mac_address, before: gone, after: come });
      messages.push(fdbMessage('update_fdb_entries', others(after), network_id, ['fdb_of_changed_port', id]));
    }
  }
  return messages;
}

/** What other hosts are told when a port is deleted. */
export function onDelete(original: Resource): readonly MessageNotification[] {
  const place = placeOf(original);
  const hosts = mayBeOnManyHosts(original['device_owner']) ? (original[PREPARED_HOSTS] as readonly string[]) : [];
  const replicas = hosts.map((host) => removal({ ...place, host, ips: [] }));
  return hasEntries(place) ? [removal(place), ...replicas] : replicas;
}
