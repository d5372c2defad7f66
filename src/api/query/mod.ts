/**
 * The query string of a list or show: filters, `fields`, sort keys and the page, checked and converted once into what
 * plugins take (`ListQuery`). What can be known of a resource is worked out at start.
 */

import type { AttributeMap } from '#src/lib/api/attributes.ts';
import type { CompiledAttributes } from '#src/lib/api/prepare.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import { compileFields, type Fields } from './fields.ts';
import { compileFilters } from './filters.ts';
import { type Page, parsePage } from './page.ts';
import { compileSorts } from './sorts.ts';

export { pageLinks } from './links.ts';
export { maxLimit, type Page } from './page.ts';

export interface QuerySource {
  readonly attributes: AttributeMap;
  readonly compiled: CompiledAttributes;
  /** The attribute that names an item. */
  readonly key: string;
  /** Aliases that are served: some change what a query may say. */
  readonly aliases: ReadonlySet<string>;
  readonly maxLimit: number | undefined;
  /** Attributes that policy reads, beside those marked `required_by_policy`. */
  readonly policyAttributes: Iterable<string>;
}

/** A list request as the controller needs it. */
export interface ListRequest {
  readonly query: ListQuery;
  /** What to show; undefined: all that may be seen. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly page: Page;
}

export interface QueryParser {
  list(params: URLSearchParams): ListRequest;
  fields(params: URLSearchParams): Fields;
}

/** Builds the parser of one resource's queries. */
export function compileQuery(source: QuerySource): QueryParser {
  const fields = compileFields(source);
  const filters = compileFilters(source);
  const sorts = compileSorts(source);
  /** What a list without a query asks for: the usual case, made once. */
  const plain: ListRequest | undefined =
    source.maxLimit === undefined
      ? {
          query: { filters: [], sorts: sorts(new URLSearchParams()), reverse: false },
          shown: undefined,
          page: parsePage(new URLSearchParams(), undefined),
        }
      : undefined;
  return {
    fields,
    list(params) {
      if (plain !== undefined && params.size === 0) return plain;
      const { shown, read } = fields(params);
      const page = parsePage(params, source.maxLimit);
      const query: ListQuery = {
        filters: filters.parse(params),
        sorts: sorts(params),
        reverse: page.reverse,
        ...(page.limit === undefined ? {} : { limit: page.limit }),
        ...(page.marker === undefined ? {} : { marker: page.marker }),
        ...(read === undefined ? {} : { fields: read }),
        ...filters.changedSince(params),
      };
      return { query, shown, page };
    },
  };
}
