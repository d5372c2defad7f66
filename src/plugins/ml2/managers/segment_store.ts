/** SQL of segment reservation; the index `network_segments_reservation` is the arbiter. */
import type { Transaction } from '#src/lib/database.ts';
import type { Segment, SegmentChoice } from '#src/lib/ml2/segment.ts';
import type { SegmentRange } from '#src/lib/ml2/type_driver.ts';

export type SegmentRow = Segment & {
  readonly network_id: string;
  readonly segment_index: number;
  /** Made for ports below a level of a binding; false unless told. */
  readonly is_dynamic?: boolean;
};

/** Inserts the segments that nobody has; the others are missing from the answer. */
export async function insertSegments(tx: Transaction, rows: readonly SegmentRow[]): Promise<readonly SegmentRow[]> {
  if (rows.length === 0) return [];
  // bigint comes as text; ids fit a double.
  const inserted = await tx<(Omit<SegmentRow, 'segmentation_id'> & { segmentation_id: string | null })[]>`
    insert into network_segments
      (id, network_id, segment_index, network_type, physical_network, segmentation_id, is_dynamic)
    select id, network_id, segment_index, network_type, physical_network, segmentation_id, coalesce(is_dynamic, false)
    from jsonb_to_recordset(${tx.json(rows as never)}) as r
      (id uuid, network_id uuid, segment_index int, network_type text, physical_network text, segmentation_id bigint,
       is_dynamic boolean)
    order by network_type, physical_network, segmentation_id
    on conflict do nothing
    returning id, network_id, segment_index, network_type, physical_network, segmentation_id`;
  return inserted.map((row) => ({
    ...row,
    segmentation_id: row.segmentation_id === null ? null : Number(row.segmentation_id),
  }));
}

/** A segment of the ranges that no network has now; undefined when there is none. */
export async function freeSegment(
  tx: Transaction,
  network_type: string,
  ranges: readonly SegmentRange[],
): Promise<SegmentChoice | undefined> {
  const [free] = await tx<{ physical_network: string | null; segmentation_id: string }[]>`
    select r.physical_network, gap.id as segmentation_id
    from jsonb_to_recordset(${tx.json(ranges as never)}) as r (physical_network text, first bigint, last bigint)
    cross join lateral (
      (select r.first as id where not exists (
        select 1 from network_segments s
        where s.network_type = ${network_type} and s.network_type <> 'local'
          and coalesce(s.physical_network, '') = coalesce(r.physical_network, '')
          and coalesce(s.segmentation_id, 0) = r.first))
      union all
      (select coalesce(s.segmentation_id, 0) + 1
        from network_segments s
        where s.network_type = ${network_type} and s.network_type <> 'local'
          and coalesce(s.physical_network, '') = coalesce(r.physical_network, '')
          and coalesce(s.segmentation_id, 0) >= r.first and coalesce(s.segmentation_id, 0) < r.last
          and not exists (
            select 1 from network_segments t
            where t.network_type = ${network_type} and t.network_type <> 'local'
              and coalesce(t.physical_network, '') = coalesce(r.physical_network, '')
              and coalesce(t.segmentation_id, 0) = coalesce(s.segmentation_id, 0) + 1)
        order by coalesce(s.segmentation_id, 0) limit 1)
      limit 1
    ) gap
    limit 1`;
  return free && { network_type, ...free, segmentation_id: Number(free.segmentation_id) };
}
