/** Shares of all types: one reading over their tables, and their writes. Names of tables are the plugins', never a caller's. */
import { type AttributeSql, insertRows, type TableSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';
import { RbacPolicyNotFound } from './errors.ts';

const owner: AttributeSql = { select: 'r.project_id' };

/** All shares as one table; a condition on it reaches the index of each table that it is made of. */
export function shareReading(types: Iterable<RbacObjectType>): TableSql {
  const parts = Array.from(
    types,
    ({ type, table, column }) =>
      `select id, project_id, '${type}'::text as object_type, ${column} as object_id, action::text, target_project from ${table}`,
  );
  return {
    from: `(${parts.join(' union all ')}) r`,
    key: 'r.id',
    attributes: {
      id: { select: 'r.id', type: 'uuid' },
      tenant_id: owner,
      project_id: owner,
      object_type: { select: 'r.object_type' },
      object_id: { select: 'r.object_id', type: 'uuid' },
      action: { select: 'r.action' },
      target_tenant: { select: 'r.target_project' },
    },
    notFound: (id) => new RbacPolicyNotFound(id),
  };
}

/** A share to be written. */
export interface NewShare {
  readonly id: string;
  readonly project_id: string;
  readonly object_id: string;
  readonly action: string;
  readonly target_project: string;
}

export async function insertShares(
  tx: Transaction,
  { table, column }: RbacObjectType,
  shares: readonly NewShare[],
): Promise<void> {
  const columns = { id: 'uuid', project_id: 'text', [column]: 'uuid', action: 'text', target_project: 'text' };
  await insertRows(
    tx,
    table,
    columns,
    shares.map((share) => ({ ...share, [column]: share.object_id })),
  );
}

/** The owners of those of the objects that there are. */
export async function ownersOf(
  sql: Queryable,
  { objects }: RbacObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.unsafe<{ id: string; project_id: string }[]>(
    `select id, project_id from ${objects} where id = any($1::uuid[])`,
    // Callers may write a UUID in ways that PostgreSQL does not read; no object is called so.
    [ids.filter(isUuid) as never],
    { prepare: true },
  );
  return new Map(rows.map(({ id, project_id }) => [id, project_id]));
}

/** Gives the share to another target; false: it is gone. */
export async function retarget(
  tx: Transaction,
  { table }: RbacObjectType,
  id: string,
  target: string,
): Promise<boolean> {
  const rows = await tx.unsafe(
    `update ${table} set target_project = $2 where id = $1::uuid returning id`,
    [id, target],
    {
      prepare: true,
    },
  );
  return rows.length > 0;
}

/** Takes the share back; answers the target that it had, undefined: it is gone. */
export async function removeShare(tx: Transaction, { table }: RbacObjectType, id: string): Promise<string | undefined> {
  const [row] = await tx.unsafe<{ target_project: string }[]>(
    `delete from ${table} where id = $1::uuid returning target_project`,
    [id],
    { prepare: true },
  );
  return row?.target_project;
}
