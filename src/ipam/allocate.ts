/**
 * Allocation: an address is taken by inserting its row, in the transaction that writes the port; the primary key (subnet,
 * address) decides races. Nothing counts or scans what is in use:
 *
 *   1. All ports of a request, all their addresses: one multi-row insert. Where any address will do, one is picked at
 *      random from the pools, so that concurrent callers seldom meet.
 *   2. What was taken is tried again with several random addresses in one statement, then by walking the index from
 *      pool's start to the first gap (only then is the pool nearly full, and the walk ends at the gap).
 *
 * An insert that meets another transaction's waits for its end: so the last free address goes to one caller, and to
 * the other only if the first rolls back. A loss means that somebody else won, so the search ends.
 * Rows go in sorted, so that requests for many addresses wait for each other in one direction.
 */
import type { Transaction } from '#src/lib/database.ts';
import { formatIp } from '#src/lib/net/mod.ts';
import { IpAddressAlreadyAllocated, IpAddressGenerationFailure } from './errors.ts';
import type { AddressNeed, FixedIp } from './plan.ts';
import { type AllocationPool, type IpamSubnet, storedIp } from './subnet.ts';

/** An address for a port, at its place in `fixed_ips`. */
export interface Want {
  readonly port_id: string;
  readonly network_id: string;
  readonly position: number;
  readonly need: AddressNeed;
}

interface AllocationRow extends FixedIp {
  readonly port_id: string;
  readonly position: number;
}

const PROBES = 8;

/**
 * Allocates all wants or throws: IpAddressAlreadyAllocated for a named address, IpAddressGenerationFailure for any. Answers
 * whether the first statement did it all, so that what was sent right behind it has seen all addresses.
 */
export async function allocate(tx: Transaction, wants: readonly Want[]): Promise<boolean> {
  if (wants.length === 0) return true;
  const taken = new Set<string>();
  const rows = wants.map((want) => firstChoice(want, taken));
  const chosen = rows.filter((row) => row !== undefined);
  const inserted = chosen.length === 0 ? [] : await insertAllocations(tx, chosen);
  if (inserted.length === wants.length) return true;
  const done = new Set(inserted.map((row) => `${row.port_id} ${row.position}`));
  for (const want of wants) {
    if (!done.has(`${want.port_id} ${want.position}`)) await search(tx, want);
  }
  return false;
}

/** Gives addresses back. */
export async function release(tx: Transaction, port_id: string, fixedIps: readonly FixedIp[]): Promise<void> {
  if (fixedIps.length === 0) return;
  await tx`
    delete from ip_allocations a using jsonb_to_recordset(${tx.json(fixedIps as never)}) as r (subnet_id uuid, ip_address inet)
    where a.port_id = ${port_id} and a.subnet_id = r.subnet_id and a.ip_address = r.ip_address`;
}

async function search(tx: Transaction, want: Want): Promise<void> {
  const { need } = want;
  if (need.kind === 'exact') throw new IpAddressAlreadyAllocated(need.ip_address, need.subnet_id);
  for (const subnet of need.subnets) {
    const probes = Array.from({ length: PROBES }, () => randomAddress(subnet.allocation_pools)).filter(
      (address) => address !== undefined,
    );
    if (probes.length > 0 && (await insertFirstFree(tx, want, subnet.id, probes))) return;
    for (;;) {
      const ip_address = await firstGap(tx, subnet);
      if (ip_address === undefined) break;
      const row = { port_id: want.port_id, position: want.position, subnet_id: subnet.id, ip_address };
      if ((await insertAllocations(tx, [row])).length === 1) return;
    }
  }
  throw new IpAddressGenerationFailure(want.network_id);
}

/** What to try first, different for each want; undefined where the pools are empty. */
function firstChoice({ port_id, position, need }: Want, taken: Set<string>): AllocationRow | undefined {
  if (need.kind === 'exact') {
    return { port_id, position, subnet_id: need.subnet_id, ip_address: need.ip_address };
  }
  const subnet = need.subnets.find(({ allocation_pools }) => allocation_pools.length > 0);
  if (subnet === undefined) return undefined;
  for (let probe = 0; probe < PROBES; probe++) {
    const ip_address = randomAddress(subnet.allocation_pools);
    const key = `${subnet.id} ${ip_address}`;
    if (ip_address === undefined || taken.has(key)) continue;
    taken.add(key);
    return { port_id, position, subnet_id: subnet.id, ip_address };
  }
  return undefined;
}

/** An address of the pools, each equally likely (of huge IPv6 pools: of the first 2^48). */
function randomAddress(pools: readonly AllocationPool[]): string | undefined {
  const ranges = pools.map((pool) => {
    const start = storedIp(pool.start);
    return { start, size: Math.min(Number(storedIp(pool.end).value - start.value) + 1, 2 ** 48) };
  });
  let place = Math.floor(Math.random() * ranges.reduce((sum, { size }) => sum + size, 0));
  for (const { start, size } of ranges) {
    if (place < size) return formatIp({ version: start.version, value: start.value + BigInt(place) });
    place -= size;
  }
  return undefined;
}

async function insertAllocations(
  tx: Transaction,
  rows: readonly AllocationRow[],
): Promise<readonly { readonly port_id: string; readonly position: number }[]> {
  return await tx<{ port_id: string; position: number }[]>`
    insert into ip_allocations (subnet_id, ip_address, port_id, position)
    select subnet_id, ip_address, port_id, position
    from jsonb_to_recordset(${tx.json(rows as never)}) as r (subnet_id uuid, ip_address inet, port_id uuid, position smallint)
    order by subnet_id, ip_address
    on conflict (subnet_id, ip_address) do nothing
    returning port_id, position`;
}

async function insertFirstFree(
  tx: Transaction,
  want: Want,
  subnet_id: string,
  probes: readonly string[],
): Promise<boolean> {
  const inserted = await tx`
    insert into ip_allocations (subnet_id, ip_address, port_id, position)
    select ${subnet_id}::uuid, probe.ip, ${want.port_id}::uuid, ${want.position}::smallint
    from jsonb_array_elements_text(${tx.json(probes)}) as text (address)
    cross join lateral (select text.address::inet as ip) probe
    where not exists (
      select 1 from ip_allocations a where a.subnet_id = ${subnet_id}::uuid and a.ip_address = probe.ip)
    limit 1
    on conflict (subnet_id, ip_address) do nothing
    returning 1`;
  return inserted.length === 1;
}

/** The first address of the pools that no committed allocation has, nor one of this transaction. */
async function firstGap(tx: Transaction, subnet: IpamSubnet): Promise<string | undefined> {
  const pools = subnet.allocation_pools.map((pool, n) => ({ n, first: pool.start, last: pool.end }));
  const [gap] = await tx<{ ip_address: string }[]>`
    select host(gap.ip) as ip_address
    from jsonb_to_recordset(${tx.json(pools)}) as pool (n int, first inet, last inet)
    cross join lateral (
      (select pool.first as ip where not exists (
        select 1 from ip_allocations a where a.subnet_id = ${subnet.id}::uuid and a.ip_address = pool.first))
      union all
      (select a.ip_address + 1
        from ip_allocations a
        where a.subnet_id = ${subnet.id}::uuid and a.ip_address >= pool.first and a.ip_address < pool.last
          and not exists (
            select 1 from ip_allocations b where b.subnet_id = ${subnet.id}::uuid and b.ip_address = a.ip_address + 1)
        order by a.ip_address limit 1)
      limit 1
    ) gap
    order by pool.n
    limit 1`;
  return gap?.ip_address;
}
