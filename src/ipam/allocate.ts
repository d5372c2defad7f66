/**
 * Allocation: an address is taken by inserting its row, in the transaction that writes the port; the primary key (subnet,
 * address) decides races. Nothing counts or scans what is in use, until a subnet is nearly full:
 *
 *   1. All ports of a request, all their addresses: one multi-row insert. Where any address will do, one is picked at
 *      random from the pools, so that concurrent callers seldom meet.
 *   2. For those that were taken, several random addresses of every subnet that will do are tried in one statement.
 *   3. What is left is looked for block by block (`free.ts`), subnet after subnet.
 *
 * An insert that meets another transaction's waits for its end: so the last free address goes to one caller, and to
 * the other only if the first rolls back. A loss means that somebody else won, so the search ends.
 * Rows go in sorted, so that requests for many addresses wait for each other in one direction.
 */
import type { Transaction } from '#src/lib/database.ts';
import { formatIp } from '#src/lib/net/mod.ts';
import { IpAddressAlreadyAllocated, IpAddressGenerationFailure } from './errors.ts';
import { freeAddresses, poolRanges } from './free.ts';
import type { AddressNeed, FixedIp } from './plan.ts';
import type { AllocationPool } from './subnet.ts';

/** An address for a port, at its place in `fixed_ips`. */
export interface Want {
  readonly port_id: string;
  readonly network_id: string;
  readonly position: number;
  readonly need: AddressNeed;
}

/** A want that any address of its subnets satisfies. */
interface AnyWant extends Want {
  readonly need: Extract<AddressNeed, { readonly kind: 'any' }>;
}

/** An address to be taken. */
export interface AllocationRow extends FixedIp {
  readonly port_id: string;
  readonly position: number;
}

/** Which want it is. */
export type Place = Pick<Want, 'port_id' | 'position'>;

/** Random addresses that are tried in each subnet; pools that have no more than these are tried as a whole. */
const PROBES = 16;
/** Free addresses that are looked for beside the one that is needed, so that concurrent callers pick different ones. */
const SPREAD = 15;

/**
 * Allocates all wants or throws: IpAddressAlreadyAllocated for a named address, IpAddressGenerationFailure for any. Answers
 * whether the first statement did it all, so that what was sent right behind it has seen all addresses. `insert`: the first
 * statement, where it writes something else, too; it is sent even if nothing is wanted.
 */
export async function allocate(
  tx: Transaction,
  wants: readonly Want[],
  insert = (rows: readonly AllocationRow[]) => insertAllocations(tx, rows),
): Promise<boolean> {
  const taken = new Set<string>();
  const rows = wants.map((want) => firstChoice(want, taken));
  const missing = without(wants, await insert(rows.filter((row) => row !== undefined)));
  if (missing.length === 0) return true;
  await search(tx, missing.map(isAny));
  return false;
}

/** Gives addresses back. */
export async function release(tx: Transaction, port_id: string, fixedIps: readonly FixedIp[]): Promise<void> {
  if (fixedIps.length === 0) return;
  await tx`
    delete from ip_allocations a using jsonb_to_recordset(${tx.json(fixedIps as never)}) as r (subnet_id uuid, ip_address inet)
    where a.port_id = ${port_id} and a.subnet_id = r.subnet_id and a.ip_address = r.ip_address`;
}

const keyOf = ({ port_id, position }: Place): string => `${port_id} ${position}`;

function without<Item extends Place>(items: readonly Item[], done: readonly Place[]): readonly Item[] {
  const keys = new Set(done.map(keyOf));
  return items.filter((item) => !keys.has(keyOf(item)));
}

/** A named address that was not to be had is not looked for elsewhere. */
function isAny(want: Want): AnyWant {
  const { need } = want;
  if (need.kind === 'exact') throw new IpAddressAlreadyAllocated(need.ip_address, need.subnet_id);
  return { ...want, need };
}

/** What to try first, different for each want; undefined where it must be looked for, or the pools are empty. */
function firstChoice({ port_id, position, need }: Want, taken: Set<string>): AllocationRow | undefined {
  if (need.kind === 'exact') {
    return { port_id, position, subnet_id: need.subnet_id, ip_address: need.ip_address };
  }
  const subnet = need.subnets.find(({ allocation_pools }) => allocation_pools.length > 0);
  if (subnet === undefined || need.lowest) return undefined;
  for (let probe = 0; probe < PROBES; probe++) {
    const ip_address = randomAddress(subnet.allocation_pools);
    const key = `${subnet.id} ${ip_address}`;
    if (ip_address === undefined || taken.has(key)) continue;
    taken.add(key);
    return { port_id, position, subnet_id: subnet.id, ip_address };
  }
  return undefined;
}

