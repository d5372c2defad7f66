/** Makes any value fit to be written: plain JSON, bounded in depth and length, without secrets. */
import { isSecretName, maskUrlPasswords } from '#src/lib/redact.ts';

export type LoggableValue =
  | null
  | boolean
  | number
  | string
  | readonly LoggableValue[]
  | { readonly [name: string]: LoggableValue };

const DEEPEST = 6;
const LONGEST_TEXT = 16_384;
const LONGEST_LIST = 100;

/** The value of a field of this name, ready for JSON. */
export function loggable(name: string, value: unknown, depth = 0): LoggableValue {
  if (isSecretName(name) && value !== null && value !== undefined) return '***';
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return `[function ${value.name}]`;
    case 'undefined':
      return null;
    case 'object':
      if (value === null) return null;
      return depth >= DEEPEST ? '[...]' : object(value, depth + 1);
  }
}

function object(value: object, depth: number): LoggableValue {
  if (value instanceof Error) return error(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return list(value, depth);
  if (value instanceof Set) return list([...value], depth);
  const entries: readonly (readonly [unknown, unknown])[] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [String(name), loggable(String(name), item, depth)]));
}

function list(items: readonly unknown[], depth: number): LoggableValue {
  const shown = items.slice(0, LONGEST_LIST).map((item) => loggable('', item, depth));
  return items.length > LONGEST_LIST ? [...shown, `[${items.length - LONGEST_LIST} more]`] : shown;
}

/** An error with its type, code, place and cause; errors of other libraries may carry data in fields, which stay out. */
function error(value: Error, depth: number): LoggableValue {
  const shown: Record<string, LoggableValue> = { type: value.name, message: text(value.message) };
  if ('code' in value && value.code !== undefined) shown['code'] = loggable('code', value.code, depth);
  if (value.stack !== undefined) shown['stack'] = text(value.stack);
  if (value.cause !== undefined) shown['cause'] = loggable('cause', value.cause, depth);
  if (value instanceof AggregateError) shown['errors'] = list(value.errors, depth);
  return shown;
}

function text(value: string): string {
  const shown =
    value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}[${value.length - LONGEST_TEXT} more]` : value;
  return maskUrlPasswords(shown);
}
