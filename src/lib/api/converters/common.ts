/** neutron_lib.api.converters: what turns a sent value into the kept one. */
import { InvalidInput } from '../../errors.ts';
import { canonicalIp, canonicalMac, cidrOf, formatIp, parseCidr, parseIp, randomMac } from '../../net/mod.ts';
import type { Converter } from '../attributes.ts';
import { pythonFloat, pythonInt, pythonStr } from '../python.ts';
import type { AttributeSettings } from '../settings.ts';

const TRUE_STRINGS: ReadonlySet<string> = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const FALSE_STRINGS: ReadonlySet<string> = new Set(['0', 'f', 'false', 'off', 'n', 'no']);
const PROTOCOLS: ReadonlySet<string> = new Set(['dccp', 'icmp', 'ipv6-icmp', 'sctp', 'tcp', 'udp']);

/** The boolean that a value stands for; null when it stands for none. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = pythonStr(value).trim().toLowerCase();
  return TRUE_STRINGS.has(text) ? true : FALSE_STRINGS.has(text) ? false : null;
}

const convert_to_boolean: Converter = (value) => {
  const converted = toBoolean(value);
  if (converted === null) throw new InvalidInput(`'${pythonStr(value)}' cannot be converted to boolean`);
  return converted;
};

const convert_to_int: Converter = (value) => {
  const converted = pythonInt(value);
  if (converted === null) throw new InvalidInput(`'${pythonStr(value)}' is not an integer`);
  return converted;
};

const ifNotNone =
  (convert: Converter): Converter =>
  (value) =>
    value === null ? null : convert(value);

const whenNone =
  (make: () => unknown): Converter =>
  (value) =>
    value === null ? make() : value;

const convert_to_list: Converter = (value) => {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  return typeof value === 'object' ? Object.keys(value) : [value];
};

const convert_kvp_str_to_list = (value: unknown): [string, string] => {
  const equals = typeof value === 'string' ? value.indexOf('=') : -1;
  if (equals <= 0) throw new InvalidInput(`'${pythonStr(value)}' is not of the form <key>=[value]`);
  const text = value as string;
  return [text.slice(0, equals), text.slice(equals + 1)];
};

const convert_kvp_list_to_dict: Converter = (value) => {
  const values = new Map<string, Set<string>>();
  for (const item of convert_to_list(value) as readonly unknown[]) {
    const [key, member] = convert_kvp_str_to_list(item);
    values.set(key, (values.get(key) ?? new Set()).add(member));
  }
  return Object.fromEntries(Array.from(values, ([key, members]) => [key, [...members]]));
};

const convert_to_positive_float_or_none: Converter = (value) => {
  if (value === null) return null;
  const converted = pythonFloat(value);
  if (converted === null) throw new InvalidInput(`'${pythonStr(value)}' must be a number`);
  if (converted < 0) throw new InvalidInput(`'${pythonStr(value)}' must be at least 0`);
  return converted;
};

const convert_ip_to_canonical_format: Converter = (value) =>
  typeof value === 'string' ? (canonicalIp(value) ?? value) : value;

/** `address/prefix` in canonical text, host bits kept; a bare address is a network of its own. */
export function cidrText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const ip = parseIp(value);
  const cidr = ip === null ? parseCidr(value) : cidrOf(ip, ip.version === 4 ? 32 : 128);
  return cidr === null ? null : `${formatIp({ version: cidr.version, value: cidr.address })}/${cidr.prefix}`;
}

// Null goes on to the rules, which say whether it may be: Neutron fails on it.
const convert_cidr_to_canonical_format = ifNotNone((value) => {
  const text = cidrText(value);
  if (text === null) throw new InvalidInput(`${pythonStr(value)} is not in a CIDR format`);
  return text;
});

const convert_allocation_pools_to_canonical_format: Converter = (value) => {
  if (value === null) return [];
  if (!Array.isArray(value)) return value;
  return value.map((pool: unknown) => {
    if (typeof pool !== 'object' || pool === null || Array.isArray(pool)) return pool;
    return Object.fromEntries(Object.entries(pool).map(([key, ip]) => [key, convert_ip_to_canonical_format(ip)]));
  });
};

const convert_string_to_case_insensitive: Converter = (value) => {
  if (typeof value !== 'string') throw new InvalidInput(`'${pythonStr(value)}' is not a string`);
  return value.toLowerCase();
};

const convert_to_protocol = ifNotNone((value) => {
  const number = typeof value === 'string' ? pythonInt(value) : null;
  if (
    typeof value === 'string' &&
    (PROTOCOLS.has(value.toLowerCase()) || (number !== null && number >= 0 && number <= 255))
  ) {
    return value;
  }
  throw new InvalidInput(`'${pythonStr(value)}' is neither a protocol's name nor a string of a number from 0 to 255`);
});

const convert_to_sanitized_mac_address: Converter = (value) =>
  typeof value === 'string' ? (canonicalMac(value) ?? value) : value;

/** The converters of neutron_lib, by name. */
export function commonConverters(settings: AttributeSettings) {
  return {
    convert_to_boolean,
    convert_to_boolean_if_not_none: ifNotNone(convert_to_boolean),
    convert_to_int,
    convert_to_int_if_not_none: ifNotNone(convert_to_int),
    convert_to_positive_float_or_none,
    convert_kvp_str_to_list,
    convert_kvp_list_to_dict,
    convert_none_to_empty_list: whenNone(() => []),
    convert_none_to_empty_dict: whenNone(() => ({})),
    convert_none_to_empty_string: whenNone(() => ''),
    convert_to_list,
    convert_ip_to_canonical_format,
    convert_cidr_to_canonical_format,
    convert_string_to_case_insensitive,
    convert_to_protocol,
    convert_to_string: ifNotNone(pythonStr),
    convert_uppercase_ip: (value: unknown) => (typeof value === 'string' ? value.replaceAll(/ip/gi, 'IP') : value),
    convert_to_mac_if_none: whenNone(() => randomMac(settings.base_mac)),
    convert_to_sanitized_mac_address,
    convert_allocation_pools_to_canonical_format,
  } satisfies Readonly<Record<string, Converter>>;
}
