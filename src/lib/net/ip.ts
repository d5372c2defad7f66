/**
 * IP addresses and networks as numbers, read as strictly as netaddr reads them: no leading zeros in an octet, no spaces, no
 * zone, no abbreviated forms, and a network always has its prefix length. Text that is not exactly that gives null.
 *
 * ip-bigint does the arithmetic; it takes addresses with a zone, so what reaches it is checked here first.
 */
import { parseIp as parseWithZone, stringifyIp } from 'ip-bigint';

export type IpVersion = 4 | 6;

export interface Ip {
  readonly version: IpVersion;
  readonly value: bigint;
}

export interface Cidr {
  readonly version: IpVersion;
  readonly prefix: number;
  /** The network's address. */
  readonly first: bigint;
  /** The last address of the network (the broadcast address of IPv4). */
  readonly last: bigint;
  /** As written, host bits kept. */
  readonly address: bigint;
}

/** Bits of an address. */
export const BITS: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 128 };

const ADDRESS = /^[0-9A-Fa-f:.]{2,45}$/;
const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;

/** Reads an address; null for anything that is not exactly one. */
export function parseIp(text: string): Ip | null {
  if (!ADDRESS.test(text)) return null;
  try {
    const { number, version } = parseWithZone(text);
    return { version, value: number };
  } catch {
    return null;
  }
}

/** The canonical text of an address (RFC 5952; an embedded IPv4 address in dotted form, as inet_ntop writes it). */
export function formatIp(ip: Ip): string {
  if (ip.version === 4) return stringifyIp({ number: ip.value, version: 4 });
  const high = ip.value >> 32n;
  if (high === 0xffffn) return stringifyIp({ number: ip.value, version: 6, ipv4mapped: true });
  if (high === 0n && ip.value > 0xffffn) return `::${stringifyIp({ number: ip.value, version: 4 })}`;
  return stringifyIp({ number: ip.value, version: 6 });
}

/** The canonical text of the address in `text`; null when it is none. */
export function canonicalIp(text: string): string | null {
  const ip = parseIp(text);
  return ip === null ? null : formatIp(ip);
}

/** The network of `prefix` bits around an address. */
export function cidrOf(ip: Ip, prefix: number): Cidr {
  const hostBits = BigInt(BITS[ip.version] - prefix);
  const first = (ip.value >> hostBits) << hostBits;
  return { version: ip.version, prefix, first, last: first + (1n << hostBits) - 1n, address: ip.value };
}

/** Reads `address/prefix`; host bits may be set. Null for anything else, a missing prefix included. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  if (slash < 0) return null;
  const ip = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (ip === null || !PREFIX.test(length)) return null;
  const prefix = Number(length);
  return prefix <= BITS[ip.version] ? cidrOf(ip, prefix) : null;
}

/** The canonical text of a network, host bits cleared. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp({ version: cidr.version, value: cidr.first })}/${cidr.prefix}`;
}

/** Whether the address lies in the network. */
export function contains(cidr: Cidr, ip: Ip): boolean {
  return cidr.version === ip.version && cidr.first <= ip.value && ip.value <= cidr.last;
}

/** Whether the networks have an address in common. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

/** 224.0.0.0/4 and ff00::/8. */
export function isMulticast(ip: Ip): boolean {
  return ip.version === 4 ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn;
}

/** 169.254.0.0/16 and fe80::/10. */
export function isLinkLocal(ip: Ip): boolean {
  return ip.version === 4 ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0x3fan;
}
