/**
 * Devices as ports: one statement for each kind of name that a list has, whatever its length. Only ports that have a binding on
 * the host which asks are found; of others it learns nothing.
 */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import type { ExtensionManager } from '../managers/extension.ts';
import { ON_MANY_HOSTS } from '../owners.ts';
import { portReading } from '../ports/reading.ts';
import { type DeviceName, readDevice } from './device_names.ts';

/** A port as its binding on a host has it. */
export interface BoundPort {
  readonly port_id: string;
  readonly network_id: string;
  readonly device_owner: string;
  readonly admin_state_up: boolean;
  readonly status: string;
  /** Of the binding on the host: ACTIVE, INACTIVE while a migration prepares it, or REPLICA of a port on many hosts. */
  readonly binding_status: string;
  /** Of a replica, how the port stands on the host. */
  readonly host_status: string | null;
}

/** What an agent needs to plug a port in. */
export interface DevicePort extends BoundPort {
  readonly mac_address: string;
  /** Null: the port is not bound. */
  readonly network_type: string | null;
  readonly segmentation_id: number | null;
  readonly physical_network: string | null;
  readonly mtu: number;
  readonly fixed_ips: Json;
  readonly allowed_address_pairs: Json;
  readonly port_security_enabled: boolean;
  readonly qos_policy_id: string | null;
  readonly qos_network_policy_id: string | null;
  readonly profile: Json;
  readonly propagate_uplink_status: boolean;
}

type Kind = DeviceName['kind'];

/** The port of each row of `d`. Names that are a part of an id, or a MAC address, may be those of several ports: the first counts. */
const FOUND: Readonly<Record<Kind, { readonly columns: string; readonly port: string }>> = {
  id: { columns: 'id uuid', port: 'p.id = d.id' },
  prefix: { columns: 'low uuid, high uuid', port: 'p.id between d.low and d.high' },
  mac: {
    columns: 'mac macaddr',
    port: 'p.mac_address = d.mac and p.id = any(array(select m.port_id from port_bindings m where m.host = d.host))',
  },
};

const BOUND = `p.id as port_id, p.network_id, p.device_owner, p.admin_state_up, p.status, here.status as binding_status,
  here.host_status`;

/** The binding on the host that asks. */
const HERE = 'join port_bindings here on here.port_id = p.id and here.host = d.host';

/** The segment that the port is plugged into on the host: the lowest level of the binding. */
const SEGMENT = `left join lateral (
  select s.network_type, s.physical_network, s.segmentation_id::float8 as segmentation_id
  from port_binding_levels l join network_segments s on s.id = l.segment_id
  where l.port_id = p.id and l.host = here.host order by l.level desc limit 1) seg on true`;

const lookUp = (kind: Kind, columns: string, from: string): string => `
  select d.place, q.* from json_to_recordset($1::json) as d (place int, host text, ${FOUND[kind].columns})
  cross join lateral (
    select ${columns} from ${from}
    where ${FOUND[kind].port} order by p.id limit 1) q`;

/** A device that a host asks for. */
export interface AskedDevice {
  readonly host: string;
  readonly device: string;
}

/** Finds the ports of devices, in their order. */
export type DeviceFinder<Row> = (
  sql: Queryable,
  asked: readonly AskedDevice[],
) => Promise<readonly (Row | undefined)[]>;

function finder<Row extends object>(columns: string, from: string): DeviceFinder<Row> {
  const texts = {
    id: lookUp('id', columns, from),
    prefix: lookUp('prefix', columns, from),
    mac: lookUp('mac', columns, from),
  };
  return async (sql, asked) => {
    const names = asked.flatMap(({ host, device }, place) => {
      const name = readDevice(device);
      return name === undefined ? [] : [{ place, host, ...name }];
    });
    const byKind = [...Map.groupBy(names, ({ kind }) => kind)];
    const found = await Promise.all(
      byKind.map(([kind, group]) =>
        sql.unsafe<(Row & { readonly place: number })[]>(texts[kind], [group as never], { prepare: true }),
      ),
    );
    const byPlace = new Map(found.flat().map((row) => [row.place, row]));
    return asked.map((_, place) => byPlace.get(place));
  };
}

/** The ports of devices, with no more than who they are and how they stand. */
export const findDevices: DeviceFinder<BoundPort> = finder(BOUND, `ports p ${HERE}`);

/** The ports of devices that are on many hosts, wherever they are, with their routers: not those that are bound to the host itself. */
export const findOnManyHosts: DeviceFinder<{ readonly port_id: string; readonly router_id: string }> = finder(
  'p.id as port_id, x.router_id',
  `ports p join router_ports x on x.port_id = p.id join routers r on r.id = x.router_id and ${ON_MANY_HOSTS}
     join port_bindings own on own.port_id = p.id and own.status = 'ACTIVE' and own.host <> d.host`,
);

/** The ports of a host's devices by the devices' names, with no more than who they are and how they stand. */
export async function findBoundPorts(
  sql: Queryable,
  host: string,
  devices: readonly string[],
): Promise<ReadonlyMap<string, BoundPort>> {
  const ports = await findDevices(
    sql,
    devices.map((device) => ({ host, device })),
  );
  return new Map(devices.flatMap((device, place) => (ports[place] === undefined ? [] : [[device, ports[place]]])));
}

/** Finds all that agents are told of ports. */
export function devicePortFinder(extensions: ExtensionManager): DeviceFinder<DevicePort> {
  const { from, attributes } = portReading(extensions.ports);
  const extended = (name: string, otherwise: string) => `${attributes[name]?.select ?? otherwise} as ${name}`;
  const columns = [
    BOUND,
    'p.mac_address',
    'seg.network_type, seg.physical_network, seg.segmentation_id',
    'net.mtu',
    extended('fixed_ips', 'null'),
    extended('allowed_address_pairs', `'[]'::json`),
    extended('port_security_enabled', 'true'),
    extended('qos_policy_id', 'null::text'),
    extended('qos_network_policy_id', 'null::text'),
    'here.profile',
    extended('propagate_uplink_status', 'false'),
  ];
  return finder(columns.join(', '), `${String(from)} ${HERE} join networks net on net.id = p.network_id ${SEGMENT}`);
}
