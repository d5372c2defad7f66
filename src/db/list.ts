/**
 * Lists: one statement for any filters, sort keys and page, from a table's declaration. The statement's text depends only
 * on which attributes are named and whether with one value or several, not on the values, so PostgreSQL's prepared plans are
 * used again; how many are prepared is bounded (`preparable.ts`), because callers choose what is named.
 * A page that follows a marker costs one more statement (the marker's own sort values), never more.
 * Rows come as objects, or as JSON text where the caller asks for it (`row_text.ts`).
 */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Filter, ListQuery, Sort, TextForm } from '#src/lib/api/query.ts';
import type { Queryable } from '#src/lib/database.ts';
import { HttpBadRequest } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import { formatCidr, isMac, parseCidr, parseIp } from '#src/lib/net/mod.ts';
import type { Call, Resource, ResourceList, WrittenItem } from '#src/lib/plugin.ts';
import { limited } from './page_limit.ts';
import { isPreparable } from './preparable.ts';
import { readable, rowText } from './row_text.ts';
import { Parameters } from './sql_text.ts';
import { readWritten, TEXT, writtenList } from './written_rows.ts';

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
  /** The expression of its JSON text, never null, where there is a cheaper one than `to_json` of `select`. */
  readonly json?: string;
  /** Only a filter: never read. */
  readonly hidden?: boolean;
}

export interface TableSql {
  /** `ports p left join ...`; a function where reading depends on the caller (`shared` of a network). */
  readonly from: string | ((parameters: Parameters) => string);
  /** By alias, joins of one row at most, which a statement has only if it names the alias. */
  readonly joins?: Readonly<Record<string, string>>;
  /** The primary key's expression, a uuid: `p.id`. */
  readonly key: string;
  readonly attributes: Readonly<Record<string, AttributeSql>>;
  /** Compared by `changed_since`. */
  readonly changed?: string;
  /** Thrown for a marker that names nothing visible. */
  readonly notFound: (id: string) => Error;
  /** Completes a row that was read; what it sets to undefined the object does not have. Such rows are never read as text. */
  readonly finish?: (row: Record<string, unknown>) => void;
}

/** A condition that limits what the caller sees, added to every statement (ownership, sharing). */
export type Scope = (parameters: Parameters) => string | undefined;

