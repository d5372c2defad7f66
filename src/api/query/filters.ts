/**
 * Filters: every other parameter of a list. Several values match any of them; values are converted as a body's would be;
 * compound attributes are filtered by key (`fixed_ips=ip_address=10.0.0.3`, `fixed_ips=ip_address_substr=10.`).
 */
import type { AttributeMap, Json } from '#src/lib/api/attributes.ts';
import { type CompiledAttributes, convertFilterValue } from '#src/lib/api/prepare.ts';
import { pythonRepr } from '#src/lib/api/python.ts';
import type { Filter, ListQuery } from '#src/lib/api/query.ts';
import { HttpBadRequest, InvalidInput } from '#src/lib/errors.ts';

/** Parameters that are no filters. */
const OTHERS: ReadonlySet<string> = new Set([
  'fields',
  'sort_key',
  'sort_dir',
  'limit',
  'marker',
  'page_reverse',
  'changed_since',
]);

/** Each takes a comma-separated list: all of, any of, not all of, not any of these tags. */
const TAG_FILTERS: ReadonlySet<string> = new Set(['tags', 'tags-any', 'not-tags', 'not-tags-any']);

const SUBSTRING = '_substr';

/** ISO 8601, as `updated_at` is written, with or without a zone. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

export interface FilterParser {
  parse(params: URLSearchParams): readonly Filter[];
  changedSince(params: URLSearchParams): Pick<ListQuery, 'changed_since'>;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asList(value: unknown): readonly Json[] {
  return (Array.isArray(value) ? value : [value]) as readonly Json[];
}

/** One filter for each key of a compound attribute. */
function byKey(attribute: string, value: Readonly<Record<string, unknown>>): Filter[] {
  return Object.entries(value).map(([key, values]) =>
    key.endsWith(SUBSTRING)
      ? { attribute, operator: 'substring', key: key.slice(0, -SUBSTRING.length), values: asList(values) }
      : { attribute, operator: 'in', key, values: asList(values) },
  );
}

export function compileFilters(source: {
  readonly attributes: AttributeMap;
  readonly compiled: CompiledAttributes;
  readonly aliases: ReadonlySet<string>;
}): FilterParser {
  const { attributes, compiled, aliases } = source;
  const strict = aliases.has('filter-validation');
  const keepsEmpty = aliases.has('empty-string-filtering');
  const known = new Set(Object.keys(attributes).filter((name) => !strict || attributes[name]!.is_filter));
  const owner = Object.hasOwn(attributes, 'project_id') ? 'project_id' : 'tenant_id';
  const owned = known.has('project_id') || known.has('tenant_id');
  const tagged = Object.hasOwn(attributes, 'tags');
  const timed = Object.hasOwn(attributes, 'updated_at');

  function one(name: string, values: readonly string[]): Filter[] {
    if (tagged && TAG_FILTERS.has(name)) {
      return [{ attribute: name, operator: 'in', values: values.flatMap((value) => value.split(',')) }];
    }
    if (owned && (name === 'project_id' || name === 'tenant_id')) {
      return [{ attribute: 'project_id', operator: 'in', values: asList(convertFilterValue(compiled, owner, values)) }];
    }
    if (!known.has(name)) return [];
    const converted = convertFilterValue(compiled, name, values);
    if (isObject(converted)) return byKey(name, converted);
    return [{ attribute: name, operator: 'in', values: asList(converted) }];
  }

  function unknownNames(params: URLSearchParams): string[] {
    return [...new Set(params.keys())].filter(
      (name) =>
        !OTHERS.has(name) &&
        !known.has(name) &&
        !(tagged && TAG_FILTERS.has(name)) &&
        !(owned && (name === 'project_id' || name === 'tenant_id')),
    );
  }

  return {
    parse(params) {
      const unknown = strict ? unknownNames(params) : [];
      if (strict && !timed && params.has('changed_since')) unknown.push('changed_since');
      if (unknown.length > 0) throw new HttpBadRequest(`${pythonRepr(unknown)} is invalid attribute for filtering`);
      const filters: Filter[] = [];
      for (const name of new Set(params.keys())) {
        if (OTHERS.has(name)) continue;
        const values = params.getAll(name).filter((value) => keepsEmpty || value !== '');
        if (values.some((value) => value.includes('\0'))) {
          throw new HttpBadRequest(`the value of '${name}' contains a null character`);
        }
        if (values.length > 0) filters.push(...one(name, values));
      }
      return filters;
    },
    changedSince(params) {
      const value = params.get('changed_since');
      if (value === null || !timed) return {};
      const zone = TIME.exec(value)?.[2];
      const time = new Date(zone === undefined ? `${value}Z` : value);
      const year = time.getUTCFullYear();
      // Years that PostgreSQL writes otherwise than ISO 8601 does are no times of changes.
      if (!TIME.test(value) || !(year >= 1 && year <= 9999)) {
        throw new InvalidInput(
          `The input of 'changed_since' must be in the following format: YYYY-MM-DDTHH:MM:SS[Z|+hh:mm], and not '${value}'`,
        );
      }
      return { changed_since: time.toISOString() };
    },
  };
}
