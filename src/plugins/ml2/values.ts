/** Comparing what is asked for with what is. */
import type { Resource } from '#src/lib/plugin.ts';

/** The values of those names that the body has. */
export function pick(body: Resource, names: readonly string[]): Resource {
  return Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));
}

/** The values of `body` (of those names only) that differ from `original`. */
export function changes(
  original: Resource,
  body: Resource,
  names: readonly string[] = Object.keys(body),
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names
      .filter((name) => body[name] !== undefined && !equal(body[name], original[name]))
      .map((name) => [name, body[name]]),
  );
}

/** Whether two JSON values are the same, whatever the order of keys. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key as keyof typeof a], b[key as keyof typeof b]));
}
