/**
 * MAC addresses in the forms that netaddr takes (colons, hyphens, three dotted groups, twelve bare digits), kept in the
 * one form that the database and agents know: `fa:16:3e:00:00:01`.
 */
import { type Cidr, formatIp } from './ip.ts';

const FORMS: readonly { readonly pattern: RegExp; readonly separator: string; readonly digits: number }[] = [
  { pattern: /^[0-9A-Fa-f]{1,2}(?::[0-9A-Fa-f]{1,2}){5}$/, separator: ':', digits: 2 },
  { pattern: /^[0-9A-Fa-f]{1,2}(?:-[0-9A-Fa-f]{1,2}){5}$/, separator: '-', digits: 2 },
  { pattern: /^[0-9A-Fa-f]{1,4}(?:\.[0-9A-Fa-f]{1,4}){2}$/, separator: '.', digits: 4 },
  { pattern: /^[0-9A-Fa-f]{12}$/, separator: ' ', digits: 12 },
];

/** Reads a MAC address in any of the forms; null for anything else. */
export function parseMac(text: string): bigint | null {
  for (const { pattern, separator, digits } of FORMS) {
    if (!pattern.test(text)) continue;
    const groups = text.split(separator).map((group) => group.padStart(digits, '0'));
    return BigInt(`0x${groups.join('')}`);
  }
  return null;
}

/** Whether the text is a MAC address in any of the forms. */
export function isMac(text: string): boolean {
  return FORMS.some(({ pattern }) => pattern.test(text));
}

/** The MAC address with colons and small letters; null when the text is none. */
export function canonicalMac(text: string): string | null {
  const mac = parseMac(text);
  return mac === null ? null : withColons(mac);
}

/**
 * A random MAC address that begins as `base` (`[DEFAULT] base_mac`) does: with its first three octets, or four where the
 * fourth is not 00.
 */
export function randomMac(base: string): string {
  const start = parseMac(base);
  if (start === null) throw new TypeError(`base_mac '${base}' is not a MAC address`);
  const kept = (start >> 16n) & 0xffn ? 4 : 3;
  const octets = crypto.getRandomValues(new Uint8Array(6));
  for (let index = 0; index < kept; index++) octets[index] = Number((start >> BigInt(40 - 8 * index)) & 0xffn);
  return Array.from(octets, hex).join(':');
}

/** The address that SLAAC gives the interface in a /64 or wider network (RFC 4291, modified EUI-64). */
export function eui64Address(cidr: Cidr, mac: string): string {
  const value = parseMac(mac);
  if (cidr.version !== 6) throw new TypeError('an EUI-64 address needs an IPv6 network');
  if (value === null) throw new TypeError(`'${mac}' is not a MAC address`);
  const interfaceId = (((value >> 24n) << 40n) | 0xfffe000000n | (value & 0xffffffn)) ^ (1n << 57n);
  return formatIp({ version: 6, value: cidr.first + interfaceId });
}

function withColons(mac: bigint): string {
  return mac
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?!$)/g, '$&:');
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0');
}
