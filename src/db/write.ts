/**
 * Writes whose text does not depend on values or on the number of rows, so that prepared plans are used again: rows travel as
 * one JSON parameter. Table and column names are ours, never a caller's.
 */
import type { Transaction } from '#src/lib/database.ts';

/** Columns to write, with their SQL types: `{name: 'text', mtu: 'integer'}`. */
export type ColumnTypes = Readonly<Record<string, string>>;

const list = (columns: ColumnTypes, alias = ''): string =>
  Object.keys(columns)
    .map((name) => `${alias}"${name}"`)
    .join(', ');
const typed = (columns: ColumnTypes): string =>
  Object.entries(columns)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', ');

/** Inserts all rows in one statement; every row has all the columns. */
export async function insertRows(
  tx: Transaction,
  table: string,
  columns: ColumnTypes,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (rows.length === 0) return;
  const text = `insert into ${table} (${list(columns)}) select ${list(columns, 'r.')} from json_to_recordset($1::json) as r (${typed(columns)})`;
  await tx.unsafe(text, [rows as never], { prepare: true });
}

/** Changes columns of one row that has standard attributes: its revision grows by one, and it is updated now. */
export async function reviseRow(
  tx: Transaction,
  table: string,
  id: string,
  columns: ColumnTypes,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const named: ColumnTypes = Object.fromEntries(
    Object.entries(columns).filter(([name]) => Object.hasOwn(values, name)),
  );
  const sets = Object.keys(named).map((name) => `"${name}" = r."${name}"`);
  sets.push('revision_number = t.revision_number + 1', 'updated_at = now()');
  const from = Object.keys(named).length === 0 ? '' : ` from json_to_record($2::json) as r (${typed(named)})`;
  const text = `update ${table} t set ${sets.join(', ')}${from} where t.id = $1::uuid`;
  await tx.unsafe(text, from === '' ? [id] : [id, values as never], { prepare: true });
}

/** Bumps the revisions of rows that something of theirs has changed elsewhere. */
export async function bumpRevisions(tx: Transaction, table: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const set = `update ${table} t set revision_number = t.revision_number + 1, updated_at = now()`;
  if (ids.length === 1) {
    await tx.unsafe(`${set} where t.id = $1::uuid`, [ids[0]!], { prepare: true });
    return;
  }
  // Locked in order, so that two such updates cannot wait for each other.
  const locked = `select id from ${table} where id = any($1::uuid[]) order by id for no key update`;
  await tx.unsafe(`${set} from (${locked}) locked where t.id = locked.id`, [ids as never], { prepare: true });
}

/** Locks a row of the table until the transaction ends; what is read by later statements is then true to its end. */
export async function lockRow(
  tx: Transaction,
  table: string,
  id: string,
  mode: 'no key update' | 'update',
): Promise<void> {
  await tx.unsafe(`select 1 from ${table} where id = $1::uuid for ${mode}`, [id], { prepare: true });
}
