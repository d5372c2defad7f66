/**
 * Turns the text of a value into what its option declares (oslo.config's types), or says what would be allowed. The
 * complaint never repeats the value: whoever prints it decides whether it is a secret.
 */
import type { OptionSpec, OptionValue } from '#src/lib/config.ts';
import { parseIp } from '#src/lib/net/mod.ts';

/** The value, or what the option allows instead. */
export type Converted = { readonly value: OptionValue } | { readonly allowed: string };

type Convert = (spec: OptionSpec, text: string) => Converted;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'on', 'yes'].map((text) => [text, true] as const),
  ...['false', '0', 'off', 'no'].map((text) => [text, false] as const),
]);

const CONVERTERS: Readonly<Record<OptionSpec['type'], Convert>> = {
  string: limitedText,
  integer: (spec, text) => limitedNumber(spec, text, /^[+-]?\d+$/, 'an integer'),
  float: (spec, text) => limitedNumber(spec, text, /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, 'a number'),
  port: (spec, text) => limitedNumber({ min: 0, max: 65535, ...spec }, text, /^\+?\d+$/, 'a port'),
  boolean: (_, text) => {
    const value = BOOLEANS.get(text.trim().toLowerCase());
    return value === undefined ? { allowed: 'true, 1, on, yes, false, 0, off or no' } : { value };
  },
  list: (spec, text) => {
    const items = splitList(text);
    for (const item of items) {
      const converted = limitedText(spec, item);
      if ('allowed' in converted) return { allowed: `a comma-separated list, each item ${converted.allowed}` };
    }
    return { value: items };
  },
  // Its text is one of several values; load.ts gathers them.
  multi: limitedText,
  dict: (_, text) => {
    const pairs = new Map<string, string>();
    for (const item of splitList(text)) {
      const at = item.indexOf(':');
      const key = item.slice(0, at).trim();
      if (at < 0 || key === '' || pairs.has(key)) {
        return { allowed: 'comma-separated pairs "name:value", each name once' };
      }
      pairs.set(key, item.slice(at + 1).trim());
    }
    return { value: Object.fromEntries(pairs) };
  },
  host: (_, text) =>
    isIp(text) || isHostName(text) ? { value: text } : { allowed: 'a host name, or an IPv4 or IPv6 address' },
  ip: (_, text) => (isIp(text) ? { value: text } : { allowed: 'an IPv4 or IPv6 address' }),
  uri: (_, text) =>
    /^[a-z][a-z0-9+.-]*:\/\/[^\s/]/i.test(text) ? { value: text } : { allowed: 'a URI with scheme and host' },
};

/** Converts the text of one value. */
export function convertValue(spec: OptionSpec, text: string): Converted {
  return CONVERTERS[spec.type](spec, text);
}

/** The text that would give this value: for substitution and for printing. */
export function valueText(value: OptionValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.join(',');
  return Object.entries(value)
    .map(([key, item]) => `${key}:${item}`)
    .join(',');
}

function limitedText(spec: OptionSpec, text: string): Converted {
  if (spec.choices && !spec.choices.some((choice) => (choice ?? '') === text)) {
    return {
      allowed: `one of ${spec.choices.map((choice) => (choice === null ? '"" (unset)' : `"${choice}"`)).join(', ')}`,
    };
  }
  if (spec.choices?.includes(null) && text === '') return { value: null };
  if (spec.max_length !== undefined && text.length > spec.max_length) {
    return { allowed: `at most ${spec.max_length} characters` };
  }
  if (spec.pattern !== undefined && !new RegExp(spec.pattern).test(text)) {
    return { allowed: `text that matches ${spec.pattern}` };
  }
  return { value: text };
}

function limitedNumber(
  limits: Pick<OptionSpec, 'min' | 'max' | 'choices'>,
  text: string,
  form: RegExp,
  what: string,
): Converted {
  const written = text.trim();
  if (written === '') return { value: null };
  const value = Number(written);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, choices } = limits;
  if (choices && !choices.includes(String(value))) return { allowed: `one of ${choices.join(', ')}` };
  if (form.test(written) && Number.isFinite(value) && value >= min && value <= max) return { value };
  return { allowed: `${what}${range(min, max)}` };
}

function range(min: number, max: number): string {
  if (Number.isFinite(min) && Number.isFinite(max)) return ` from ${min} to ${max}`;
  if (Number.isFinite(min)) return ` of at least ${min}`;
  return Number.isFinite(max) ? ` of at most ${max}` : '';
}

function splitList(text: string): string[] {
  const trimmed = text.trim().replace(/,+$/, '').trim();
  return trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim());
}

function isIp(text: string): boolean {
  return parseIp(text) !== null;
}

function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.');
  const numeric = /^\d+$/.test(labels.at(-1)!);
  return text.length <= 253 && !numeric && labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i.test(label));
}
