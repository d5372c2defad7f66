/** IP protocols as security group rules name them: which number a name has, and which names mean the same. */
import { pythonInt } from '#src/lib/api/python.ts';

// biome-ignore format: one table
const NUMBERS: Readonly<Record<string, number>> = {
  ah: 51, dccp: 33, egp: 8, esp: 50, gre: 47, hopopt: 0, icmp: 1, icmpv6: 58, igmp: 2, ip: 0, ipip: 4, 'ipv6-encap': 41,
  'ipv6-frag': 44, 'ipv6-icmp': 58, 'ipv6-nonxt': 59, 'ipv6-opts': 60, 'ipv6-route': 43, ospf: 89, pgm: 113, rsvp: 46,
  sctp: 132, tcp: 6, udp: 17, udplite: 136, vrrp: 112,
};

export const ICMP = 1;
export const IPV6_ICMP = 58;

/** Protocols that have ports. */
export const PORTED = ['dccp', 'sctp', 'tcp', 'udp', 'udplite'] as const;
const PORTED_NUMBERS: ReadonlySet<number> = new Set(PORTED.map((name) => NUMBERS[name]!));
export const hasPorts = (protocol: number): boolean => PORTED_NUMBERS.has(protocol);

/** Protocols that are of IPv6 alone. */
const IPV6_ONLY: ReadonlySet<number> = new Set(
  Object.entries(NUMBERS).flatMap(([name, number]) => (name.startsWith('ipv6-') ? [number] : [])),
);
export const isOfIpv6Alone = (protocol: number): boolean => IPV6_ONLY.has(protocol);

/** The number of a protocol's name or of a number as text; null for neither. */
export function protocolNumber(protocol: string): number | null {
  if (Object.hasOwn(NUMBERS, protocol)) return NUMBERS[protocol]!;
  const number = pythonInt(protocol);
  return number === null || number < 0 || number > 255 ? null : number;
}

/** All the ways to write the protocol. */
export function spellings(protocol: number): readonly string[] {
  const names = Object.keys(NUMBERS).filter((name) => NUMBERS[name] === protocol);
  return [String(protocol), ...names];
}
