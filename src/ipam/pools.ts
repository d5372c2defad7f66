/** Allocation pools and gateways of subnets: defaults and checks (neutron.ipam.utils, neutron.db.ipam_backend_mixin). */
import { InvalidInput } from '#src/lib/errors.ts';
import { BITS, type Cidr, contains, formatCidr, formatIp, type Ip, parseIp } from '#src/lib/net/mod.ts';
import {
  GatewayConflictWithAllocationPools,
  InvalidAllocationPool,
  IpamValueInvalid,
  OutOfBoundsAllocationPool,
  OverlappingAllocationPools,
} from './errors.ts';
import { subtractRanges } from './prefixes.ts';
import { type AllocationPool, storedIp } from './subnet.ts';

const poolText = (pool: AllocationPool) => `${pool.start}-${pool.end}`;

/** First and last address that allocation pools may have: in IPv4, networks of more than two addresses keep their ends. */
function poolBounds(cidr: Cidr): { readonly first: bigint; readonly last: bigint } {
  const { first, last } = cidr;
  if (first === last) return { first, last };
  if (cidr.version === 6) return { first: first + 1n, last };
  return cidr.prefix < 31 ? { first: first + 1n, last: last - 1n } : { first, last };
}

/**
 * The gateway of a subnet for which nobody named one: the first address after the network's own. In IPv6 it is the
 * network's own (the subnet-router anycast address), unless the network was drawn from a subnet pool.
 */
export function defaultGateway(cidr: Cidr, drawn = false): string | null {
  if (cidr.version === 6 && !drawn) return formatIp({ version: 6, value: cidr.first });
  const value = cidr.first + 1n;
  // Of the last network of all, with one address, there is none after.
  if (value >= 1n << BigInt(BITS[cidr.version])) return null;
  if (isEdge(cidr, value)) {
    throw new IpamValueInvalid(
      `gateway_ip: ${formatCidr(cidr)} has no address for a gateway; name one outside of it, or null`,
    );
  }
  return formatIp({ version: cidr.version, value });
}

/** Whether the address is the network's or the broadcast address, which IPv4 gives no meaning as a gateway. */
const isEdge = (cidr: Cidr, value: bigint): boolean =>
  cidr.version === 4 && (value === cidr.first || value === cidr.last);

/** Throws InvalidInput for a gateway that cannot be; one outside of the subnet can. */
export function checkGateway(cidr: Cidr, gateway: string): void {
  const ip = storedIp(gateway);
  if (ip.version !== cidr.version) {
    throw new InvalidInput(`gateway_ip '${gateway}' does not match the ip_version '${cidr.version}'`);
  }
  if (isEdge(cidr, ip.value)) throw new InvalidInput(`Gateway is not valid on subnet: gateway_ip '${gateway}'`);
}

/** All addresses that hosts can have but the gateway's: one range, or two around it. */
export function defaultPools(cidr: Cidr, gateway: string | null): readonly AllocationPool[] {
  const { version } = cidr;
  const { first, last } = poolBounds(cidr);
  const hole = gateway === null || cidr.first === cidr.last ? undefined : storedIp(gateway);
  const around = hole === undefined || !contains(cidr, hole) ? [] : [{ first: hole.value, last: hole.value }];
  return subtractRanges([{ first, last }], around).map((range) => ({
    start: formatIp({ version, value: range.first }),
    end: formatIp({ version, value: range.last }),
  }));
}

/** Throws for pools that are reversed, of the wrong version, outside of the subnet, or overlap. */
export function checkPools(cidr: Cidr, pools: readonly AllocationPool[]): void {
  const bounds = poolBounds(cidr);
  const ranges = pools.map((pool) => {
    const [start, end] = [parseIp(pool.start), parseIp(pool.end)];
    if (start === null || end === null || start.version !== cidr.version || end.version !== cidr.version) {
      throw new InvalidAllocationPool(poolText(pool));
    }
    if (end.value < start.value) throw new InvalidAllocationPool(poolText(pool));
    if (start.value < bounds.first || end.value > bounds.last) {
      throw new OutOfBoundsAllocationPool(poolText(pool), formatCidr(cidr));
    }
    return { pool, start: start.value, end: end.value };
  });
  const sorted = ranges.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  for (const [index, range] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && next.start <= range.end) {
      throw new OverlappingAllocationPools(poolText(range.pool), poolText(next.pool), formatCidr(cidr));
    }
  }
}

/** Throws when a pool would hand out the gateway's address. */
export function checkGatewayOutsidePools(gateway: string, pools: readonly AllocationPool[]): void {
  const ip: Ip = storedIp(gateway);
  for (const pool of pools) {
    const [start, end] = [storedIp(pool.start), storedIp(pool.end)];
    if (start.version === ip.version && start.value <= ip.value && ip.value <= end.value) {
      throw new GatewayConflictWithAllocationPools(gateway, poolText(pool));
    }
  }
}