/** Finds addresses for all of these, or throws. */
async function search(tx: Transaction, wants: readonly AnyWant[]): Promise<void> {
  let missing = without(wants, await insertFirstFree(tx, wants.flatMap(probesOf)));
  const full = new Set<string>();
  while (missing.length > 0) {
    const bySubnet = Map.groupBy(missing, (want) => {
      const subnet = want.need.subnets.find(({ id }) => !full.has(id));
      if (subnet === undefined) throw new IpAddressGenerationFailure(want.network_id);
      return subnet;
    });
    const rows: AllocationRow[] = [];
    for (const [subnet, group] of bySubnet) {
      const lowest = group.some(({ need }) => need.lowest);
      const spread = lowest ? 0 : SPREAD;
      const free = await freeAddresses(tx, subnet, group.length + spread, lowest);
      if (free.length === 0) full.add(subnet.id);
      const picked = lowest ? free : shuffled(free);
      for (const [at, { port_id, position }] of group.entries()) {
        const ip_address = picked[at];
        if (ip_address !== undefined) rows.push({ port_id, position, subnet_id: subnet.id, ip_address });
      }
    }
    missing = without(missing, await insertAllocations(tx, rows));
  }
}

/** Addresses to try for a want, in the order of its subnets. */
function probesOf({ port_id, position, need }: AnyWant): readonly Probe[] {
  if (need.lowest) return [];
  return need.subnets
    .flatMap(({ id, allocation_pools }) =>
      probes(allocation_pools).map((ip_address) => ({ subnet_id: id, ip_address })),
    )
    .map((fixed, rank) => ({ port_id, position, rank, ...fixed }));
}

function probes(pools: readonly AllocationPool[]): readonly string[] {
  const ranges = poolRanges(pools);
  const size = ranges.reduce((sum, range) => sum + range.size, 0n);
  if (size > BigInt(PROBES)) {
    return Array.from({ length: PROBES }, () => randomAddress(pools)).filter((address) => address !== undefined);
  }
  const all = ranges.flatMap(({ version, first, size }) =>
    Array.from({ length: Number(size) }, (_, n) => formatIp({ version, value: first + BigInt(n) })),
  );
  return shuffled(all);
}

/** An address of the pools, each equally likely (of huge IPv6 pools: of the first 2^48). */
function randomAddress(pools: readonly AllocationPool[]): string | undefined {
  const ranges = poolRanges(pools).map((range) => ({ ...range, size: Math.min(Number(range.size), 2 ** 48) }));
  let place = Math.floor(Math.random() * ranges.reduce((sum, { size }) => sum + size, 0));
  for (const { version, first, size } of ranges) {
    if (place < size) return formatIp({ version, value: first + BigInt(place) });
    place -= size;
  }
  return undefined;
}

/** The same in a random order (Fisher and Yates). */
function shuffled(texts: readonly string[]): readonly string[] {
  const mixed = [...texts];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

/** Inserts those records of a JSON parameter whose addresses nobody has, and answers which those are. */
export const insertFree = (parameter: string): string => `
  insert into ip_allocations (subnet_id, ip_address, port_id, position)
  select subnet_id, ip_address, port_id, position
  from json_to_recordset(${parameter}::json) as r (subnet_id uuid, ip_address inet, port_id uuid, position smallint)
  order by subnet_id, ip_address
  on conflict (subnet_id, ip_address) do nothing
  returning port_id, position`;

const INSERT_FREE = insertFree('$1');

async function insertAllocations(tx: Transaction, rows: readonly AllocationRow[]): Promise<readonly Place[]> {
  if (rows.length === 0) return [];
  return await tx.unsafe<(Place & Record<string, unknown>)[]>(INSERT_FREE, [rows as never], { prepare: true });
}

interface Probe extends AllocationRow {
  readonly rank: number;
}

/** Inserts for each place the first of its probes that is free; which places got one. */
async function insertFirstFree(tx: Transaction, rows: readonly Probe[]): Promise<readonly Place[]> {
  if (rows.length === 0) return [];
  // A scalar sub-select and no `not exists`: it is never turned into a join over the whole table.
  return await tx.unsafe<(Place & Record<string, unknown>)[]>(
    `with free as (
       select distinct on (port_id, position) subnet_id, ip_address, port_id, position
       from json_to_recordset($1::json)
         as r (port_id uuid, position smallint, rank int, subnet_id uuid, ip_address inet)
       where (select true from ip_allocations a where a.subnet_id = r.subnet_id and a.ip_address = r.ip_address) is null
       order by port_id, position, rank)
     insert into ip_allocations (subnet_id, ip_address, port_id, position)
     select subnet_id, ip_address, port_id, position from free order by subnet_id, ip_address
     on conflict (subnet_id, ip_address) do nothing
     returning port_id, position`,
    [rows as never],
    { prepare: true },
  );
}
