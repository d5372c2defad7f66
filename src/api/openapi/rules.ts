/** Each rule of attribute maps as JSON Schema. A rule that is not in the table does not compile. */
import type { Json } from '#src/lib/api/attributes.ts';
import { CIDR, IP, listOf, MAC, OBJECT, objectOf, orNull, type Schema, TEXT, UUID } from '#src/lib/api/schema.ts';
import type { KeySpec, KeySpecs, ValidatorName } from '#src/lib/api/validators/mod.ts';
import { convertedSchema } from './converters.ts';

type RuleSchema = (argument: unknown) => Schema;

const text =
  (more: Schema = {}): RuleSchema =>
  (maximum) => ({ type: 'string', ...more, ...(typeof maximum === 'number' ? { maxLength: maximum } : {}) });
const orNone =
  (rule: RuleSchema): RuleSchema =>
  (argument) =>
    orNull(rule(argument));
const fixed =
  (schema: Schema): RuleSchema =>
  () =>
    schema;
const unique = (items: Schema): Schema => ({ ...listOf(items), uniqueItems: true });

const range: RuleSchema = (argument) => {
  const [minimum, maximum] = argument as readonly [number | null, number | null];
  return {
    type: 'integer',
    ...(minimum === null ? {} : { minimum }),
    ...(maximum === null ? {} : { maximum }),
  };
};

const JSON_TYPES = { string: 'string', number: 'integer', boolean: 'boolean' } as const;

const values: RuleSchema = (allowed) => {
  const known = allowed as readonly Json[];
  const types = new Set(known.map((value) => JSON_TYPES[typeof value as keyof typeof JSON_TYPES] ?? 'null'));
  const [only] = types;
  return { ...(types.size === 1 && only !== undefined ? { type: only } : { type: [...types] }), enum: known };
};

const integer: RuleSchema = (allowed) => ({
  type: 'integer',
  ...(Array.isArray(allowed) ? { enum: allowed as readonly Json[] } : {}),
});

const regex: RuleSchema = (pattern) => ({ type: 'string', pattern: `^(?:${String(pattern)})` });

function keySchema(spec: KeySpec): Schema {
  const rule = Object.keys(spec).find((name) => name.startsWith('type:')) as ValidatorName | undefined;
  const schema = rule === undefined ? {} : ruleSchema(rule, spec[rule]);
  return typeof spec.convert_to === 'string' ? convertedSchema(spec.convert_to, schema).sent : schema;
}

