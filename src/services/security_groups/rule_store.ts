/** SQL of new rules: one statement that says what is in the way, or writes the rules and reads them back. */
import { Parameters } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { MATCH_COLUMNS, type Match, SAME_MATCH, sameness } from './matches.ts';
import { RULES } from './reading.ts';
import { addressGroupScope, groupScope } from './scope.ts';

export interface NewRule extends Match {
  readonly id: string;
  readonly project_id: string;
  readonly description: unknown;
}

/** What rules name and the caller does not see; a rule of the group that matches the same. */
export interface Obstacle {
  readonly remote_group: string | null;
  readonly address_group: string | null;
  readonly existing: string | null;
}

const COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  description: 'text',
  ...MATCH_COLUMNS,
  remote_group_id: 'uuid',
} as const;
const NAMES = Object.keys(COLUMNS).join(', ');
const RECORD = Object.entries({ ...COLUMNS, protocols: 'text[]', prefixes: 'text[]' })
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
const READ = Object.entries(RULES.attributes)
  .filter(([, { hidden }]) => hidden !== true)
  .map(([name, { select }]) => `${select} as "${name}"`)
  .join(', ');

/**
 * The first value of a column of `r` that names nothing visible. Here and below, what is looked up for each of the few rows is
 * kept from being joined with the whole table: of records in JSON PostgreSQL expects a hundred.
 */
const unseen = (column: string, table: string, alias: string, scope = 'true'): string => `
  (select r.${column} from r where r.${column} is not null
    and not exists (select 1 from ${table} ${alias} where ${alias}.id = r.${column} and ${scope} offset 0) limit 1)`;

/**
 * Writes rules of one group, whose row is locked; none where something is in the way, or where the caller does not see the group.
 * Answers the rules in the order of `rows`.
 */
export async function makeRules(
  tx: Transaction,
  context: Context,
  group: string,
  rows: readonly NewRule[],
): Promise<{ readonly rules: readonly Resource[]; readonly obstacle: Obstacle | undefined }> {
  const parameters = new Parameters();
  const records = parameters.add(
    rows.map((row) => ({ ...row, ...sameness(row) })),
    'json',
  );
  const id = parameters.add(group, 'uuid');
  const seen = groupScope(context)(parameters);
  const text = `
    with r as (select * from json_to_recordset(${records}) as r (${RECORD})),
    g as (select * from security_groups g where g.id = ${id} and ${seen ?? 'true'}),
    obstacle as (
      select ${unseen('remote_group_id', 'security_groups', 'g', seen)} as remote_group,
        ${unseen('remote_address_group_id', 'address_groups', 'a', addressGroupScope(context)(parameters))} as address_group,
        (select e.id from r cross join lateral (
          select e.id from security_group_rules e where e.security_group_id = ${id} and ${SAME_MATCH} limit 1) e limit 1) as existing),
    made as (
      insert into security_group_rules (security_group_id, ${NAMES})
      select g.id, ${NAMES.replaceAll(/\w+/g, 'r.$&')} from r cross join g
      where (select num_nonnulls(remote_group, address_group, existing) = 0 from obstacle)
      returning *)
    select obstacle.*, ${READ} from obstacle left join (made r cross join g) on true`;
  const answered = await tx.unsafe<(Obstacle & Resource)[]>(text, parameters.values as never[], { prepare: true });
  const rules = new Map<unknown, Resource>();
  for (const { remote_group, address_group, existing, ...rule } of answered) rules.set(rule['id'], rule);
  const inOrder = rows.map(({ id }) => rules.get(id)).filter((rule) => rule !== undefined);
  return { rules: inOrder, obstacle: answered[0] };
}
