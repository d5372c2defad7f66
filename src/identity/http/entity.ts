/**
 * What domains, projects, users, groups, roles and the catalogue's parts have in common: parsed bodies with any further
 * attributes kept as they are, lists with filters, rows turned into views with links, constraints turned into Keystone's
 * errors. What is special stays with each.
 */
import * as v from 'valibot';
import { isPreparable, Parameters, sqlState, violatedConstraint } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { Conflict, Forbidden, NotFound, ValidationError } from '../errors.ts';
import { describeIssue } from '../login_request.ts';
import type { Call, Reply } from './route.ts';

export interface EntityRow {
  readonly id: string;
  readonly extra: Record<string, unknown>;
}

export interface Entity<Row extends EntityRow> {
  /** `user`: the key of one in bodies and its name in messages. */
  readonly member: string;
  readonly collection: string;
  readonly table: string;
  /** A condition that every row of this kind meets, where the table holds several kinds. */
  readonly kind?: string;
  /** Columns that lists can be filtered by. */
  readonly filters: Readonly<Record<string, 'text' | 'boolean'>>;
  /** The attributes that are columns; whatever else a client sends is kept in `extra`. */
  readonly attributes: v.ObjectEntries;
  /** Required in a create. */
  readonly required: readonly string[];
  /** Never set or shown through `extra`. */
  readonly reserved?: readonly string[];
  /** The wire form without `extra` and links. */
  readonly view: (row: Row) => Readonly<Record<string, unknown>>;
}

export const nameOf = (length: number) =>
  v.pipe(v.string(), v.maxLength(length), v.regex(/\S/, `must hold a character that is not white space`));
export const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
export const Description = v.nullable(v.pipe(v.string(), v.maxLength(65_536)));
export const Options = v.record(v.string(), v.unknown());

const RESERVED: readonly string[] = ['id', 'links', 'extra'];

/** What a body says: columns and the rest. */
export interface Given {
  readonly known: Readonly<Record<string, unknown>>;
  readonly extra: Record<string, unknown>;
}

/** Parses `{"user": {...}}`. */
export async function givenBody<Row extends EntityRow>(
  call: Call,
  entity: Entity<Row>,
  operation: 'create' | 'update',
): Promise<Given> {
  const body = memberOf(await call.body(), entity.member);
  if (operation === 'update' && Object.keys(body).length === 0) {
    throw new ValidationError(`Expecting to find at least one attribute in ${entity.member}.`);
  }
  if (operation === 'create') {
    for (const name of entity.required) {
      if (body[name] === undefined) throw new ValidationError(`'${name}' is a required property of ${entity.member}.`);
    }
  }
  const known: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const schema = Object.hasOwn(entity.attributes, name) ? entity.attributes[name] : undefined;
    if (schema !== undefined) known[name] = parse(schema, value, `Invalid input for field '${name}'`);
    else if (!RESERVED.includes(name) && entity.reserved?.includes(name) !== true) extra[name] = value;
  }
  return { known, extra };
}

/** The object under a body's key. */
export function memberOf(body: unknown, member: string): Readonly<Record<string, unknown>> {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ValidationError(`Expecting to find ${member} in request body.`);
}

/** The value by its schema, or a ValidationError that says what it is of. */
export function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  of: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new ValidationError(`${of}: ${describeIssue(result.issues[0])}.`);
}

export async function findRow<Row extends EntityRow>(
  sql: Queryable,
  entity: Entity<Row>,
  id: string,
): Promise<Row | undefined> {
  const kind = entity.kind === undefined ? '' : ` and ${entity.kind}`;
  const [row] = await sql.unsafe<Row[]>(`select * from ${entity.table} where id = $1${kind}`, [id], { prepare: true });
  return row;
}

/** The row, or the entity's 404. */
export function existing<Row extends EntityRow>(row: Row | undefined, entity: Entity<Row>, id: string): Row {
  if (row === undefined) throw new NotFound(entity.member, id);
  return row;
}

/** A condition beside the filters: gives SQL text. */
export type Condition = (parameters: Parameters) => string;

export async function listRows<Row extends EntityRow>(
  sql: Queryable,
  entity: Entity<Row>,
  query: URLSearchParams,
  conditions: readonly Condition[] = [],
): Promise<readonly Row[]> {
  const parameters = new Parameters();
  const texts = [
    ...(entity.kind === undefined ? [] : [entity.kind]),
    ...[...query].flatMap(([name, value]) => filterText(entity, name, value, parameters)),
    ...conditions.map((condition) => condition(parameters)),
  ];
  const where = texts.length === 0 ? '' : ` where ${texts.join(' and ')}`;
  const text = `select * from ${entity.table}${where} order by id`;
  return await sql.unsafe<Row[]>(text, parameters.values as never[], { prepare: isPreparable(entity, text) });
}

/** `name__icontains=x`: patterns by Keystone's names of the comparisons. */
const PATTERNS: Readonly<Record<string, (text: string) => string>> = {
  contains: (text) => `%${text}%`,
  startswith: (text) => `${text}%`,
  endswith: (text) => `%${text}`,
};

