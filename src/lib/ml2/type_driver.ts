/**
 * The contract of type drivers (neutron_lib.plugins.ml2.api.TypeDriver): which segments a network type has and how big a
 * packet they carry. A segment is reserved by inserting its row; the unique index on the table arbitrates, so a driver
 * only says what to try: the one segment that was asked for, or where to look for a free one.
 */
import type { NeutronError } from '../errors.ts';
import type { SegmentChoice, SegmentRequest } from './segment.ts';

/** Ids to choose from, both ends included, on one physical network (or none). */
export interface SegmentRange {
  readonly physical_network: string | null;
  readonly first: number;
  readonly last: number;
}

/** What may be reserved for a request. */
export type SegmentCandidates =
  /** Exactly this one. */
  | { readonly kind: 'exact'; readonly segment: SegmentChoice }
  /** Any free id of the ranges. */
  | { readonly kind: 'ranges'; readonly network_type: string; readonly ranges: readonly SegmentRange[] };

export interface TypeDriver {
  /** `vlan`: the value of provider:network_type. */
  readonly type: string;
  /** Checks a segment that an administrator asked for (throws InvalidInput) and says what may be reserved. */
  providerCandidates(request: SegmentRequest): SegmentCandidates;
  /** What a network may get for which nobody named a segment. */
  tenantCandidates(): SegmentCandidates;
  /** The error for a segment that another network has. */
  inUse(segment: SegmentChoice): NeutronError;
  /** The largest MTU of the segment; null where there is no limit, 0 where it is unknown. */
  mtu(physicalNetwork: string | null): number | null;
}