/** The type that values are compared in; what is sent is text, because postgres.js mis-encodes arrays of some types. */
const COMPARED: Readonly<Record<SqlType, string>> = {
  text: 'text',
  uuid: 'uuid',
  boolean: 'boolean',
  integer: 'bigint',
  inet: 'inet',
  cidr: 'cidr',
  macaddr: 'macaddr',
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

/**
 * `expression = any(values)`, or `false` when no value can match; null among the values also finds null. One value is compared
 * as it is: only then the order of an index is of use.
 */
export function anyOf(expression: string, type: SqlType, values: readonly Json[], parameters: Parameters): string {
  const text = type === 'cidr' ? networkText : String;
  const fitting = values.filter((value) => value !== null && FITS[type](value)).map((value) => text(String(value)));
  const as = COMPARED[type];
  const equal =
    fitting.length === 1
      ? `${expression} = ${parameters.add(fitting[0], `text::${as}`)}`
      : `${expression} = any(${parameters.add(fitting, `text[]::${as}[]`)})`;
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

/** The expressions of a table whose every attribute is read: made once for each declaration. */
const whole = new WeakMap<TableSql['attributes'], string>();

/** The columns of the statement: the attributes asked for, under their wire names. */
function columns({ attributes }: TableSql, fields: readonly string[] | undefined): string {
  const known = fields === undefined ? whole.get(attributes) : undefined;
  if (known !== undefined) return known;
  const names = (fields ?? Object.keys(attributes)).filter(
    (name) => Object.hasOwn(attributes, name) && attributes[name]?.hidden !== true,
  );
  // A list of nothing but unknown fields still has as many rows.
  const text = names.map((name) => `${attributes[name]?.select} as "${name}"`).join(', ') || '1 as nothing';
  if (fields === undefined) whole.set(attributes, text);
  return text;
}

function textColumns({ attributes }: TableSql, { attributes: names, values }: TextForm): string {
  const beside = values.flatMap((name) => {
    const attribute = readable(attributes, name);
    return attribute === undefined ? [] : [`${attribute.select} as "${name}"`];
  });
  return [`${rowText(attributes, names)} as "${TEXT}"`, ...beside].join(', ');
}

const origin = ({ from }: TableSql, parameters: Parameters): string =>
  typeof from === 'string' ? from : from(parameters);

/** Where the statement reads from: of the joins only those that its other parts name. */
function source(table: TableSql, from: string, ...parts: readonly string[]): string {
  const joins = Object.entries(table.joins ?? {}).filter(([alias]) =>
    [from, ...parts].some((part) => part.includes(`${alias}.`)),
  );
  return [from, ...joins.map(([, join]) => join)].join(' ');
}

/** `simple` would be true of a statement without parameters, an administrator's list of all: it would be planned each time. */
const preparing = (table: TableSql, text: string) => ({
  prepare: isPreparable(table.attributes, text),
  simple: false,
});

interface SortTerm {
  readonly expression: string;
  readonly direction: 'asc' | 'desc';
}

/** Rows that come after (or, reversed, before) the marker in the order of the sorts, in a form that an index can begin at. */
function beyond(sorts: readonly SortTerm[], marker: Readonly<Record<string, unknown>>, parameters: Parameters): string {
  const values = sorts.map((_, index) => parameters.add(marker[`s${index}`]));
  const [first] = sorts;
  const sign = ({ direction }: SortTerm) => (direction === 'asc' ? '>' : '<');
  if (first === undefined) return 'true';
  if (sorts.every(({ direction }) => direction === first.direction)) {
    return `(${sorts.map(({ expression }) => expression).join(', ')}) ${sign(first)} (${values.join(', ')})`;
  }
  const branches = sorts.map((sort, index) => {
    const equal = sorts.slice(0, index).map((before, at) => `${before.expression} = ${values[at]}`);
    return [...equal, `${sort.expression} ${sign(sort)} ${values[index]}`].join(' and ');
  });
  return `${first.expression} ${sign(first)}= ${values[0]} and (${branches.join(' or ')})`;
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
  const form = table.finish === undefined ? query.text : undefined;
  const statement = (marker?: Readonly<Record<string, unknown>>): string => {
    if (marker !== undefined) conditions.push(beyond(sorts, marker, parameters));
    const where = conditions.filter((text) => text !== undefined).join(' and ');
    const order = sorts.map(({ expression, direction }) => `${expression} ${direction}`).join(', ');
    const wanted = form === undefined ? columns(table, query.fields) : textColumns(table, form);
    return limited(
      `select ${wanted} from ${source(table, origin(table, parameters), wanted, where, order)}` +
        (where === '' ? '' : ` where ${where}`) +
        (order === '' ? '' : ` order by ${order}`),
      query.limit === undefined ? undefined : query.limit + 1,
      parameters,
    );
  };
  const page = async <Row>(read: (text: string) => Promise<readonly Row[]>) => {
    const rows = await afterMarker(db, table, query.marker, sorts, scope, (marker) => read(statement(marker)));
    const more = query.limit !== undefined && rows.length > query.limit;
    const items = more ? rows.slice(0, query.limit) : [...rows];
    return { items: query.reverse ? items.reverse() : items, more };
  };
  if (form !== undefined) {
    const { items, more } = await page((text) => readWritten(db, text, parameters.values, preparing(table, text)));
    return writtenList(items, more);
  }
  const list = await page<Resource>((text) =>
    db.unsafe<Resource[]>(text, parameters.values as never[], preparing(table, text)),
  );
  if (table.finish !== undefined) list.items.forEach(table.finish);
  return list;
}

/** Reads what comes behind the marker, if there is one. Throws the table's notFound for one that is not seen. */
async function afterMarker<Row>(
  db: Queryable,
  table: TableSql,
  marker: string | undefined,
  sorts: readonly SortTerm[],
  scope: Scope,
  read: (marker?: Readonly<Record<string, unknown>>) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (marker === undefined) return read();
  const found = markerValues(db, table, marker, sorts, scope);
  // The key is known without asking: the page is read while the marker is looked for.
  const known = isUuid(marker) && sorts.every(({ expression }) => expression === table.key);
  if (!known) return read(await found);
  const [, rows] = await Promise.all([found, read(Object.fromEntries(sorts.map((_, index) => [`s${index}`, marker])))]);
  return rows;
}

async function markerValues(
  db: Queryable,
  table: TableSql,
  marker: string,
  sorts: readonly SortTerm[],
  scope: Scope,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isUuid(marker)) throw table.notFound(marker);
  const parameters = new Parameters();
  const conditions = [`${table.key} = ${parameters.add(marker, 'uuid')}`, scope(parameters)];
  const values = sorts.map(({ expression }, index) => `${expression} as s${index}`).join(', ');
  const where = conditions.filter(Boolean).join(' and ');
  const text = `select ${values || '1'} from ${source(table, origin(table, parameters), values, where)} where ${where}`;
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

/** The item of a show, as text where the call wants it so; undefined when the scope does not show it. */
export async function showItem(
  db: Queryable,
  table: TableSql,
  { id = '', fields, text: form }: Pick<Call, 'id' | 'fields' | 'text'>,
  scope: Scope = () => undefined,
): Promise<Resource | WrittenItem | undefined> {
  if (form === undefined || table.finish !== undefined) return showRow(db, table, id, fields, scope);
  if (!isUuid(id)) return undefined;
  const parameters = new Parameters();
  const conditions = [`${table.key} = ${parameters.add(id, 'uuid')}`, scope(parameters)];
  const name = `${form.attributes.join()} ${form.values.join()}`;
  const { text, prepare } = selection(table, name, () => textColumns(table, form), conditions, parameters);
  return (await readWritten(db, text, parameters.values, { prepare }))[0];
}

/** Rows by their keys, in the order of the keys; for what was just written. */
export async function showRows(db: Queryable, table: TableSql, ids: readonly string[]): Promise<readonly Resource[]> {
  const parameters = new Parameters();
  const conditions = [anyOf(table.key, 'uuid', ids, parameters)];
  const rows = await selectWhere(db, table, undefined, conditions, parameters);
  const places = new Map(ids.map((id, place) => [id, place]));
  const place = (row: Resource): number => places.get(String(row['id'])) ?? 0;
  return rows.toSorted((a, b) => place(a) - place(b));
}

interface Selection {
  readonly text: string;
  readonly prepare: boolean;
}

/** Statements that read by key: they are most of all there are, and long to put together and to look up. */
const selections = new WeakMap<TableSql['attributes'], Map<string, Selection>>();

/** `name` stands for the columns. */
function selection(
  table: TableSql,
  name: string,
  wanting: () => string,
  conditions: readonly (string | undefined)[],
  parameters: Parameters,
): Selection {
  const where = conditions.filter(Boolean).join(' and ');
  const from = origin(table, parameters);
  const known = selections.get(table.attributes) ?? new Map<string, Selection>();
  const key = `${from} ${where} ${name}`;
  const made = known.get(key);
  if (made !== undefined) return made;
  const wanted = wanting();
  const text = `select ${wanted} from ${source(table, from, wanted, where)} where ${where}`;
  const fresh = { text, ...preparing(table, text) };
  if (fresh.prepare) selections.set(table.attributes, known.set(key, fresh));
  return fresh;
}

async function selectWhere(
  db: Queryable,
  table: TableSql,
  fields: readonly string[] | undefined,
  conditions: readonly (string | undefined)[],
  parameters: Parameters,
): Promise<readonly Resource[]> {
  const name = fields?.join() ?? '*';
  const { text, prepare } = selection(table, name, () => columns(table, fields), conditions, parameters);
  const rows = await db.unsafe<Resource[]>(text, parameters.values as never[], { prepare });
  if (table.finish !== undefined) rows.forEach(table.finish);
  return rows;
}
