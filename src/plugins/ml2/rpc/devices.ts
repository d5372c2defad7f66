/**
 * What an agent is told of the devices of its host, and what it reports of them (neutron.plugins.ml2.rpc.RpcCallbacks). A list
 * costs as many statements as one device.
 *
 *   details   the port is bound if it is not yet; one that the agent is about to wire becomes BUILD, a disabled one DOWN
 *   up        the agent has done its part: the port becomes ACTIVE when it waits for nobody else
 *   down      DOWN
 *
 * A port that is on many hosts at once stands on each for itself (`../replicas`): the agent that asks for it makes it be there.
 *
 * A host hears of ports that have a binding on it, and speaks for those that are bound to it; of all others it learns as little as
 * of those that do not exist.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Context } from '#src/lib/context.ts';
import type { Arrival } from '../drivers/l2population/mod.ts';
import type { ReplicaChange } from '../replicas/mod.ts';
import type { Ml2 } from '../state.ts';
import type { StatusChange } from '../status/mod.ts';
import { type AskedDevice, type BoundPort, type DevicePort, devicePortFinder, findDevices } from './device_store.ts';
import { together } from './together.ts';

/** What is to happen when ports are wired, beside their status. */
export interface Wiring {
  /** Before the ports become ACTIVE: hosts may need to hear of the others on their networks. */
  wired?(context: Context, arrivals: readonly Arrival[]): Promise<void>;
}

export interface DeviceHost extends Pick<Ml2, 'db' | 'log' | 'extensions' | 'statuses' | 'binder' | 'replicas'> {
  readonly wiring: Wiring;
}

/** What a host has wired; with `resync` it wants to hear of all others again. */
interface WiredDevice extends AskedDevice {
  readonly resync: boolean;
}

const isBoundHere = ({ binding_status }: BoundPort) => binding_status === 'ACTIVE';
const isReplica = ({ binding_status }: BoundPort) => binding_status === 'REPLICA';
const isInstance = ({ device_owner }: BoundPort) => device_owner.startsWith('compute:');
const isBound = ({ network_type }: DevicePort) => network_type !== null;

const kindOf = (port: BoundPort) => ({
  is_here: isBoundHere(port),
  is_replica: isReplica(port),
  is_instance: isInstance(port),
});

/** What the status is to be of a port whose agent is about to wire it. */
const wiringStatus = ({ admin_state_up }: BoundPort) => (admin_state_up ? ('BUILD' as const) : ('DOWN' as const));

/** Those of the devices that nothing was found of. */
const missing = <Device extends AskedDevice>(asked: readonly Device[], found: readonly unknown[]): readonly Device[] =>
  asked.filter((_, place) => found[place] === undefined);

