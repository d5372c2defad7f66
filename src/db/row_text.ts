/**
 * Rows as JSON text, built by PostgreSQL: of a long list neither objects are made here nor JSON of them. The text is what
 * JSON.stringify makes of the same row read as an object, but for white space inside of values that are JSON themselves.
 */
import type { AttributeSql, SqlType } from './list.ts';
import { quotedJson } from './sql_text.ts';

type Attributes = Readonly<Record<string, AttributeSql>>;

/** PostgreSQL takes a hundred arguments at most: two for each attribute, and the end. */
const ATTRIBUTES_AT_ONCE = 45;

/** Types whose text needs no escaping, and what JSON makes of it: their cast is far cheaper than `to_json`. */
const PLAIN: Readonly<Partial<Record<SqlType, (text: string) => string>>> = {
  uuid: quotedJson,
  macaddr: quotedJson,
  boolean: (text) => `coalesce(${text}, 'null')`,
  integer: (text) => `coalesce(${text}, 'null')`,
};

const OTHER_OWNER: Readonly<Record<string, string>> = { project_id: 'tenant_id', tenant_id: 'project_id' };

/** The attribute by its name, or the owner by its other one; undefined where rows have none of it. */
export function readable(attributes: Attributes, name: string): AttributeSql | undefined {
  const own = Object.hasOwn(attributes, name) ? name : OTHER_OWNER[name];
  const attribute = own !== undefined && Object.hasOwn(attributes, own) ? attributes[own] : undefined;
  return attribute?.hidden === true ? undefined : attribute;
}

function valueText({ select, json, type = 'text' }: AttributeSql): string {
  if (json !== undefined) return json;
  return PLAIN[type]?.(`(${select})::text`) ?? `coalesce(to_json(${select}), 'null'::json)`;
}

/** The expression of a row's JSON text with these attributes, in order. */
export function rowText(attributes: Attributes, names: readonly string[]): string {
  const members = names.flatMap((name) => {
    const attribute = readable(attributes, name);
    return attribute === undefined ? [] : [`"${name}":', ${valueText(attribute)}`];
  });
  const parts = members.map((member, at) => `'${at === 0 ? '{' : ','}${member}`);
  if (parts.length === 0) return `'{}'`;
  const groups: string[] = [];
  for (let at = 0; at < parts.length; at += ATTRIBUTES_AT_ONCE) {
    groups.push(`concat(${parts.slice(at, at + ATTRIBUTES_AT_ONCE).join(', ')})`);
  }
  return `concat(${groups.join(', ')}, '}')`;
}
