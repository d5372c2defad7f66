/** `fields`: which attributes to show, and which to read beside them because policy or the links of a page need them. */
import type { AttributeMap } from '#src/lib/api/attributes.ts';

export interface Fields {
  /** Undefined: all. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly read: readonly string[] | undefined;
}

const ALL: Fields = { shown: undefined, read: undefined };

export function compileFields(source: {
  readonly attributes: AttributeMap;
  readonly key: string;
  readonly policyAttributes: Iterable<string>;
}): (params: URLSearchParams) => Fields {
  const required = new Set([source.key, 'project_id', ...source.policyAttributes]);
  for (const [name, spec] of Object.entries(source.attributes)) {
    if (spec.required_by_policy || spec.primary_key) required.add(name);
  }
  return (params) => {
    if (!params.has('fields')) return ALL;
    const named = params.getAll('fields').filter((name) => name !== '');
    if (named.length === 0) return ALL;
    const shown = new Set(named);
    const known = [...shown].filter((name) => Object.hasOwn(source.attributes, name));
    return { shown, read: [...new Set([...known, ...required])] };
  };
}