export function devices({ db, extensions, statuses, log, binder, replicas, wiring }: DeviceHost) {
  const findDevicePorts = devicePortFinder(extensions);

  /** The ports of devices, bound if they can be. */
  const boundPorts = async (context: Context, asked: readonly AskedDevice[]) => {
    const ports = await findDevicePorts(db.sql, asked);
    const unbound = ports.flatMap((port) =>
      port !== undefined && !isBound(port) && isBoundHere(port) ? [port.port_id] : [],
    );
    const failed = asked.flatMap(({ host }, place) => {
      const port = ports[place];
      return port !== undefined && !isBound(port) && isReplica(port) ? [{ port_id: port.port_id, host }] : [];
    });
    const absent = [...failed, ...(await replicas.wanted(missing(asked, ports)))];
    if (unbound.length === 0 && absent.length === 0) return ports;
    if (unbound.length > 0) await binder.bind(context, [...new Set(unbound)]);
    if (absent.length > 0) await replicas.bind(context, absent);
    return await findDevicePorts(db.sql, asked);
  };

  const describe = ({ host, device }: AskedDevice, port: DevicePort | undefined): JsonObject => {
    if (port === undefined) return { device };
    if (!isBound(port)) {
      log.warn('an agent asks for a port that is not bound', { device, host, port_id: port.port_id });
      return { device };
    }
    if (!isBoundHere(port) && isInstance(port)) return { device, no_active_binding: true };
    return entry(device, port);
  };

  /** The details of devices, in their order. */
  const details = async (context: Context, asked: readonly AskedDevice[]): Promise<readonly JsonObject[]> => {
    const ports = await boundPorts(context, asked);
    const changes = new Map<string, StatusChange>();
    const replicated = new Map<string, ReplicaChange>();
    for (const [place, { host }] of asked.entries()) {
      const port = ports[place];
      if (port === undefined || !isBound(port)) continue;
      const { port_id } = port;
      const status = wiringStatus(port);
      if (isBoundHere(port) && port.status !== status) changes.set(port_id, { port_id, status, host });
      if (isReplica(port) && port.host_status !== status)
        replicated.set(`${port_id} ${host}`, { port_id, status, host });
    }
    if (changes.size > 0) await statuses.setStatus(context, [...changes.values()]);
    await replicas.set(context, [...replicated.values()]);
    return asked.map((one, place) => describe(one, ports[place]));
  };

  /** The ports of devices that are up; on hosts that have not asked for them they come to be now, if that is what they are for. */
  const reported = async (context: Context, devices: readonly AskedDevice[]) => {
    const found = await findDevices(db.sql, devices);
    const absent = await replicas.wanted(missing(devices, found));
    if (absent.length === 0) return found;
    await replicas.bind(context, absent);
    return await findDevices(db.sql, devices);
  };

  const up = async (context: Context, devices: readonly WiredDevice[]): Promise<void> => {
    const found = await reported(context, devices);
    const reports = devices.flatMap(({ host, resync }, place) => {
      const port = found[place];
      if (port === undefined) return [];
      const { port_id, network_id } = port;
      return [{ port_id, network_id, host, resync, ...kindOf(port) }];
    });
    const here = reports.filter(({ is_here }) => is_here);
    const replicated = reports.filter(({ is_replica }) => is_replica);
    // Plugged in on the host that they migrate to, while they are still bound to another.
    const arrived = reports.filter(({ is_here, is_instance }) => !is_here && is_instance);
    if (here.length + replicated.length > 0) await wiring.wired?.(context, [...here, ...replicated]);
    if (here.length > 0) await statuses.provisioned(context, 'L2', here);
    await replicas.set(
      context,
      replicated.map(({ port_id, host }) => ({ port_id, host, status: 'ACTIVE' })),
    );
    if (arrived.length > 0) await statuses.arrived(context, arrived);
  };

  /** Which of the devices there are, by their places. */
  const down = async (context: Context, devices: readonly AskedDevice[]): Promise<readonly boolean[]> => {
    const ports = await findDevices(db.sql, devices);
    const changes = devices.flatMap(({ host }, place) => {
      const port = ports[place];
      if (port === undefined || !isBoundHere(port) || port.status === 'DOWN') return [];
      return [{ port_id: port.port_id, status: 'DOWN' as const, host }];
    });
    if (changes.length > 0) await statuses.setStatus(context, changes);
    const replicated = devices.flatMap(({ host }, place) => {
      const port = ports[place];
      return port !== undefined && isReplica(port) ? [{ port_id: port.port_id, host, status: 'DOWN' as const }] : [];
    });
    await replicas.set(context, replicated);
    // A replica goes with its first report: to a report that comes again it is still there.
    const known = await replicas.wanted(missing(devices, ports));
    const elsewhere = new Set(known.map(({ host, device }) => `${host} ${device}`));
    return ports.map(
      (port, place) =>
        port !== undefined ||
        (elsewhere.size > 0 && elsewhere.has(`${devices[place]!.host} ${devices[place]!.device}`)),
    );
  };

  return {
    details,
    up,
    down,

    /** The details of one device; those that are asked for at the same time are read together. */
    detailsOfOne: together<AskedDevice & { readonly context: Context }, JsonObject>(
      () => '',
      (asked) => details(asked[0]!.context, asked),
    ),

    /** One device is up; those that are reported at the same time are written together. */
    oneIsUp: together<WiredDevice & { readonly context: Context }, null>(laneOf, async (reports) => {
      await up(reports[0]!.context, reports);
      return reports.map(() => null);
    }),

    /** One device is down; whether there is one. */
    oneIsDown: together<AskedDevice & { readonly context: Context }, boolean>(laneOf, (reports) =>
      down(reports[0]!.context, reports),
    ),
  };
}

/** Batches of reports under way at once: where one waits for a port that somebody else holds, the others go on. */
const LANES = 4;

/** All that a host reports is on one. */
function laneOf({ host }: AskedDevice): string {
  let sum = 0;
  for (const letter of host) sum = (sum * 31 + letter.codePointAt(0)!) % 65_521;
  return String(sum % LANES);
}

function entry(device: string, port: DevicePort): JsonObject {
  return {
    device,
    network_id: port.network_id,
    port_id: port.port_id,
    mac_address: port.mac_address,
    admin_state_up: port.admin_state_up,
    network_type: port.network_type,
    segmentation_id: port.segmentation_id,
    physical_network: port.physical_network,
    mtu: port.mtu,
    fixed_ips: port.fixed_ips,
    device_owner: port.device_owner,
    allowed_address_pairs: port.allowed_address_pairs,
    port_security_enabled: port.port_security_enabled,
    qos_policy_id: port.qos_policy_id,
    qos_network_policy_id: port.qos_network_policy_id,
    profile: port.profile,
    propagate_uplink_status: port.propagate_uplink_status,
  };
}
