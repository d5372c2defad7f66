/** A project's relatives: `parents_as_ids`, `subtree_as_list` and the like. */
import type { Queryable } from '#src/lib/database.ts';
import type { ProjectRow } from './entities.ts';

/** Ids nested as the tree is; null where it ends. */
interface IdTree {
  readonly [id: string]: IdTree | null;
}

export interface ProjectTree {
  readonly ids: Readonly<Record<string, IdTree | null>>;
  readonly lists: Readonly<Record<string, readonly ProjectRow[]>>;
}

/** What was asked for of the parents and the subtree. */
export async function projectTree(
  sql: Queryable,
  project: ProjectRow,
  asked: (name: string) => boolean,
): Promise<ProjectTree> {
  const ids: Record<string, IdTree | null> = {};
  const lists: Record<string, readonly ProjectRow[]> = {};
  if (asked('parents_as_ids') || asked('parents_as_list')) {
    const parents = await sql<ProjectRow[]>`
      with recursive above as (
        select p.*, 1 as depth from identity_projects p where p.id = ${project.parent_id}
        union all
        select p.*, a.depth + 1 from identity_projects p join above a on p.id = a.parent_id
      )
      select * from above order by depth`;
    if (asked('parents_as_list')) lists['parents'] = parents.filter((parent) => !parent.is_domain);
    else ids['parents'] = parents.reduceRight<IdTree | null>((inner, parent) => ({ [parent.id]: inner }), null);
  }
  if (asked('subtree_as_ids') || asked('subtree_as_list')) {
    const below = await sql<ProjectRow[]>`
      with recursive below as (
        select p.* from identity_projects p where p.parent_id = ${project.id}
        union all
        select p.* from identity_projects p join below b on p.parent_id = b.id
      )
      select * from below`;
    if (asked('subtree_as_list')) lists['subtree'] = below;
    else ids['subtree'] = subtreeOf(project.id, below);
  }
  return { ids, lists };
}

function subtreeOf(id: string, rows: readonly ProjectRow[]): IdTree | null {
  const children = rows.filter((row) => row.parent_id === id);
  if (children.length === 0) return null;
  return Object.fromEntries(children.map((child) => [child.id, subtreeOf(child.id, rows)]));
}
