/**
 * The arithmetic of addresses (neutron.db.network_ip_availability_db and its details). An IPv6 subnet has more of them than a
 * double can count, so sums are bigints, and leave as JSON numbers with all their digits.
 */
import { BITS, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** A subnet as the database gives it. */
export interface CountedSubnet {
  readonly subnet_id: string;
  readonly subnet_name: string;
  readonly ip_version: 4 | 6;
  readonly cidr: string;
  readonly pools: readonly { readonly start: string; readonly end: string }[];
  readonly used: number;
  readonly used_in_pools: number;
}

/** What is counted of a subnet, and summed over a network. */
const COUNTS = {
  used_ips: (subnet: CountedSubnet) => BigInt(subnet.used),
  total_ips: (subnet: CountedSubnet) => (subnet.pools.length === 0 ? sizeOf(subnet) : sizeOfPools(subnet)),
} as const;
const DETAILS = {
  // IPv4 has a network and a broadcast address, which nobody gets.
  total_ips_in_subnet: (subnet: CountedSubnet) => sizeOf(subnet) - (subnet.ip_version === 4 ? 2n : 0n),
  total_ips_in_allocation_pool: (subnet: CountedSubnet) => sizeOfPools(subnet),
  used_ips_in_subnet: (subnet: CountedSubnet) => BigInt(subnet.used),
  used_ips_in_allocation_pool: (subnet: CountedSubnet) => BigInt(subnet.used_in_pools),
} as const;

function sizeOf({ cidr, ip_version }: CountedSubnet): bigint {
  return 1n << BigInt(BITS[ip_version] - (parseCidr(cidr)?.prefix ?? BITS[ip_version]));
}

function sizeOfPools({ pools }: CountedSubnet): bigint {
  const value = (text: string) => parseIp(text)?.value ?? 0n;
  return pools.reduce((sum, { start, end }) => sum + value(end) - value(start) + 1n, 0n);
}

/** ES2026's JSON.rawJSON, which the language's types do not have yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A number where it is exact, or else what JSON.stringify writes as a number with all its digits. */
export function exactNumber(value: bigint): unknown {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : rawJSON(String(value));
}

type Counts = Readonly<Record<string, (subnet: CountedSubnet) => bigint>>;

function sums(counts: Counts, subnets: readonly CountedSubnet[]): Resource {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [
      name,
      exactNumber(subnets.reduce((sum, subnet) => sum + count(subnet), 0n)),
    ]),
  );
}

const countsOf = (subnets: readonly CountedSubnet[]): Resource => ({
  ...sums(COUNTS, subnets),
  ip_availability_details: sums(DETAILS, subnets),
});

/** What a network shows of its subnets, and the sums over them. */
export function availabilityOf(subnets: readonly CountedSubnet[]): Resource {
  return {
    subnet_ip_availability: subnets.map((subnet) => {
      const { subnet_id, subnet_name, ip_version, cidr } = subnet;
      return { subnet_id, subnet_name, ip_version, cidr, ...countsOf([subnet]) };
    }),
    ...countsOf(subnets),
  };
}
