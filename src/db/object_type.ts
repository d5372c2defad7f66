/**
 * Versioned objects (neutron.objects) from SQL: PostgreSQL makes their JSON, many at once, and finds those that a host is
 * concerned with. A plugin says what an object consists of; the statements are made here.
 */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Queryable } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { Audience, ObjectPage, ObjectRevision, VersionedObjectType } from '#src/lib/rpc.ts';
import { anyOf, type SqlType } from './list.ts';
import { apiTime, Parameters } from './sql_text.ts';

/** Members of an object by name, as SQL expressions. */
export type ObjectFields = Readonly<Record<string, string>>;

/** What an object consists of. Neutron leaves out those of its own columns that are null, and says null of the others. */
export interface ObjectData {
  readonly columns: ObjectFields;
  readonly others?: ObjectFields;
}

export interface ObjectSql extends Pick<VersionedObjectType, 'name' | 'version'> {
  /** `ports p` */
  readonly from: string;
  /** `p.id` */
  readonly key: string;
  /** `p.revision_number` */
  readonly revision: string;
  readonly data: ObjectData;
  /** Fields that objects are asked for by; `[expression, type]`, or a condition made of the values. */
  readonly filters: Readonly<
    Record<string, readonly [string, SqlType] | ((values: readonly Json[], parameters: Parameters) => string)>
  >;
  /** Whether a host, whose placeholder is given, is concerned with the object. */
  readonly concerns: (host: string) => string;
  /** The same where objects are asked for by their ids, if it is cheaper to look at those than at all that concern the host. */
  readonly concernsNamed?: (host: string) => string;
  readonly audience: Audience;
}

const members = (fields: ObjectFields): string =>
  `jsonb_build_object(${Object.entries(fields)
    .map(([name, expression]) => `'${name}', ${expression}`)
    .join(', ')})`;

/** The data of an object as jsonb. */
export function objectData({ columns, others }: ObjectData): string {
  const own = `jsonb_strip_nulls(${members(columns)})`;
  // A function takes a hundred arguments at most; and those that stay null are apart anyway.
  return others === undefined ? own : `(${own} || ${members(others)})`;
}

/** Columns of the standard attributes of the row that goes by `alias`. */
export const standardFields = (alias: string): ObjectFields => ({
  revision_number: `${alias}.revision_number`,
  description: `${alias}.description`,
  created_at: apiTime(`${alias}.created_at`),
  updated_at: apiTime(`${alias}.updated_at`),
});

/** An object within another, with its type. */
export function nestedObject(name: string, version: string, data: ObjectData): string {
  return members({
    'versioned_object.name': `'${name}'`,
    'versioned_object.namespace': `'versionedobjects'`,
    'versioned_object.version': `'${version}'`,
    'versioned_object.data': objectData(data),
  });
}

/** All that a query gives, `select` standing before it: `nestedObjects(object, 'from subnets s where ...', 's.id')`. */
export function nestedObjects(object: string, rest: string, order: string): string {
  return `coalesce((select jsonb_agg(${object} order by ${order}) ${rest}), '[]'::jsonb)`;
}

/** A type of versioned objects over its SQL. */
export function objectType(sql: ObjectSql): VersionedObjectType {
  const { name, version, from, key, audience } = sql;
  const read = `select ${key} as id, ${objectData(sql.data)} as data from ${from} where ${key} = any($1::uuid[])`;
  const prepared = { prepare: true } as const;
  return {
    name,
    version,
    audience,
    async read(queryable: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
      if (ids.length === 0) return new Map();
      const rows = await queryable.unsafe<{ id: string; data: JsonObject }[]>(read, [ids as never], prepared);
      return new Map(rows.map(({ id, data }) => [id, data]));
    },
    async find(queryable: Queryable, host: string, filters: JsonObject, page: ObjectPage) {
      const parameters = new Parameters();
      const concerns = (Object.hasOwn(filters, 'id') ? sql.concernsNamed : undefined) ?? sql.concerns;
      const conditions = [
        concerns(parameters.add(host, 'text')),
        ...Object.entries(filters).map(([field, value]) => condition(sql, field, value, parameters)),
        ...(page.after === undefined ? [] : [`${key} > ${parameters.add(page.after, 'uuid')}`]),
        ...(page.until === undefined ? [] : [`${key} <= ${parameters.add(page.until, 'uuid')}`]),
      ];
      const text =
        `select ${key} as id, (${sql.revision})::float8 as revision_number from ${from} ` +
        `where ${conditions.join(' and ')} order by ${key} limit ${parameters.add(page.limit, 'int')}`;
      return await queryable.unsafe<(ObjectRevision & Record<string, unknown>)[]>(
        text,
        parameters.values as never[],
        prepared,
      );
    },
  };
}

function condition({ name, filters }: ObjectSql, field: string, value: Json, parameters: Parameters): string {
  const filter = Object.hasOwn(filters, field) ? filters[field] : undefined;
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (filter === undefined || values.some((one) => typeof one === 'object' && one !== null)) {
    const known = Object.keys(filters).join(', ');
    throw new InvalidInput(
      filter === undefined
        ? `'${field}' is not supported for filtering ${name} objects: they are found by ${known}`
        : `the filter ${field} of ${name} objects must be a value or a list of values`,
    );
  }
  if (typeof filter === 'function') return filter(values, parameters);
  const [expression, type] = filter;
  return anyOf(expression, type, values, parameters);
}

/** Hosts by id, of rows that name both. */
export function hostsById(
  rows: readonly { readonly id: string; readonly host: string }[],
): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const { id, host } of rows) {
    const known = hosts.get(id);
    if (known === undefined) hosts.set(id, [host]);
    else known.push(host);
  }
  return hosts;
}

/** An audience by a statement that gives `id` and `host` for the ids in `$1`. */
export function audienceOf(text: string): Audience {
  return async (sql, ids) =>
    hostsById(await sql.unsafe<{ id: string; host: string }[]>(text, [ids as never], { prepare: true }));
}
