/** What address management knows of a subnet, and the rules of which addresses in it may be used by whom. */
import { type Cidr, contains, type Ip, parseCidr, parseIp } from '#src/lib/net/mod.ts';

export interface AllocationPool {
  readonly start: string;
  readonly end: string;
}

export interface IpamSubnet {
  readonly id: string;
  readonly ip_version: number;
  readonly cidr: string;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
  readonly allocation_pools: readonly AllocationPool[];
  readonly service_types: readonly string[];
}

const AUTOMATIC: ReadonlySet<string | null> = new Set(['slaac', 'dhcpv6-stateless']);
/** The router ports that take an address from a SLAAC subnet like from any other. */
export const ROUTER_OWNERS: readonly string[] = [
  'network:router_interface',
  'network:ha_router_replicated_interface',
  'network:router_interface_distributed',
  'network:router_centralized_snat',
];
/** Who may have the first address of an IPv6 network, which is that of its routers; no owner at all may become a router. */
const ANYCAST_OWNERS: readonly string[] = [...ROUTER_OWNERS, 'network:router_gateway', ''];

/** Whether hosts form their own addresses in the subnet, from the prefix and their MAC address. */
export function hasAutomaticAddresses(subnet: Pick<IpamSubnet, 'ipv6_ra_mode' | 'ipv6_address_mode'>): boolean {
  return AUTOMATIC.has(subnet.ipv6_address_mode) || AUTOMATIC.has(subnet.ipv6_ra_mode);
}

export function isRouterPort(deviceOwner: string): boolean {
  return ROUTER_OWNERS.includes(deviceOwner);
}

/** Reads a network that the database holds. */
export function storedCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new TypeError(`'${text}' from the database is not a network`);
  return cidr;
}

/** Reads an address that has been validated or comes from the database. */
export function storedIp(text: string): Ip {
  const ip = parseIp(text);
  if (ip === null) throw new TypeError(`'${text}' from the database is not an IP address`);
  return ip;
}

/**
 * Whether a port of the owner may have the address: inside the network, and neither IPv4's network or broadcast address where
 * the network is big enough to have them, nor IPv6's first one unless it is a router's.
 */
export function isHostAddress(cidr: Cidr, ip: Ip, deviceOwner: string): boolean {
  if (!contains(cidr, ip)) return false;
  if (cidr.version === 6) return ip.value !== cidr.first || cidr.prefix === 128 || ANYCAST_OWNERS.includes(deviceOwner);
  return cidr.prefix > 30 || (ip.value !== cidr.first && ip.value !== cidr.last);
}
