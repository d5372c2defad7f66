/**
 * Lists: one statement for any filters, sort keys and page, from a table's declaration. The statement's text depends only
 * on which attributes are named, not on values or their number, so PostgreSQL's prepared plans are used again; how many are
 * prepared is bounded (`preparable.ts`), because callers choose what is named.
 * A page that follows a marker costs one more statement (the marker's own sort values), never more.
 */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Filter, ListQuery, Sort } from '#src/lib/api/query.ts';
import type { Queryable } from '#src/lib/database.ts';
import { HttpBadRequest } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import { formatCidr, isMac, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Resource, ResourceList } from '#src/lib/plugin.ts';
import { isPreparable } from './preparable.ts';
import { Parameters } from './sql_text.ts';

/** How values of an attribute are compared; values that cannot be of the type match nothing. */
export type SqlType = 'text' | 'uuid' | 'boolean' | 'integer' | 'inet' | 'cidr' | 'macaddr';

export interface AttributeSql {
  /** The expression read for the attribute; the row's alias is the table's. */
  readonly select: string;
  /** Compared by filters; the same expression as `select` unless `filter` is given. */
  readonly type?: SqlType;
  /** Where filtering is not a comparison of `select`: gives a condition. */
  readonly filter?: (filter: Filter, parameters: Parameters) => string;
  /** The expression to sort by (never null) where it is not `select`; false for values without an order (JSON). */
  readonly sort?: string | false;
  /** Only a filter: never read. */
  readonly hidden?: boolean;
}

export interface TableSql {
  /** `ports p left join ...`; a function where reading depends on the caller (`shared` of a network). */
  readonly from: string | ((parameters: Parameters) => string);
  /** The primary key's expression, a uuid: `p.id`. */
  readonly key: string;
  readonly attributes: Readonly<Record<string, AttributeSql>>;
  /** Compared by `changed_since`. */
  readonly changed?: string;
  /** Thrown for a marker that names nothing visible. */
  readonly notFound: (id: string) => Error;
}

/** A condition that limits what the caller sees, added to every statement (ownership, sharing). */
export type Scope = (parameters: Parameters) => string | undefined;

const ARRAY: Readonly<Record<SqlType, string>> = {
  text: 'text[]',
  uuid: 'uuid[]',
  // postgres.js would send an array of booleans as one boolean.
  boolean: 'text[]::boolean[]',
  integer: 'bigint[]',
  inet: 'inet[]',
  cidr: 'cidr[]',
  macaddr: 'macaddr[]',
};

const FITS: Readonly<Record<SqlType, (value: Json) => boolean>> = {
  text: () => true,
  uuid: (value) => typeof value === 'string' && isUuid(value),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => /^-?\d{1,18}$/.test(String(value)),
  inet: (value) => typeof value === 'string' && parseIp(value) !== null,
  cidr: (value) => typeof value === 'string' && parseCidr(value) !== null,
  macaddr: (value) => typeof value === 'string' && isMac(value),
};

/** `expression = any(values)`, or `false` when no value can match; null among the values also finds null. */
export function anyOf(expression: string, type: SqlType, values: readonly Json[], parameters: Parameters): string {
  const text = type === 'cidr' ? networkText : String;
  const fitting = values.filter((value) => value !== null && FITS[type](value)).map((value) => text(String(value)));
  const equal = `${expression} = any(${parameters.add(fitting, ARRAY[type])})`;
  return values.includes(null) ? `(${equal} or ${expression} is null)` : equal;
}

/** PostgreSQL refuses a network with host bits; it means the network around them. */
function networkText(text: string): string {
  const cidr = parseCidr(text);
  return cidr === null ? text : formatCidr(cidr);
}

/** A LIKE pattern that finds the text anywhere. */
export function substringPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

function condition(table: TableSql, filter: Filter, parameters: Parameters): string | undefined {
  const attribute = table.attributes[filter.attribute];
  if (attribute === undefined) return undefined;
  if (attribute.filter !== undefined) return attribute.filter(filter, parameters);
  if (filter.operator === 'substring') {
    const patterns = filter.values.map((value) => substringPattern(String(value)));
    return `${attribute.select}::text like any(${parameters.add(patterns, 'text[]')})`;
  }
  return anyOf(attribute.select, attribute.type ?? 'text', filter.values, parameters);
}

const sortExpression = (table: TableSql, sort: Sort): string => {
  const attribute = table.attributes[sort.attribute];
  if (attribute === undefined || attribute.sort === false) {
    throw new HttpBadRequest(`'${sort.attribute}' is invalid attribute for sort_key`);
  }
  return attribute.sort ?? attribute.select;
};

/** The columns of the statement: the attributes asked for, under their wire names. */
function columns(table: TableSql, fields: readonly string[] | undefined): string {
  const names = (fields ?? Object.keys(table.attributes)).filter(
    (name) => Object.hasOwn(table.attributes, name) && table.attributes[name]?.hidden !== true,
  );
  // A list of nothing but unknown fields still has as many rows.
  if (names.length === 0) return '1 as nothing';
  return names.map((name) => `${table.attributes[name]?.select} as "${name}"`).join(', ');
}

