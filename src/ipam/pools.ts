/** Allocation pools and gateways of subnets: defaults and checks (neutron.ipam.utils, neutron.db.ipam_backend_mixin). */
import { InvalidInput } from '#src/lib/errors.ts';
import { type Cidr, contains, formatCidr, formatIp, type Ip, parseIp } from '#src/lib/net/mod.ts';
import {
  GatewayConflictWithAllocationPools,
  InvalidAllocationPool,
  OutOfBoundsAllocationPool,
  OverlappingAllocationPools,
} from './errors.ts';
import { type AllocationPool, storedIp } from './subnet.ts';

const poolText = (pool: AllocationPool) => `${pool.start}-${pool.end}`;

/** The gateway of a subnet for which nobody named one: the first address after the network's own. */
export function defaultGateway(cidr: Cidr): string {
  return formatIp({ version: cidr.version, value: cidr.first + 1n });
}

/** Throws InvalidInput for a gateway that cannot be; one outside of the subnet can. */
export function checkGateway(cidr: Cidr, gateway: string): void {
  const ip = storedIp(gateway);
  if (ip.version !== cidr.version) {
    throw new InvalidInput(`gateway_ip '${gateway}' does not match the ip_version '${cidr.version}'`);
  }
  const edge = ip.value === cidr.first || ip.value === cidr.last;
  if (cidr.version === 4 && cidr.prefix < 31 && edge) throw new InvalidInput('Gateway is not valid on subnet');
}

/** All addresses that hosts can have but the gateway's: one range, or two around it. */
export function defaultPools(cidr: Cidr, gateway: string | null): readonly AllocationPool[] {
  const range = (first: bigint, last: bigint): AllocationPool[] =>
    first > last
      ? []
      : [
          {
            start: formatIp({ version: cidr.version, value: first }),
            end: formatIp({ version: cidr.version, value: last }),
          },
        ];
  const first = cidr.first + 1n;
  const last = cidr.version === 4 ? cidr.last - 1n : cidr.last;
  // A network of one or two addresses has none to spare.
  if (first >= last) return range(cidr.first, cidr.last);
  const hole = gateway === null ? undefined : storedIp(gateway);
  if (hole === undefined || !contains(cidr, hole) || hole.value < first || hole.value > last) return range(first, last);
  return [...range(first, hole.value - 1n), ...range(hole.value + 1n, last)];
}

/** Throws for pools that are reversed, of the wrong version, outside of the subnet, or overlap. */
export function checkPools(cidr: Cidr, pools: readonly AllocationPool[]): void {
  const first = cidr.first + 1n;
  const last = cidr.version === 4 ? cidr.last - 1n : cidr.last;
  const small = first >= last;
  const ranges = pools.map((pool) => {
    const [start, end] = [parseIp(pool.start), parseIp(pool.end)];
    if (start === null || end === null || start.version !== cidr.version || end.version !== cidr.version) {
      throw new InvalidAllocationPool(poolText(pool));
    }
    if (end.value < start.value) throw new InvalidAllocationPool(poolText(pool));
    if (start.value < (small ? cidr.first : first) || end.value > (small ? cidr.last : last)) {
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
