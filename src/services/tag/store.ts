/**
 * Tags in the rows that carry them. A change is one statement that locks the row and works on what it finds then, so that
 * changes at once neither lose each other's tags nor count a revision for nothing.
 */
import type { Transaction } from '#src/lib/database.ts';

/** How the tags that are there (`b.tags`) and those named (`$2`) make the new ones; each once, ordered by code points. */
const CHANGES = {
  add: 'array(select distinct u.tag collate "C" as tag from unnest(b.tags || $2::text[]) u (tag) order by tag)',
  replace: 'array(select distinct u.tag collate "C" as tag from unnest($2::text[]) u (tag) order by tag)',
  remove:
    'array(select u.tag from unnest(b.tags) with ordinality u (tag, place) where u.tag <> all($2::text[]) order by place)',
} as const;

export type TagChange = keyof typeof CHANGES;

/** What a row's tags were and are. */
export interface ChangedTags {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly changed: boolean;
  /** The revision that was found. */
  readonly revision: number;
}

/** Changes the tags of a row, whose revision grows if they differ then; undefined: there is no such row. */
export async function changeTags(
  tx: Transaction,
  table: string,
  id: string,
  change: TagChange,
  tags: readonly string[],
): Promise<ChangedTags | undefined> {
  const text = `
    with b as (select id, tags, revision_number from ${table} where id = $1::uuid for no key update),
      a as (select b.id, b.tags, b.revision_number, ${CHANGES[change]} as wanted from b),
      changed as (
        update ${table} t set tags = a.wanted, revision_number = t.revision_number + 1, updated_at = now()
        from a where t.id = a.id and a.wanted <> a.tags)
    select tags as before, wanted as after, wanted <> tags as changed, revision_number as revision from a`;
  const [row] = await tx.unsafe<ChangedTags[]>(text, [id, tags as never], { prepare: true });
  return row;
}