const source = (table: TableSql, parameters: Parameters): string =>
  typeof table.from === 'string' ? table.from : table.from(parameters);

const preparing = (table: TableSql, text: string) => ({ prepare: isPreparable(table.attributes, text) });

/** Rows that come after (or, reversed, before) the marker in the order of the sorts. */
function beyond(
  sorts: readonly { readonly expression: string; readonly direction: 'asc' | 'desc' }[],
  marker: Readonly<Record<string, unknown>>,
  parameters: Parameters,
): string {
  const values = sorts.map((_, index) => parameters.add(marker[`s${index}`]));
  const branches = sorts.map(({ expression, direction }, index) => {
    const equal = sorts.slice(0, index).map((before, at) => `${before.expression} = ${values[at]}`);
    return [...equal, `${expression} ${direction === 'asc' ? '>' : '<'} ${values[index]}`].join(' and ');
  });
  return `(${branches.join(' or ')})`;
}

/** Answers a list query over the table: rows in order, and whether more follow in the direction of travel. */
export async function listRows(
  db: Queryable,
  table: TableSql,
  query: ListQuery,
  scope: Scope = () => undefined,
): Promise<ResourceList> {
  const parameters = new Parameters();
  const conditions = [
    scope(parameters),
    ...query.filters.map((filter) => condition(table, filter, parameters)),
    query.changed_since === undefined || table.changed === undefined
      ? undefined
      : `${table.changed} >= ${parameters.add(query.changed_since, 'timestamptz')}`,
  ];
  const sorts = query.sorts.map((sort) => ({
    expression: sortExpression(table, sort),
    direction: (sort.direction === 'asc') === !query.reverse ? ('asc' as const) : ('desc' as const),
  }));
  if (query.marker !== undefined) {
    const marker = await markerValues(db, table, query.marker, sorts, scope);
    conditions.push(beyond(sorts, marker, parameters));
  }
  const where = conditions.filter((text) => text !== undefined).join(' and ');
  const order = sorts.map(({ expression, direction }) => `${expression} ${direction}`).join(', ');
  const text =
    `select ${columns(table, query.fields)} from ${source(table, parameters)}` +
    (where === '' ? '' : ` where ${where}`) +
    (order === '' ? '' : ` order by ${order}`) +
    (query.limit === undefined ? '' : ` limit ${parameters.add(query.limit + 1, 'bigint')}`);
  const rows = await db.unsafe<Resource[]>(text, parameters.values as never[], preparing(table, text));
  const more = query.limit !== undefined && rows.length > query.limit;
  const items = more ? rows.slice(0, query.limit) : [...rows];
  return { items: query.reverse ? items.reverse() : items, more };
}

async function markerValues(
  db: Queryable,
  table: TableSql,
  marker: string,
  sorts: readonly { readonly expression: string }[],
  scope: Scope,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isUuid(marker)) throw table.notFound(marker);
  const parameters = new Parameters();
  const conditions = [`${table.key} = ${parameters.add(marker, 'uuid')}`, scope(parameters)];
  const values = sorts.map(({ expression }, index) => `${expression} as s${index}`).join(', ');
  const text = `select ${values === '' ? '1' : values} from ${source(table, parameters)} where ${conditions.filter(Boolean).join(' and ')}`;
  const [row] = await db.unsafe(text, parameters.values as never[], preparing(table, text));
  if (row === undefined) throw table.notFound(marker);
  return row;
}

/** One row by its key, or undefined when the scope does not show it. */
export async function showRow(
  db: Queryable,
  table: TableSql,
  id: string,
  fields: readonly string[] | undefined,
  scope: Scope = () => undefined,
): Promise<Resource | undefined> {
  if (!isUuid(id)) return undefined;
  const parameters = new Parameters();
  const conditions = [`${table.key} = ${parameters.add(id, 'uuid')}`, scope(parameters)];
  return (await selectWhere(db, table, fields, conditions, parameters))[0];
}

/** Rows by their keys, in the order of the keys; for what was just written. */
export async function showRows(db: Queryable, table: TableSql, ids: readonly string[]): Promise<readonly Resource[]> {
  const parameters = new Parameters();
  const conditions = [`${table.key} = any(${parameters.add(ids, 'uuid[]')})`];
  const rows = await selectWhere(db, table, undefined, conditions, parameters);
  const places = new Map(ids.map((id, place) => [id, place]));
  const place = (row: Resource): number => places.get(String(row['id'])) ?? 0;
  return rows.toSorted((a, b) => place(a) - place(b));
}

async function selectWhere(
  db: Queryable,
  table: TableSql,
  fields: readonly string[] | undefined,
  conditions: readonly (string | undefined)[],
  parameters: Parameters,
): Promise<readonly Resource[]> {
  const text = `select ${columns(table, fields)} from ${source(table, parameters)} where ${conditions.filter(Boolean).join(' and ')}`;
  return await db.unsafe<Resource[]>(text, parameters.values as never[], preparing(table, text));
}