/** An object with these keys; anything, where none are specified. */
const dictionary: RuleSchema = (argument) => {
  if (typeof argument !== 'object' || argument === null || Object.keys(argument).length === 0) return OBJECT;
  const specs = argument as KeySpecs;
  const required = Object.keys(specs).filter((key) => specs[key]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(specs).map(([key, spec]) => [key, keySchema(spec)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
};

/** The same, also without its required keys. */
const orEmpty: RuleSchema = (argument) => {
  const { required: _, ...schema } = dictionary(argument);
  return schema;
};

const anyKeys: RuleSchema = (alternatives) =>
  orNull(listOf({ anyOf: (alternatives as readonly KeySpecs[]).map((specs) => dictionary(specs)) }));

const SEGMENT: Schema = {
  type: 'object',
  properties: {
    'provider:network_type': TEXT,
    'provider:physical_network': orNull(TEXT),
    'provider:segmentation_id': { type: ['integer', 'null'] },
  },
  additionalProperties: false,
};
const ADDRESS_PAIR: Schema = {
  type: 'object',
  properties: { ip_address: { anyOf: [IP, CIDR] }, mac_address: MAC },
  required: ['ip_address'],
  additionalProperties: false,
};
const FIXED_IP: Schema = { type: 'object', properties: { ip_address: IP, subnet_id: UUID } };
const SUBPORT: Schema = {
  type: 'object',
  properties: { port_id: UUID, segmentation_type: TEXT, segmentation_id: { type: 'integer' } },
  required: ['port_id'],
};
const POOL = fixed({ anyOf: [UUID, { const: 'prefix_delegation' }, { type: 'null' }] });
const IP_OR_CIDR: Schema = { anyOf: [IP, CIDR] };

const RULES: Readonly<Record<ValidatorName, RuleSchema>> = {
  'type:boolean': fixed({ type: 'boolean' }),
  'type:integer': integer,
  'type:range': range,
  'type:range_or_none': orNone(range),
  'type:non_negative': fixed({ type: 'integer', minimum: 0 }),
  'type:values': values,
  'type:string': text(),
  'type:string_or_none': orNone(text()),
  'type:name_string': text(),
  'type:name_string_or_none': orNone(text()),
  'type:name_not_default': text(),
  'type:not_empty_string': text({ minLength: 1 }),
  'type:not_empty_string_or_none': orNone(text({ minLength: 1 })),
  'type:not_empty_name_string': text({ minLength: 1 }),
  'type:oneline_not_empty_string': text({ minLength: 1 }),
  'type:oneline_not_empty_string_or_none': orNone(text({ minLength: 1 })),
  'type:port_range': fixed({ type: ['integer', 'string', 'null'] }),
  'type:regex': regex,
  'type:regex_or_none': orNone(regex),
  'type:uuid': fixed(UUID),
  'type:uuid_or_none': fixed(orNull(UUID)),
  'type:subnetpool_id': POOL,
  'type:subnetpool_id_or_none': POOL,

  'type:ip_address': fixed(IP),
  'type:ip_address_or_none': fixed(orNull(IP)),
  'type:ip_or_subnet_or_none': fixed(orNull(IP_OR_CIDR)),
  'type:subnet': fixed(CIDR),
  'type:subnet_or_none': fixed(orNull(CIDR)),
  'type:subnet_list': fixed(unique(CIDR)),
  'type:list_of_subnets_or_none': fixed(orNull(unique(CIDR))),
  'type:mac_address': fixed(MAC),
  'type:mac_address_or_none': fixed(orNull(MAC)),
  'type:nameservers': fixed(unique(IP)),
  'type:hostroutes': fixed(unique(objectOf({ destination: CIDR, nexthop: IP }))),
  'type:ip_pools': fixed(listOf(objectOf({ start: IP, end: IP }))),
  'type:fixed_ips': fixed(listOf(FIXED_IP)),
  'type:allowed_address_pairs': fixed(listOf(ADDRESS_PAIR)),

  'type:dict': dictionary,
  'type:dict_or_none': orNone(dictionary),
  'type:dict_or_empty': orEmpty,
  'type:dict_or_nodata': orNone(orEmpty),
  'type:list_of_dict_or_nodata': (argument) => orNull(listOf(dictionary(argument))),
  'type:list_of_any_key_specs_or_none': anyKeys,
  'type:network_segments': fixed(listOf(SEGMENT)),

  'type:dns_host_name': text(),
  'type:fip_dns_host_name': text(),
  'type:dns_domain_name': text(),

  'type:list_of_unique_strings': (maximum) => unique(text()(maximum)),
  'type:uuid_list': fixed(unique(UUID)),
  'type:uuid_list_non_empty': fixed({ ...unique(UUID), minItems: 1 }),
  'type:availability_zone_hint_list': fixed(unique(TEXT)),
  'type:list_of_subnet_service_types': fixed(listOf(TEXT)),
  'type:list_of_regex_or_none': (pattern) => orNull(listOf(regex(pattern))),

  'type:ethertype': fixed(TEXT),
  'type:valid_target_project': fixed(TEXT),
  'type:service_plugin_type': fixed(TEXT),
  'type:subports': fixed(listOf(SUBPORT)),
  'type:list_of_allowed_values': (allowed) => listOf(values(allowed)),
  'type:l2gwdevice_list': fixed({ ...listOf(OBJECT), minItems: 1 }),
};

/** What a rule lets through. */
export function ruleSchema(rule: ValidatorName, argument: unknown): Schema {
  return RULES[rule](argument);
}
