/**
 * Rules for dictionaries with specified keys: `{'network_id': {'type:uuid': null, required: true}}`. As in Neutron they
 * also convert: a key with `convert_to` is replaced in place (`prepare.ts` hands them a body of their own).
 */
import { HttpBadRequest, InvalidInput } from '../../errors.ts';
import type { Converter, Validator } from '../attributes.ts';
import { pythonSet, pythonStr, pythonTruthy } from '../python.ts';
import { listOf, notAList } from './lists.ts';
import { orNone, quoted } from './scalars.ts';

/** Keys beginning with `type:` are rules with their argument; the first is applied. */
export interface KeySpec {
  readonly required?: boolean;
  readonly default?: unknown;
  readonly convert_to?: string | Converter;
  readonly [rule: `type:${string}`]: unknown;
}
export type KeySpecs = Readonly<Record<string, KeySpec>>;

type Dictionary = Record<string, unknown>;

/** Whether the value is a JSON object. */
export function isDictionary(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong if the value is no dictionary. */
export function dictionary(value: unknown): string | null {
  return isDictionary(value) ? null : `${quoted(value)} is not a dictionary`;
}

/** What is wrong unless the value is a dictionary with exactly these keys. */
export function keysAre(value: unknown, expected: readonly string[]): string | null {
  if (!isDictionary(value))
    return `Invalid input. ${quoted(value)} must be a dictionary with keys: ${pythonSet(expected)}`;
  const provided = Object.keys(value);
  const exact = provided.length === expected.length && expected.every((key) => Object.hasOwn(value, key));
  return exact ? null : keysFailed(expected, provided);
}

const keysFailed = (expected: readonly string[], provided: readonly string[]) =>
  `Validation of dictionary's keys failed. Expected keys: ${pythonSet(expected)} Provided keys: ${pythonSet(provided)}`;

/** What the rules for specified keys look up: other rules and converters, by name. */
export interface Names {
  rule(name: string): Validator;
  converter(name: string): Converter;
}

const dict =
  (names: Names): Validator =>
  (value, argument) => {
    if (!isDictionary(value)) return dictionary(value);
    if (!pythonTruthy(argument)) return null;
    const specs = argument as KeySpecs;
    const required = Object.keys(specs).filter((key) => specs[key]?.required);
    if (!required.every((key) => Object.hasOwn(value, key))) return keysFailed(required, Object.keys(value));
    const unexpected = Object.keys(value).filter((key) => !Object.hasOwn(specs, key));
    if (unexpected.length > 0) return `Unexpected keys supplied: ${unexpected.join(', ')}`;
    for (const [key, spec] of Object.entries(specs)) {
      const wrong = Object.hasOwn(value, key) ? checkKey(names, value, key, spec) : null;
      if (wrong !== null) return wrong;
    }
    return null;
  };

function checkKey(names: Names, value: Dictionary, key: string, spec: KeySpec): string | null {
  const { convert_to } = spec;
  if (convert_to !== undefined) {
    const convert = typeof convert_to === 'string' ? names.converter(convert_to) : convert_to;
    value[key] = convert(value[key]);
  }
  const rule = Object.keys(spec).find((name) => name.startsWith('type:')) as `type:${string}` | undefined;
  return rule === undefined ? null : names.rule(rule)(value[key], spec[rule]);
}

/** Each item matches one of several sets of keys. */
const any_key_specs =
  (rule: Validator): Validator =>
  (value, alternatives) => {
    if (!Array.isArray(value)) throw new InvalidInput(notAList(value));
    for (const item of value as readonly unknown[]) {
      const fits = (alternatives as readonly KeySpecs[]).some((specs) => rule(item, specs) === null);
      if (!fits) throw new InvalidInput(`${pythonStr(item)} has none of the sets of keys that are allowed`);
    }
    return null;
  };

const SEGMENT_KEYS = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'];

const network_segments =
  (names: Names): Validator =>
  (value) => {
    if (!Array.isArray(value)) return notAList(value);
    for (const segment of value as readonly unknown[]) {
      if (!isDictionary(segment)) return dictionary(segment);
      const id = segment['provider:segmentation_id'];
      if (id !== undefined) segment['provider:segmentation_id'] = names.converter('convert_to_int')(id);
      const unknown = Object.keys(segment).filter((key) => !SEGMENT_KEYS.includes(key));
      if (unknown.length > 0) throw new HttpBadRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
    }
    return null;
  };

/** The rules of this file, by name. */
export function dictRules(names: Names) {
  const rule = dict(names);
  const whenAny =
    (present: (value: unknown) => boolean): Validator =>
    (value, argument) =>
      present(value) ? rule(value, argument) : null;
  const nodata = whenAny(pythonTruthy);
  return {
    'type:dict': rule,
    'type:dict_or_none': orNone(rule),
    'type:dict_or_empty': whenAny((value) => !isDictionary(value) || pythonTruthy(value)),
    'type:dict_or_nodata': nodata,
    'type:list_of_dict_or_nodata': orNone(listOf(rule)),
    'type:list_of_any_key_specs_or_none': orNone(any_key_specs(rule)),
    'type:network_segments': network_segments(names),
  } satisfies Readonly<Record<string, Validator>>;
}
