/** Rules for numbers, booleans and strings. */
import type { Validator } from '../attributes.ts';
import { toBoolean } from '../converters/common.ts';
import { SecurityGroupDefaultAlreadyExists } from '../errors.ts';
import { isPrintable, pythonEquals, pythonFloat, pythonInt, pythonLength, pythonStr } from '../python.ts';
import { isUuidLike } from '../uuid.ts';

/** The same rule, but null passes. */
export const orNone =
  (rule: Validator): Validator =>
  (value, argument) =>
    value === null ? null : rule(value, argument);

/** A value in quotes, as messages name it. */
export const quoted = (value: unknown) => `'${pythonStr(value)}'`;

const notAnInteger = (value: unknown) => `${quoted(value)} is not an integer`;

const boolean: Validator = (value) =>
  toBoolean(value) === null ? `${quoted(value)} is not a valid boolean value` : null;

const integer: Validator = (value, allowed) => {
  const outside = allowed === null || allowed === undefined ? null : values(value, allowed);
  if (outside !== null) return outside;
  if (typeof value === 'boolean') return `${notAnInteger(value)}:boolean`;
  const number = pythonInt(value);
  return number === null || number !== pythonFloat(value) ? notAnInteger(value) : null;
};

/** `[min, max]`, either of them null for no limit. */
const range: Validator = (value, argument) => {
  const [min, max] = argument as readonly [number | null, number | null];
  const number = pythonInt(value);
  if (number === null) return notAnInteger(value);
  // A string is named as it was sent, anything else as the integer it stands for.
  const named = typeof value === 'string' ? value : number;
  if (min !== null && number < min) return `${quoted(named)} is too small - must be at least '${min}'`;
  if (max !== null && number > max) return `${quoted(named)} is too large - must be no larger than '${max}'`;
  return null;
};

const non_negative: Validator = (value) => {
  const number = pythonInt(value);
  if (number === null) return notAnInteger(value);
  return number < 0 ? `${quoted(value)} should be non-negative` : null;
};

export const values: Validator = (value, allowed) => {
  const known = Array.isArray(allowed) && allowed.some((one) => pythonEquals(one, value));
  return known ? null : `${pythonStr(value)} is not in valid_values`;
};

export const string: Validator = (value, maximum) => {
  if (typeof value !== 'string') return `${quoted(value)} is not a valid string`;
  if (typeof maximum === 'number' && value.length > maximum && pythonLength(value) > maximum) {
    return `${quoted(value)} exceeds maximum length of ${maximum}`;
  }
  return null;
};

const name_string: Validator = (value, maximum) => {
  const wrong = string(value, maximum);
  if (wrong !== null) return wrong;
  const text = value as string;
  return text.trim() === text && isPrintable(text) ? null : `${quoted(text)} is not a valid string`;
};

const not_empty_string: Validator = (value, maximum) => {
  const wrong = string(value, maximum);
  if (wrong !== null) return wrong;
  return (value as string).trim() === '' ? `${quoted(value)} Blank strings are not permitted` : null;
};

const not_empty_name_string: Validator = (value, maximum) =>
  not_empty_string(value, maximum) ?? name_string(value, maximum);

/** Where `str.splitlines()` breaks a line before the end of the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python's line breaks are control characters
const LINE_BREAK = /(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])(?!$)/;

const oneline_not_empty_string: Validator = (value, maximum) => {
  const wrong = not_empty_string(value, maximum);
  if (wrong !== null) return wrong;
  return LINE_BREAK.test(value as string) ? `Multi-line string is not allowed: ${quoted(value)}` : null;
};

const name_not_default: Validator = (value, maximum) => {
  const wrong = name_string(value, maximum);
  if (wrong !== null) return wrong;
  if ((value as string).toLowerCase() === 'default') throw new SecurityGroupDefaultAlreadyExists();
  return null;
};

/** A port `N`, or a range `N:M`, inside `[0, 65535]` or the bounds given. */
const port_range: Validator = (value, bounds) => {
  const [min, max] = Array.isArray(bounds) ? (bounds as [number, number]) : [0, 65535];
  const ports = pythonStr(value).split(':');
  if (ports.length > 2 || ports.includes('')) return 'Port range must be two integers separated by a colon';
  const numbers = ports.map(pythonInt);
  const wrong = numbers.findIndex((number) => number === null || number < min || number > max);
  if (wrong >= 0) return `Invalid port: ${ports[wrong]}`;
  const [first, last] = numbers as [number, number?];
  return last !== undefined && first > last ? 'First port in a port range must be lower than the second port' : null;
};

/** Python's `re.match`: anchored at the start only. Patterns come from attribute maps, so that their number is small. */
export function createPatterns(): (pattern: unknown) => RegExp {
  const compiled = new Map<unknown, RegExp>();
  return (pattern) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known;
    const expression = new RegExp(`^(?:${String(pattern)})`, 'u');
    compiled.set(pattern, expression);
    return expression;
  };
}

const regex = (patterns: (pattern: unknown) => RegExp): Validator => {
  return (value, pattern) =>
    typeof value === 'string' && patterns(pattern).test(value) ? null : `${quoted(value)} is not a valid input`;
};

export const uuid: Validator = (value) => (isUuidLike(value) ? null : `${quoted(value)} is not a valid UUID`);

const subnetpool_id: Validator = (value) =>
  value === null || value === 'prefix_delegation' ? null : uuid(value, null);

/** The rules of this file, by name. */
export function scalarRules(patterns: (pattern: unknown) => RegExp) {
  return {
    'type:boolean': boolean,
    'type:integer': integer,
    'type:range': range,
    'type:range_or_none': orNone(range),
    'type:non_negative': non_negative,
    'type:values': values,
    'type:string': string,
    'type:string_or_none': orNone(string),
    'type:name_string': name_string,
    'type:name_string_or_none': orNone(name_string),
    'type:name_not_default': name_not_default,
    'type:not_empty_string': not_empty_string,
    'type:not_empty_string_or_none': orNone(not_empty_string),
    'type:not_empty_name_string': not_empty_name_string,
    'type:oneline_not_empty_string': oneline_not_empty_string,
    'type:oneline_not_empty_string_or_none': orNone(oneline_not_empty_string),
    'type:port_range': orNone(port_range),
    'type:regex': regex(patterns),
    'type:regex_or_none': orNone(regex(patterns)),
    'type:uuid': uuid,
    'type:uuid_or_none': orNone(uuid),
    'type:subnetpool_id': subnetpool_id,
    'type:subnetpool_id_or_none': subnetpool_id,
  } satisfies Readonly<Record<string, Validator>>;
}
