/**
 * Sets of addresses as lists of networks: what subnet pools do with their prefixes (netaddr.IPSet in the reference
 * implementation). A set is kept as disjoint ranges in order, and read back as the fewest networks that make it up.
 */
import { BITS, type Cidr, cidrOf } from '#src/lib/net/mod.ts';

/** Addresses from `first` to `last`, both included. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** The fewest ranges that hold the same addresses, in order. */
export function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: { first: bigint; last: bigint }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last + 1n) merged.push({ first, last });
    else if (last > before.last) before.last = last;
  }
  return merged;
}

/** What of `ranges` is not in `removed`, in order. */
export function subtractRanges(ranges: readonly Range[], removed: readonly Range[]): readonly Range[] {
  const holes = mergeRanges(removed);
  const left: Range[] = [];
  let at = 0;
  for (const { first, last } of mergeRanges(ranges)) {
    while (at < holes.length && holes[at]!.last < first) at++;
    let start = first;
    // A hole may reach into the next range, so `at` stays with it.
    for (let next = at; next < holes.length && holes[next]!.first <= last; next++) {
      const hole = holes[next]!;
      if (hole.first > start) left.push({ first: start, last: hole.first - 1n });
      start = hole.last + 1n;
      at = next;
    }
    if (start <= last) left.push({ first: start, last });
  }
  return left;
}

/** Whether an address is in both. */
export function rangesMeet(some: readonly Range[], others: readonly Range[]): boolean {
  const a = mergeRanges(some);
  const b = mergeRanges(others);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i]!.last < b[j]!.first) i++;
    else if (b[j]!.last < a[i]!.first) j++;
    else return true;
  }
  return false;
}

/** Whether all addresses of `inner` are in `outer`. */
export function rangesCover(outer: readonly Range[], inner: readonly Range[]): boolean {
  return subtractRanges(inner, outer).length === 0;
}

/** The fewest networks that make up the ranges, in order. */
export function cidrsOf(version: 4 | 6, ranges: readonly Range[]): readonly Cidr[] {
  return mergeRanges(ranges).flatMap(({ first, last }) => {
    const cidrs: Cidr[] = [];
    for (let start = first; start <= last; ) {
      const cidr = largestAt(version, start, last);
      cidrs.push(cidr);
      start = cidr.last + 1n;
    }
    return cidrs;
  });
}

/** The largest network that begins at `first` and does not reach beyond `last`. */
function largestAt(version: 4 | 6, first: bigint, last: bigint): Cidr {
  let prefix: number = BITS[version];
  for (;;) {
    if (prefix === 0) return cidrOf({ version, value: first }, 0);
    const wider = cidrOf({ version, value: first }, prefix - 1);
    if (wider.first !== first || wider.last > last) return cidrOf({ version, value: first }, prefix);
    prefix--;
  }
}

/** The network of that length at the start of the smallest free network that has room for it. */
export function bestFit(version: 4 | 6, free: readonly Range[], prefixlen: number): Cidr | undefined {
  const fitting = cidrsOf(version, free).filter(({ prefix }) => prefix <= prefixlen);
  const best = fitting.reduce<Cidr | undefined>(
    (found, cidr) => (found === undefined || cidr.prefix > found.prefix ? cidr : found),
    undefined,
  );
  return best === undefined ? undefined : cidrOf({ version, value: best.first }, prefixlen);
}
