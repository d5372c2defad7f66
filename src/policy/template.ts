/**
 * `%(name)s` in a check, filled from the target. Values are compared as Python prints them (`None`, `True`), since the
 * operator's files are written for that; a name that the target lacks makes the check fail.
 */
import type { PolicyTarget } from '#src/lib/policy.ts';

export interface Template {
  /** As written. */
  readonly text: string;
  /** Attributes that it asks for. */
  readonly names: readonly string[];
  /** Undefined where the target lacks one of them. */
  fill(target: PolicyTarget): string | undefined;
}

/** Reads a template; `%%` is a percent sign. Undefined where a `%` stands for nothing known. */
export function parseTemplate(text: string): Template | undefined {
  const literals: string[] = [''];
  const names: string[] = [];
  for (const [part, name] of text.matchAll(/%\(([^)]+)\)[sdr]|%%|%|[^%]+/g)) {
    if (part === '%') return undefined;
    if (name === undefined) literals[literals.length - 1] += part === '%%' ? '%' : part;
    else {
      names.push(name);
      literals.push('');
    }
  }
  const [only] = names;
  if (only === undefined) return { text, names, fill: () => literals[0] };
  if (names.length === 1 && literals.every((literal) => literal === '')) {
    return { text, names, fill: (target) => printed(targetValue(target, only)) };
  }
  return {
    text,
    names,
    fill(target) {
      let filled = literals[0]!;
      for (const [index, name] of names.entries()) {
        const value = printed(targetValue(target, name));
        if (value === undefined) return undefined;
        filled += value + literals[index + 1];
      }
      return filled;
    },
  };
}

/** The attribute; `tenant_id` and `project_id` are one, also of a parent. */
export function targetValue(target: PolicyTarget, name: string): unknown {
  const value = target[name];
  if (value !== undefined) return value;
  if (name.endsWith('tenant_id')) return target[name.replace(/tenant_id$/, 'project_id')];
  if (name.endsWith('project_id')) return target[name.replace(/project_id$/, 'tenant_id')];
  return undefined;
}

/** The value as Python's str() would print it; undefined stays so. */
export function printed(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
