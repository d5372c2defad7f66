/** What converters do to a schema: what may be sent, and what is kept and answered. */
import type { ConverterName } from '#src/lib/api/converters/mod.ts';
import { BOOLEAN, CIDR, INTEGER, listOf, OBJECT, orNull, type Schema, TEXT } from '#src/lib/api/schema.ts';

export interface Converted {
  /** What clients should send; that `"True"` does for true, too, is not told. */
  readonly sent: Schema;
  /** What comes back. */
  readonly kept: Schema;
}

type Conversion = (schema: Schema) => Converted;

const isOpen = (schema: Schema): boolean => Object.keys(schema).length === 0;

const unchanged: Conversion = (schema) => ({ sent: schema, kept: schema });
/** Says the type, where rules say nothing. */
const of =
  (type: Schema): Conversion =>
  (schema) =>
    unchanged(isOpen(schema) ? type : schema);
const ofOrNull =
  (type: Schema): Conversion =>
  (schema) =>
    unchanged(orNull(isOpen(schema) ? type : schema));
/** Null may be sent, and becomes something else. */
const notNull =
  (type: Schema): Conversion =>
  (schema) => {
    const kept = isOpen(schema) ? type : schema;
    return { sent: orNull(kept), kept: withoutNull(kept) };
  };

/** The same without null. */
export function withoutNull(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type) && type.includes('null')) {
    const types = (type as readonly NonNullable<Schema['type']>[]).filter((one) => one !== 'null');
    const only = types.length === 1 ? types[0] : types;
    const values = schema.enum?.filter((value) => value !== null);
    return { ...schema, type: only as NonNullable<Schema['type']>, ...(values === undefined ? {} : { enum: values }) };
  }
  const others = anyOf?.filter((one) => one.type !== 'null');
  if (anyOf === undefined || others === undefined || others.length === anyOf.length) return schema;
  return others.length === 1 ? (others[0] as Schema) : { ...schema, anyOf: others };
}

const CONVERSIONS: Readonly<Record<ConverterName, Conversion>> = {
  convert_to_boolean: of(BOOLEAN),
  convert_to_boolean_if_not_none: ofOrNull(BOOLEAN),
  convert_to_int: of(INTEGER),
  convert_to_int_if_not_none: ofOrNull(INTEGER),
  convert_to_positive_float_or_none: ofOrNull({ type: 'number', minimum: 0 }),
  convert_kvp_str_to_list: unchanged,
  convert_kvp_list_to_dict: unchanged,
  convert_none_to_empty_list: notNull(listOf({})),
  convert_none_to_empty_dict: notNull(OBJECT),
  convert_none_to_empty_string: notNull(TEXT),
  convert_to_list: notNull(listOf({})),
  convert_ip_to_canonical_format: unchanged,
  convert_cidr_to_canonical_format: of(CIDR),
  convert_string_to_case_insensitive: of(TEXT),
  convert_to_protocol: ofOrNull(TEXT),
  convert_to_string: ofOrNull(TEXT),
  convert_uppercase_ip: of(TEXT),
  convert_to_mac_if_none: notNull(TEXT),
  convert_to_sanitized_mac_address: unchanged,
  convert_allocation_pools_to_canonical_format: notNull(listOf({})),

  convert_valid_object_type: of(TEXT),
  convert_protocol: ofOrNull(TEXT),
  convert_validate_port_value: () => unchanged({ type: ['integer', 'null'], minimum: 0, maximum: 65535 }),
  convert_ethertype_to_case_insensitive: () => unchanged({ type: 'string', enum: ['IPv4', 'IPv6'] }),
  convert_ip_prefix_to_cidr: ofOrNull(CIDR),

  normalize_string: notNull(TEXT),
  normalize_protocol: ofOrNull(TEXT),
  normalize_ethertype: () => ({ sent: orNull(TEXT), kept: { type: 'string', enum: ['IPv4', 'IPv6'] } }),
  normalize_port_value: () => unchanged({ type: ['integer', 'null'], minimum: 0, maximum: 65535 }),
  normalize_l7parameters: notNull(OBJECT),
  normalize_service_graph: notNull(OBJECT),
  normalize_chain_parameters: notNull(OBJECT),
  normalize_sf_parameters: notNull(OBJECT),
  normalize_ppg_parameters: notNull(OBJECT),
  normalize_port_pair_groups: notNull(listOf({})),
};

/** What becomes of a schema behind a converter. */
export function convertedSchema(name: string, schema: Schema): Converted {
  const conversion = Object.hasOwn(CONVERSIONS, name) ? CONVERSIONS[name as ConverterName] : unchanged;
  return conversion(schema);
}
