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
  readonly security_group_id: string;
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
  security_group_id: 'uuid',
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

/** The first value of a column of `r` that names nothing visible. */
const unseen = (column: string, table: string, alias: string, scope = 'true'): string => `
  (select r.${column} from r where r.${column} is not null
    and not exists (select 1 from ${table} ${alias} where ${alias}.id = r.${column} and ${scope}) limit 1)`;

/**
 * Writes rules of one group, whose row is locked; none where something is in the way, or where the caller does not see the group.
 * Answers the rules in the order of `rows`.
 */
export async function makeRules(
  tx: Transaction,
  context: Context,
  rows: readonly NewRule[],
): Promise<{ readonly rules: readonly Resource[]; readonly obstacle: Obstacle | undefined }> {
  const parameters = new Parameters();
  const records = parameters.add(
    rows.map((row) => ({ ...row, ...sameness(row) })),
    'json',
  );
  const seen = groupScope(context)(parameters);
  const text = `
    with r as (select * from json_to_recordset(${records}) as r (${RECORD})),
    obstacle as (
      select ${unseen('remote_group_id', 'security_groups', 'g', seen)} as remote_group,
        ${unseen('remote_address_group_id', 'address_groups', 'a', addressGroupScope(context)(parameters))} as address_group,
        (select e.id from r join security_group_rules e on e.security_group_id = r.security_group_id and ${SAME_MATCH} limit 1)
          as existing),
    made as (
      insert into security_group_rules (${NAMES})
      select ${NAMES.replaceAll(/\w+/g, 'r.$&')} from r join security_groups g on g.id = r.security_group_id and ${seen ?? 'true'}
      where (select num_nonnulls(remote_group, address_group, existing) = 0 from obstacle)
      returning *)
    select obstacle.*, ${READ} from obstacle
    left join (made r join security_groups g on g.id = r.security_group_id) on true`;
  const answered = await tx.unsafe<(Obstacle & Resource)[]>(text, parameters.values as never[], { prepare: true });
  const rules = new Map<unknown, Resource>(
    answered.map(({ remote_group: _, address_group: __, existing: ___, ...rule }) => [rule['id'], rule]),
  );
  return { rules: rows.flatMap(({ id }) => rules.get(id) ?? []), obstacle: answered[0] };
}
