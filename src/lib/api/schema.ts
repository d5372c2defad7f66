/**
 * JSON Schema (2020-12), as far as the API's description (`/v2.0/openapi.json`) needs it, and the shapes that answers have.
 * Attribute maps say with these what an attribute looks like in answers, where their rules do not.
 */
import type { Json } from './attributes.ts';

export type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  /** `uuid`, `ipv4`, `ipv6`, `date-time`; ours: `cidr`, `mac-address`. */
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: Json;
  readonly [extension: `x-${string}`]: Json;
}

export const TEXT: Schema = { type: 'string' };
export const BOOLEAN: Schema = { type: 'boolean' };
export const INTEGER: Schema = { type: 'integer' };
export const UUID: Schema = { type: 'string', format: 'uuid' };
/** RFC 3339, as `created_at` is written: `2026-01-31T12:00:00Z`. */
export const TIME: Schema = { type: 'string', format: 'date-time' };
/** Without a zone, as agents' times are written: `2026-01-31 12:00:00`. */
export const PLAIN_TIME: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' };
export const IP: Schema = { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };
export const CIDR: Schema = { type: 'string', format: 'cidr' };
export const MAC: Schema = { type: 'string', format: 'mac-address' };
/** Any object. */
export const OBJECT: Schema = { type: 'object' };

/** The same, or null. */
export function orNull(schema: Schema): Schema {
  const { type } = schema;
  if (type === undefined || schema.anyOf !== undefined) return { anyOf: [schema, { type: 'null' }] };
  const types = typeof type === 'string' ? [type] : type;
  if (types.includes('null')) return schema;
  const nullable: Schema = { ...schema, type: [...types, 'null'] };
  return schema.enum === undefined ? nullable : { ...nullable, enum: [...schema.enum, null] };
}

/** A list of such. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** An object of exactly these keys. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
