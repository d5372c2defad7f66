/** A schema in a few words, for people: `string, at most 255 characters`, `list of uuid, or null`. */
import type { Schema, SchemaType } from '#src/lib/api/schema.ts';

const NAMES: Readonly<Record<SchemaType, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'list',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  cidr: 'CIDR',
  'mac-address': 'MAC address',
  'date-time': 'time',
};

const alternatives = (texts: readonly string[]): string => [...new Set(texts)].join(' or ');

function limits({ minLength, maxLength, minimum, maximum, minItems, pattern }: Schema): readonly string[] {
  const limit = (value: number | undefined, text: (value: number) => string) =>
    value === undefined ? [] : [text(value)];
  return [
    ...limit(minLength, (least) => (least === 1 ? 'not empty' : `at least ${least} characters`)),
    ...limit(maxLength, (most) => `at most ${most} characters`),
    ...limit(minimum, (least) => `from ${least}`),
    ...limit(maximum, (most) => `to ${most}`),
    ...limit(minItems, (least) => `at least ${least}`),
    ...(pattern === undefined ? [] : [`matching ${pattern}`]),
  ];
}

function keys({ properties = {}, required = [] }: Schema): string {
  const names = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(schema)}`,
  );
  return names.length === 0 ? 'object' : `{${names.join(', ')}}`;
}

function single(type: SchemaType | undefined, schema: Schema): string {
  if (schema.format !== undefined && type === 'string') return FORMATS[schema.format] ?? schema.format;
  if (type === 'array') return schema.items === undefined ? 'list' : `list of ${typeText(schema.items)}`;
  if (type === 'object') return keys(schema);
  return type === undefined ? (FORMATS[schema.format ?? ''] ?? 'anything') : NAMES[type];
}

/** Says what a schema lets through. */
export function typeText(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return alternatives(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf !== undefined) return alternatives(schema.anyOf.map(typeText));
  if (schema.allOf !== undefined) return [...new Set(schema.allOf.map(typeText))].join(' and ');
  const types = schema.type === undefined || typeof schema.type === 'string' ? [schema.type] : schema.type;
  const named = types.filter((type) => type !== 'null').map((type) => single(type as SchemaType | undefined, schema));
  const whole = [alternatives(named), ...limits(schema)].join(', ');
  return types.includes('null') ? `${whole}, or null` : whole;
}
