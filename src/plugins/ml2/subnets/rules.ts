/**
 * What a subnet may be (neutron.db.db_base_plugin_v2, `_validate_subnet`), and what it is where nobody said: gateway and
 * allocation pools. Pure; the order of the checks is Neutron's, because the first error is what clients see.
 */
import {
  type AllocationPool,
  checkGateway,
  checkGatewayOutsidePools,
  checkPools,
  defaultGateway,
  defaultPools,
  hasAutomaticAddresses,
} from '#src/ipam/mod.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { BITS, type Cidr, formatCidr, isMulticast, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { DNSNameServersExhausted, HostRoutesExhausted } from '../errors.ts';

export interface SubnetLimits {
  readonly max_dns_nameservers: number;
  readonly max_subnet_host_routes: number;
}

interface Modes {
  readonly ip_version: number;
  readonly enable_dhcp: boolean;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
}

/** Throws for a network that DHCP cannot serve. */
export function checkDhcp(cidr: Cidr, enable_dhcp: boolean): void {
  if (!enable_dhcp) return;
  if (cidr.prefix > BITS[cidr.version] - 2) {
    throw new InvalidInput('Subnet has a prefix length that is incompatible with DHCP service enabled');
  }
  if (isMulticast({ version: cidr.version, value: cidr.first })) {
    throw new InvalidInput('Multicast IP subnet is not supported if enable_dhcp is True');
  }
  if (cidr.version === 4 && cidr.first >> 24n === 127n) {
    throw new InvalidInput('Loopback IP subnet is not supported if enable_dhcp is True');
  }
  if (cidr.version === 4 && cidr.first === 0n) {
    throw new InvalidInput("First IP '0.0.0.0' of network is not supported if enable_dhcp is True");
  }
}

/** Throws for IPv6 modes that do not fit the version, DHCP or each other. */
export function checkIpv6Modes(modes: Modes): void {
  const { ipv6_ra_mode: ra, ipv6_address_mode: address } = modes;
  if (modes.ip_version === 4) {
    if (ra !== null) throw new InvalidInput('ipv6_ra_mode is not valid when ip_version is 4');
    if (address !== null) throw new InvalidInput('ipv6_address_mode is not valid when ip_version is 4');
    return;
  }
  if ((ra !== null || address !== null) && !modes.enable_dhcp) {
    throw new InvalidInput('ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False');
  }
  if (ra !== null && address !== null && ra !== address) {
    throw new InvalidInput(
      `ipv6_ra_mode set to '${ra}' with ipv6_address_mode set to '${address}' is not valid. If both attributes are set, they must be the same value`,
    );
  }
}

/** Throws for a network in which hosts cannot form the addresses that the modes say they do. */
export function checkAutomaticAddresses(cidr: Cidr, modes: Modes): void {
  if (hasAutomaticAddresses(modes) && cidr.prefix !== 64) {
    throw new InvalidInput(
      `Invalid CIDR ${formatCidr(cidr)} for IPv6 address mode. OpenStack uses the EUI-64 address format, which requires the prefix to be /64`,
    );
  }
}

/** Throws for more name servers or routes than are allowed, and for those of the other IP version. */
export function checkLists(subnet: Resource, limits: SubnetLimits): void {
  const version = subnet['ip_version'];
  const servers = (subnet['dns_nameservers'] ?? []) as readonly string[];
  const routes = (subnet['host_routes'] ?? []) as readonly { readonly destination: string; readonly nexthop: string }[];
  const name = String(subnet['id'] ?? subnet['name'] ?? 'new subnet');
  if (servers.length > limits.max_dns_nameservers) throw new DNSNameServersExhausted(name, limits.max_dns_nameservers);
  for (const server of servers) {
    if (parseIp(server)?.version !== version) {
      throw new InvalidInput(`dns_nameserver '${server}' does not match the ip_version '${version}'`);
    }
  }
  if (routes.length > limits.max_subnet_host_routes) throw new HostRoutesExhausted(name, limits.max_subnet_host_routes);
  for (const { destination, nexthop } of routes) {
    for (const [what, found] of [
      [destination, parseCidr(destination)?.version],
      [nexthop, parseIp(nexthop)?.version],
    ] as const) {
      if (found !== version) throw new InvalidInput(`${what} does not match the ip_version '${version}'`);
    }
  }
}

/** What a new subnet has for a gateway and pools. */
export type Addressing = {
  readonly gateway_ip: string | null;
  readonly allocation_pools: readonly AllocationPool[];
};

/** Gateway and pools of a new subnet, from the body or by default, checked. `drawn`: nobody named the network. */
export function newAddressing(cidr: Cidr, body: Resource, drawn: boolean): Addressing {
  const said = body['gateway_ip'];
  const gateway_ip = said === undefined ? defaultGateway(cidr, drawn) : (said as string | null);
  if (gateway_ip !== null && said !== undefined) checkGateway(cidr, gateway_ip);
  const pools = body['allocation_pools'] as readonly AllocationPool[] | undefined | null;
  if (pools === undefined || pools === null) {
    return { gateway_ip, allocation_pools: defaultPools(cidr, gateway_ip) };
  }
  checkPools(cidr, pools);
  if (gateway_ip !== null) checkGatewayOutsidePools(gateway_ip, pools);
  return { gateway_ip, allocation_pools: pools };
}
