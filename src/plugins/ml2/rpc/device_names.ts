/**
 * What agents call devices: the port's id, the name of its interface (`tap` and as much of the id as fits into one), or its MAC
 * address (neutron.plugins.ml2.plugin, `_device_to_port_id`).
 */
import { canonicalMac } from '#src/lib/net/mod.ts';

/** neutron_lib.constants.INTERFACE_PREFIXES */
const PREFIXES = ['tap', 'qvo', 'sg-'];
/** A name of an interface has at least so much of the id: fewer characters would name many ports. */
const SHORTEST = 8;
const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** How the port of a device is looked up. */
export type DeviceName =
  | { readonly kind: 'id'; readonly id: string }
  /** Ids from one to the other. */
  | { readonly kind: 'prefix'; readonly low: string; readonly high: string }
  | { readonly kind: 'mac'; readonly mac: string };

/** What a device's name means; undefined: no port is called so. */
export function readDevice(device: string): DeviceName | undefined {
  const prefix = PREFIXES.find((start) => device.startsWith(start)) ?? '';
  const rest = device.slice(prefix.length);
  if (UUID.test(rest)) return { kind: 'id', id: rest };
  const mac = canonicalMac(device);
  if (mac !== null) return { kind: 'mac', mac };
  const low = rest + LOWEST.slice(rest.length);
  if (rest.length < SHORTEST || !UUID.test(low)) return undefined;
  return { kind: 'prefix', low, high: rest + HIGHEST.slice(rest.length) };
}
