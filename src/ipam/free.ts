/**
 * Finding addresses that are free when nearly all are taken. The pools are cut into blocks; counting what a block holds is a
 * quick walk over the index, and only a block that has room is looked at closely. The blocks are taken in turn from a random one
 * on, so that concurrent callers seldom look at the same: the fuller the pools, the more blocks, but of those only a few.
 */
import type { Transaction } from '#src/lib/database.ts';
import { formatIp, type Ip } from '#src/lib/net/mod.ts';
import { type AllocationPool, type IpamSubnet, storedIp } from './subnet.ts';

const BLOCK = 1024n;
/** Blocks that one statement counts at most. */
const BATCH = 256;

/** A pool's addresses as numbers. */
interface PoolRange {
  readonly version: Ip['version'];
  readonly first: bigint;
  readonly size: bigint;
}

export function poolRanges(pools: readonly AllocationPool[]): readonly PoolRange[] {
  return pools.map((pool) => {
    const { version, value: first } = storedIp(pool.start);
    return { version, first, size: storedIp(pool.end).value - first + 1n };
  });
}

/** A block of a pool, as it is sent. */
interface Block {
  readonly first: string;
  readonly last: string;
  readonly size: number;
}

/** The blocks of all pools in turn, `from` being the number of the first; an iterator, because IPv6 has more than can be kept. */
function* blocksFrom(ranges: readonly PoolRange[], from: bigint): Generator<Block> {
  const counts = ranges.map(({ size }) => (size + BLOCK - 1n) / BLOCK);
  const total = counts.reduce((sum, count) => sum + count, 0n);
  for (let n = 0n; n < total; n++) {
    let place = (from + n) % total;
    const at = counts.findIndex((count) => {
      if (place < count) return true;
      place -= count;
      return false;
    });
    const { version, first, size } = ranges[at]!;
    const start = place * BLOCK;
    const end = start + BLOCK < size ? start + BLOCK : size;
    const text = (offset: bigint) => formatIp({ version, value: first + offset });
    yield { first: text(start), last: text(end - 1n), size: Number(end - start) };
  }
}

function nextBatch(blocks: Iterator<Block, void>): readonly Block[] {
  const batch: Block[] = [];
  while (batch.length < BATCH) {
    const next = blocks.next();
    if (next.done === true) break;
    batch.push(next.value);
  }
  return batch;
}

/** Ends of a gap: the addresses before and after it that are taken, if the block has them. */
interface Gap {
  readonly before: string | null;
  readonly after: string | null;
  readonly first: string;
  readonly last: string;
}

const GAPS = `
  with block as (
    select b.first, b.last from json_to_recordset($2::json) as b (first inet, last inet, size bigint)
    where b.size > (
      select count(*) from ip_allocations a
      where a.subnet_id = $1::uuid and a.ip_address between b.first and b.last)
    limit $3::bigint)
  select host(gap.before) as before, host(gap.after) as after, host(block.first) as first, host(block.last) as last
  from block cross join lateral (
    (select null::inet as before, (
      select min(a.ip_address) from ip_allocations a
      where a.subnet_id = $1::uuid and a.ip_address between block.first and block.last) as after)
    union all
    (select ip, next from (
      select a.ip_address as ip, lead(a.ip_address) over (order by a.ip_address) as next from ip_allocations a
      where a.subnet_id = $1::uuid and a.ip_address between block.first and block.last) taken
      where ip < block.last and next is distinct from ip + 1)) gap`;

function* addressesIn({ before, after, first, last }: Gap): Generator<string> {
  const { version } = storedIp(first);
  const start = before === null ? storedIp(first).value : storedIp(before).value + 1n;
  const end = after === null ? storedIp(last).value : storedIp(after).value - 1n;
  for (let value = start; value <= end; value++) yield formatIp({ version, value });
}

/**
 * Up to `count` addresses of the subnet's pools that no committed allocation has, nor one of this transaction; none where all
 * are taken. `lowest`: the first of them, else any.
 */
export async function freeAddresses(
  tx: Transaction,
  subnet: Pick<IpamSubnet, 'id' | 'allocation_pools'>,
  count: number,
  lowest: boolean,
): Promise<readonly string[]> {
  const ranges = poolRanges(subnet.allocation_pools);
  const total = ranges.reduce((sum, { size }) => sum + (size + BLOCK - 1n) / BLOCK, 0n);
  const from = lowest ? 0n : BigInt(Math.floor(Math.random() * Number(total < 2n ** 48n ? total : 2n ** 48n)));
  const blocks = blocksFrom(ranges, from);
  const found: string[] = [];
  for (;;) {
    const batch = nextBatch(blocks);
    if (batch.length === 0) return found;
    const gaps = await tx.unsafe<(Gap & Record<string, unknown>)[]>(
      GAPS,
      [subnet.id, batch as never, count - found.length],
      { prepare: true },
    );
    for (const gap of gaps) {
      for (const address of addressesIn(gap)) {
        found.push(address);
        if (found.length === count) return found;
      }
    }
  }
}