function filterText<Row extends EntityRow>(
  entity: Entity<Row>,
  name: string,
  value: string,
  parameters: Parameters,
): readonly string[] {
  const [column = '', comparison] = name.split('__');
  const type = Object.hasOwn(entity.filters, column) ? entity.filters[column] : undefined;
  // What is no filter is ignored, as Keystone does.
  if (type === undefined) return [];
  if (comparison === undefined) {
    if (type === 'boolean') return [`${column} = ${parameters.add(!/^(0|false|no|off)$/i.test(value), 'boolean')}`];
    return value === '' ? [`${column} is null`] : [`${column} = ${parameters.add(value)}`];
  }
  const insensitive = comparison.startsWith('i') && Object.hasOwn(PATTERNS, comparison.slice(1));
  const pattern = PATTERNS[insensitive ? comparison.slice(1) : comparison];
  if (pattern === undefined || type !== 'text') return [];
  const escaped = value.replaceAll(/[\\%_]/g, '\\$&');
  return [`${column} ${insensitive ? 'ilike' : 'like'} ${parameters.add(pattern(escaped), 'text')}`];
}

/** Inserts and gives back the row; what constraints refuse becomes Keystone's error. */
export async function insertRow<Row extends EntityRow>(
  tx: Transaction,
  entity: Entity<Row>,
  row: Readonly<Record<string, unknown>>,
): Promise<Row> {
  return translated(entity, row, async () => {
    const [inserted] = await tx<Row[]>`insert into ${tx(entity.table)} ${tx(row as never)} returning *`;
    return inserted!;
  });
}

/** Changes the row by what was given; attributes that are not columns are merged. */
export async function updateRow<Row extends EntityRow>(
  tx: Transaction,
  entity: Entity<Row>,
  before: Row,
  { known, extra }: Given,
): Promise<Row> {
  const changes = { ...known, extra: { ...before.extra, ...extra } };
  return translated(entity, { ...(before as Readonly<Record<string, unknown>>), ...changes }, async () => {
    const [updated] = await tx<Row[]>`
      update ${tx(entity.table)} set ${tx(changes as never)} where id = ${before.id} returning *`;
    return existing(updated, entity, before.id);
  });
}

export async function deleteRow<Row extends EntityRow>(
  tx: Transaction,
  entity: Entity<Row>,
  id: string,
): Promise<void> {
  const deleted = await tx`delete from ${tx(entity.table)} where id = ${id}`;
  if (deleted.count === 0) throw new NotFound(entity.member, id);
}

/** What a foreign key's column refers to, as messages name it. */
const REFERRED: readonly (readonly [column: string, what: string])[] = [
  ['domain_id', 'domain'],
  ['parent_region_id', 'region'],
  ['parent_id', 'project'],
  ['service_id', 'service'],
  ['region_id', 'region'],
];

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

async function translated<Row extends EntityRow>(
  entity: Entity<Row>,
  row: Readonly<Record<string, unknown>>,
  work: () => Promise<Row>,
): Promise<Row> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state === UNIQUE_VIOLATION) throw duplicate(entity.member, row);
    if (state !== FOREIGN_KEY_VIOLATION) throw error;
    const constraint = violatedConstraint(error) ?? '';
    const referred = REFERRED.find(([column]) => constraint.includes(`_${column}_`));
    if (referred === undefined) throw error;
    const [column, what] = referred;
    const missing = new NotFound(what, String(row[column]));
    // Keystone finds fault with an endpoint, not with the address that it was sent to.
    throw entity.member === 'endpoint' ? new ValidationError(missing.message) : missing;
  }
}

function duplicate(what: string, row: Readonly<Record<string, unknown>>): Error {
  const { name, id, domain_id } = row;
  const entry = name === undefined ? `ID ${id}` : `name ${name}`;
  const where = typeof domain_id === 'string' ? ` at domain ID ${domain_id}` : '';
  return new Conflict(what, `Duplicate entry found with ${entry}${where}`);
}

/** Throws unless the row may be changed: `options: {immutable: true}` holds until that option itself is taken off. */
export function assertMutable(
  entity: { readonly member: string },
  row: { readonly id: string; readonly options: Record<string, unknown> },
  given?: Given,
): void {
  const options = given?.known['options'];
  const unlocks = typeof options === 'object' && options !== null && Reflect.get(options, 'immutable') !== true;
  if (row.options['immutable'] !== true || unlocks) return;
  throw new Forbidden(
    `Unable to ${given === undefined ? 'delete' : 'update'} immutable ${entity.member} resource: ` +
      `${row.id}. Set resource option "immutable" to false first.`,
  );
}

/** One object in an answer. */
export function viewOf<Row extends EntityRow>(call: Call, entity: Entity<Row>, row: Row): Record<string, unknown> {
  return { ...row.extra, ...entity.view(row), links: { self: `${call.base}/${entity.collection}/${row.id}` } };
}

export function oneReply<Row extends EntityRow>(call: Call, entity: Entity<Row>, row: Row, status = 200): Reply {
  return { status, body: { [entity.member]: viewOf(call, entity, row) } };
}

export function listReply<Row extends EntityRow>(call: Call, entity: Entity<Row>, rows: readonly Row[]): Reply {
  return collectionReply(
    call,
    entity.collection,
    rows.map((row) => viewOf(call, entity, row)),
  );
}

/** A list as Keystone frames it. */
export function collectionReply(call: Call, collection: string, items: readonly unknown[]): Reply {
  return { status: 200, body: { [collection]: items, links: { next: null, self: call.url, previous: null } } };
}

/** Whether a flag such as `?include_names` is set: present and not denied. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !/^(0|false|no|off)$/i.test(value);
}
