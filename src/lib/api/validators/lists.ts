/** Rules for lists. */
import { HttpBadRequest, InvalidInput } from '../../errors.ts';
import type { Validator } from '../attributes.ts';
import { InvalidInputSubnetServiceType, InvalidSubnetServiceType } from '../errors.ts';
import { pythonRepr, pythonStr, pythonTruthy } from '../python.ts';
import { orNone, quoted, string, uuid } from './scalars.ts';

/** `neutron:` and `network:`; Neutron adds the letters of `compute:` one by one, so that each of them passes as a prefix. */
const SERVICE_TYPE_PREFIXES = ['network:', 'neutron:', ...'compute:'];

export const notAList = (value: unknown) => `${quoted(value)} is not a list`;

/** Each item obeys the rule. */
export const listOf =
  (rule: Validator): Validator =>
  (value, argument) => {
    if (!Array.isArray(value)) return notAList(value);
    for (const item of value as readonly unknown[]) {
      const wrong = rule(item, argument);
      if (wrong !== null) return wrong;
    }
    return null;
  };

/** Each item obeys the rule, and none comes twice. */
export const uniqueListOf = (rule: Validator): Validator => {
  const items = listOf(rule);
  return (value, argument) => (Array.isArray(value) ? duplicates(value) : null) ?? items(value, argument);
};

function duplicates(items: readonly unknown[]): string | null {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const item of items) {
    const key = pythonRepr(item);
    if (seen.has(key)) repeated.add(pythonStr(item));
    seen.add(key);
  }
  return repeated.size === 0 ? null : `Duplicate items in the list: '${[...repeated].join(', ')}'`;
}

const unique_strings = uniqueListOf(string);
const uuid_list = uniqueListOf(uuid);

const uuid_list_non_empty: Validator = (value) =>
  Array.isArray(value) && value.length === 0 ? 'List should not be empty' : uuid_list(value, null);

/** Kept as JSON in 255 characters. */
const availability_zone_hint_list: Validator = (value) => {
  const wrong = unique_strings(value, null);
  if (wrong !== null) return wrong;
  const zones = value as readonly string[];
  const kept = `[${zones.map((zone) => JSON.stringify(zone)).join(', ')}]`.replace(/[^ -~]/g, '\\u0000');
  if (kept.length > 255) throw new InvalidInput('Too many availability_zone_hints specified');
  return null;
};

const list_of_subnet_service_types: Validator = (value) => {
  if (!pythonTruthy(value)) return null;
  if (!Array.isArray(value)) throw new HttpBadRequest(`Subnet service types must be a list, not ${quoted(value)}`);
  for (const type of value as readonly unknown[]) {
    if (typeof type !== 'string') throw new InvalidInputSubnetServiceType(pythonStr(type));
    if (!SERVICE_TYPE_PREFIXES.some((prefix) => type.startsWith(prefix))) throw new InvalidSubnetServiceType(type);
  }
  return null;
};

/** The rules of this file, by name. */
export function listRules(patterns: (pattern: unknown) => RegExp) {
  const matches = listOf((item, pattern) =>
    typeof item === 'string' && patterns(pattern).test(item) ? null : `${quoted(item)} is not a valid input`,
  );
  return {
    'type:list_of_unique_strings': unique_strings,
    'type:uuid_list': uuid_list,
    'type:uuid_list_non_empty': uuid_list_non_empty,
    'type:availability_zone_hint_list': availability_zone_hint_list,
    'type:list_of_subnet_service_types': list_of_subnet_service_types,
    'type:list_of_regex_or_none': orNone(matches),
  } satisfies Readonly<Record<string, Validator>>;
}
