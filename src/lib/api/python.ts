/**
 * Python's view of JSON values. Neutron's messages print the offending value with `str()`, its rules take what `int()` takes
 * and compare as Python does (True == 1); clients and test suites know the results.
 */

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** What `str.isprintable()` is false for: separators but the space, controls, unassigned code points. */
const UNPRINTABLE = /[[\p{C}\p{Z}]--[ ]]/v;
const ESCAPED = /[\\[[\p{C}\p{Z}]--[ ]]]/gv;

/** `repr(value)`: strings in quotes, None, True, False. */
export function pythonRepr(value: unknown): string {
  if (typeof value === 'string') return reprOfString(value);
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return reprOfNumber(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, member]) => `${pythonRepr(key)}: ${pythonRepr(member)}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** `str(value)`: a string as it is, anything else as `repr`. */
export function pythonStr(value: unknown): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

/** `repr` of a set of strings. */
export function pythonSet(members: readonly string[]): string {
  return members.length === 0 ? 'set()' : `{${members.map(pythonRepr).join(', ')}}`;
}

/** `int(value)`; null where Python raises. */
export function pythonInt(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) + 0 : null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(value)) return null;
  return Number(value.replaceAll('_', '')) + 0;
}

/** `float(value)`, but only finite numbers; null otherwise. */
export function pythonFloat(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number =
    typeof value === 'string' && /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(value)
      ? Number(value)
      : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** `bool(value)`: empty lists and dictionaries are false too. */
export function pythonTruthy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

/** `a == b` for scalars: booleans are numbers, numbers are never strings. */
export function pythonEquals(a: unknown, b: unknown): boolean {
  return (typeof a === 'boolean' ? Number(a) : a) === (typeof b === 'boolean' ? Number(b) : b);
}

/** `len(text)`: code points, not UTF-16 units. */
export function pythonLength(text: string): number {
  let length = text.length;
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) length -= pair.length;
  return length;
}

/** `text.isprintable()` */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

function reprOfString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(ESCAPED, (character) => ESCAPES[character] ?? escaped(character));
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function reprOfNumber(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan';
  // Whole numbers of any size were written as integers in the JSON: no exponent.
  if (Number.isInteger(value)) return BigInt(value).toString();
  return String(value).replace(/e-(\d)$/, 'e-0$1');
}
