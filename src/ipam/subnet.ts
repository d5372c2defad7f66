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
const ROUTER_OWNERS: ReadonlySet<string> = new Set([
  'network:router_interface',
  'network:ha_router_replicated_interface',
  'network:router_interface_distributed',
  'network:router_centralized_snat',
]);

/** Whether hosts form their own addresses in the subnet, from the prefix and their MAC address. */
export function hasAutomaticAddresses(subnet: Pick<IpamSubnet, 'ipv6_ra_mode' | 'ipv6_address_mode'>): boolean {
  return AUTOMATIC.has(subnet.ipv6_address_mode) || AUTOMATIC.has(subnet.ipv6_ra_mode);
}

export function isRouterPort(deviceOwner: string): boolean {
  return ROUTER_OWNERS.has(deviceOwner);
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
 * Whether a host may have the address: inside the network, and neither the network's own address nor IPv4's broadcast
 * address where the network is big enough to have them.
 */
export function isHostAddress(cidr: Cidr, ip: Ip): boolean {
  if (!contains(cidr, ip)) return false;
  const size = cidr.last - cidr.first + 1n;
  if (size <= 2n) return true;
  return ip.value !== cidr.first && !(cidr.version === 4 && ip.value === cidr.last);
}
