/** Fragments of SQL text that several stores share. Identifiers here are ours, never a caller's. */

/** A timestamptz expression as the API writes it: `2026-11-30T13:28:38Z`. */
export function apiTime(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** The JSON text of an expression whose text needs no escaping. */
export function quotedJson(expression: string): string {
  return `coalesce('"' || ${expression} || '"', 'null')`;
}

/** Collects parameters while SQL text is built: `add(value)` gives its placeholder. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown, cast?: string): string {
    this.values.push(value);
    return `$${this.values.length}${cast === undefined ? '' : `::${cast}`}`;
  }
}
