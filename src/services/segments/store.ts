/** SQL of segments beside their reading. A segment's network is locked first: it is the lock of all its segments. */
import type { Transaction } from '#src/lib/database.ts';

/**
 * Locks the networks in order; the least free place for a segment by network, for those there are. Two statements: the second
 * sees what others committed while the first waited.
 */
export async function lockNetworks(
  tx: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly mtu: number; readonly next: number }>> {
  const [, rows] = await Promise.all([
    tx.unsafe('select id from networks where id = any($1::uuid[]) order by id for no key update', [ids as never], {
      prepare: true,
    }),
    tx.unsafe<{ id: string; mtu: number; next: number }[]>(
      `select n.id, n.mtu, coalesce(max(g.segment_index) + 1, 0) as next
       from networks n left join network_segments g on g.network_id = n.id
       where n.id = any($1::uuid[]) group by n.id`,
      [ids as never],
      { prepare: true },
    ),
  ]);
  return new Map(rows.map(({ id, ...network }) => [id, network]));
}

/** Locks the network of a segment. */
export async function lockNetworkOf(tx: Transaction, segment_id: string): Promise<void> {
  await tx`
    select 1 from networks where id = (select network_id from network_segments where id = ${segment_id})
    for no key update`;
}

/** Gives new segments what their reservation does not. */
export async function describeSegments(
  tx: Transaction,
  rows: readonly { readonly id: string; readonly name: unknown; readonly description: unknown }[],
): Promise<void> {
  await tx`
    update network_segments g set name = r.name, description = r.description, revision_number = 1
    from jsonb_to_recordset(${tx.json(rows as never)}) as r (id uuid, name text, description text) where g.id = r.id`;
}

/** What keeps the segment (locked) from being deleted: `the subnets <id>, <id>`. */
export async function usersOf(tx: Transaction, segment_id: string): Promise<readonly string[]> {
  const rows = await tx<{ kind: string; ids: readonly string[] }[]>`
    select 'subnets' as kind, array_agg(id order by id) as ids from subnets where segment_id = ${segment_id} having count(*) > 0
    union all
    select 'bound ports', array_agg(distinct port_id) from port_binding_levels where segment_id = ${segment_id} having count(*) > 0`;
  return rows.map(({ kind, ids }) => `the ${kind} ${ids.join(', ')}`);
}

export async function deleteSegment(tx: Transaction, segment_id: string): Promise<void> {
  await tx`delete from network_segments where id = ${segment_id}`;
}
