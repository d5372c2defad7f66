/**
 * How the standard attributes are read and filtered, the same in every resource that has them (`hasStandardAttributes`):
 * spread into its attributes with the alias of its row.
 */
import type { Filter } from '#src/lib/api/query.ts';
import type { AttributeSql } from './list.ts';
import { apiTime, type Parameters, quotedJson } from './sql_text.ts';

/** The condition `tags <> '{}'` is what the partial indexes on tags ask for: rows without tags cost them nothing. */
const tagFilters: Readonly<Record<string, (tags: string, wanted: string) => string>> = {
  tags: (tags, wanted) => `(${tags} <> '{}' and ${tags} @> ${wanted})`,
  'tags-any': (tags, wanted) => `(${tags} <> '{}' and ${tags} && ${wanted})`,
  'not-tags': (tags, wanted) => `not (${tags} @> ${wanted})`,
  'not-tags-any': (tags, wanted) => `not (${tags} && ${wanted})`,
};

const time = (column: string): AttributeSql => ({ select: apiTime(column), json: quotedJson(apiTime(column)) });

/** Description, tags with their filters, revision and timestamps of the row that goes by `alias`. */
export function standardAttributes(alias: string): Readonly<Record<string, AttributeSql>> {
  const tags = `${alias}.tags`;
  const filters = Object.entries(tagFilters).map(([name, condition]): [string, AttributeSql] => [
    name,
    {
      select: `array_to_json(${tags})`,
      json: `case when ${tags} = '{}' then '[]' else array_to_json(${tags}) end`,
      filter: ({ values }: Filter, parameters: Parameters) => condition(tags, parameters.add(values, 'text[]')),
      sort: false,
      hidden: name !== 'tags',
    },
  ]);
  return {
    description: { select: `${alias}.description` },
    revision_number: { select: `${alias}.revision_number`, type: 'integer' },
    created_at: time(`${alias}.created_at`),
    updated_at: time(`${alias}.updated_at`),
    ...Object.fromEntries(filters),
  };
}
