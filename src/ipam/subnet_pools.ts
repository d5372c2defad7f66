/**
 * Subnet pools as new subnets draw from them (neutron.ipam.subnet_alloc). Who draws has the pool's row locked to the end of the
 * transaction, so that what is free when it looks is free when it commits: concurrent callers get disjoint prefixes, and the
 * last one goes to one of them.
 *
 * What is taken is read as the ranges that the subnets form together, however many they are.
 */
import { Parameters } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import { type Cidr, formatCidr, type IpVersion } from '#src/lib/net/mod.ts';
import {
  MaxPrefixSubnetAllocationError,
  MinPrefixSubnetAllocationError,
  SubnetAllocationError,
  SubnetPoolQuotaExceeded,
} from './errors.ts';
import { bestFit, type Range, rangesCover, subtractRanges } from './prefixes.ts';
import { storedCidr, storedIp } from './subnet.ts';
import { subnetPoolScope } from './visible.ts';

/** The prefix length that a pool's `default_quota` counts by: addresses of IPv4, networks of 64 bits of IPv6. */
const QUOTA_UNIT: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 64 };

/** A pool, locked, with what is left of it. */
export interface DrawablePool {
  readonly id: string;
  readonly ip_version: IpVersion;
  readonly min_prefixlen: number;
  readonly max_prefixlen: number;
  readonly default_prefixlen: number;
  readonly default_quota: number | null;
  readonly address_scope_id: string | null;
  /** Whether the caller may use it. */
  readonly visible: boolean;
  free: readonly Range[];
  /** Quota units that projects have of it, where there is a quota. */
  readonly used: Map<string, number>;
}

/** The default pool of the IP version, if there is one that the caller sees. */
export async function defaultPool(db: Queryable, context: Context, ip_version: IpVersion): Promise<string | undefined> {
  const parameters = new Parameters();
  const conditions = [
    'p.is_default',
    `p.ip_version = ${parameters.add(ip_version)}`,
    subnetPoolScope(context)(parameters),
  ];
  const [row] = await db.unsafe<{ id: string }[]>(
    `select p.id from subnetpools p where ${conditions.filter(Boolean).join(' and ')}`,
    parameters.values as never[],
    { prepare: true },
  );
  return row?.id;
}

const host = (address: string) => `set_masklen(${address}, case when family(${address}) = 4 then 32 else 128 end)`;
// A subnet begins a new range unless it begins right behind the one before. The first is asked for first: nothing is before it.
const TAKEN = `
  select json_agg(json_build_array(host(island.first), host(island.last))) from (
    select min(first) as first, max(last) as last from (
      select first, last, count(*) filter (where begins) over (order by first) as island from (
        select first, last, case
            when lag(last) over (order by first) is null then true
            else lag(last) over (order by first) <> first - 1 end as begins
        from (
          select ${host('s.cidr::inet')} as first, ${host('broadcast(s.cidr)')} as last
          from subnets s where s.subnetpool_id = p.id) ends) marked) numbered
    group by island) island`;
const USED = `
  select json_object_agg(units.project_id, units.used) from (
    select s.project_id, sum(power(2::float8, case p.ip_version when 4 then 32 else 64 end - masklen(s.cidr))) as used
    from subnets s where s.subnetpool_id = p.id group by s.project_id) units`;

interface PoolRow extends Omit<DrawablePool, 'free' | 'used'> {
  readonly prefixes: readonly string[];
  readonly taken: readonly (readonly [string, string])[] | null;
  readonly used: Readonly<Record<string, number>> | null;
}

/** Locks the pools in order and reads what is left of them, in statements sent at once. */
export async function lockPools(
  tx: Transaction,
  context: Context,
  named: readonly string[],
): Promise<ReadonlyMap<string, DrawablePool>> {
  const ids = named.filter(isUuid);
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const all = `p.id = any(${parameters.add(ids, 'uuid[]')})`;
  const visible = subnetPoolScope(context)(parameters) ?? 'true';
  const [, rows] = await Promise.all([
    tx.unsafe('select 1 from subnetpools where id = any($1::uuid[]) order by id for no key update', [ids as never], {
      prepare: true,
    }),
    // A statement of its own, so that it sees what the lock waited for.
    tx.unsafe<PoolRow[]>(
      `select p.id, p.ip_version, p.min_prefixlen, p.max_prefixlen, p.default_prefixlen, p.default_quota,
         p.address_scope_id, ${visible} as visible,
         array_to_json(array(select x.cidr::text from subnetpool_prefixes x where x.subnetpool_id = p.id)) as prefixes,
         (${TAKEN}) as taken, case when p.default_quota > 0 then (${USED}) end as used
       from subnetpools p where ${all}`,
      parameters.values as never[],
      { prepare: true },
    ),
  ]);
  return new Map(rows.map((row) => [row.id, drawable(row)]));
}

function drawable({ prefixes, taken, used, ...pool }: PoolRow): DrawablePool {
  const ranges = (taken ?? []).map(([first, last]) => ({ first: storedIp(first).value, last: storedIp(last).value }));
  return {
    ...pool,
    free: subtractRanges(prefixes.map(storedCidr), ranges),
    used: new Map(Object.entries(used ?? {})),
  };
}

/** What a subnet wants of a pool: a network, or any of a length (the pool's default unless told). */
export interface PrefixRequest {
  readonly project_id: string;
  readonly cidr?: Cidr;
  readonly prefixlen?: number;
}

/** Takes a network out of the pool, or throws; the pool has that much less for who draws next. */
export function drawPrefix(pool: DrawablePool, request: PrefixRequest): Cidr {
  const prefixlen = request.cidr?.prefix ?? request.prefixlen ?? pool.default_prefixlen;
  if (prefixlen > pool.max_prefixlen) throw new MaxPrefixSubnetAllocationError(prefixlen, pool.max_prefixlen);
  if (prefixlen < pool.min_prefixlen) throw new MinPrefixSubnetAllocationError(prefixlen, pool.min_prefixlen);
  chargeQuota(pool, request.project_id, prefixlen);
  const cidr = request.cidr ?? bestFit(pool.ip_version, pool.free, prefixlen);
  if (cidr === undefined) {
    throw new SubnetAllocationError(`subnet pool ${pool.id} has no free prefix of length ${prefixlen}`);
  }
  if (request.cidr !== undefined && !rangesCover(pool.free, [cidr])) {
    throw new SubnetAllocationError(`${formatCidr(cidr)} is not among the free prefixes of subnet pool ${pool.id}`);
  }
  pool.free = subtractRanges(pool.free, [cidr]);
  return cidr;
}

/** A quota of 0 is none, as in the reference implementation. */
function chargeQuota(pool: DrawablePool, project_id: string, prefixlen: number): void {
  const { default_quota } = pool;
  if (default_quota === null || default_quota === 0) return;
  const used = (pool.used.get(project_id) ?? 0) + 2 ** (QUOTA_UNIT[pool.ip_version] - prefixlen);
  if (used > default_quota) throw new SubnetPoolQuotaExceeded(pool.id, default_quota);
  pool.used.set(project_id, used);
}
