/**
 * The verbs of security group rules. A rule is never changed, only made and deleted, and that is a change of its group: the
 * group's row is locked first, so that of two equal rules at once the second is found out.
 */
import { insertRows, listRows, Parameters, showRow, showRows } from '#src/db/mod.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { publisher } from './callbacks.ts';
import { listWithDefaultGroup } from './default_group.ts';
import {
  AddressGroupNotFound,
  DuplicateSecurityGroupRuleInPost,
  SecurityGroupNotFound,
  SecurityGroupNotSingleGroupRules,
  SecurityGroupRuleExists,
  SecurityGroupRulesNotSingleProject,
} from './errors.ts';
import { MATCH_COLUMNS, matchKey, matchOf, SAME_MATCH, sameness } from './matches.ts';
import { GROUP_OWNER, RULES } from './reading.ts';
import { addressGroupScope, groupScope, ruleScope } from './scope.ts';
import { keepInPlace, reviseGroup } from './store.ts';

const COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  security_group_id: 'uuid',
  description: 'text',
  ...MATCH_COLUMNS,
  remote_group_id: 'uuid',
} as const;

export function ruleVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, quota, callbacks } = host;
  const rules = publisher(callbacks, 'security_group_rule');

  const visible = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const asked = fields === undefined ? undefined : [...fields, GROUP_OWNER];
    const rule = await showRow(tx ?? db.sql, RULES, id, asked, ruleScope(context));
    if (rule === undefined) throw RULES.notFound(id);
    return rule;
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const { group, project } = oneGroup(context, bodies);
    const drafts = bodies.map((body) => ({ id: newId<'security_group_rule'>(), body, match: matchOf(body) }));
    refuseTwice(drafts);
    for (const { match } of drafts) refuseImpossibleIds(group, match);
    await rules.beforeCreate(context, drafts);
    const rows = drafts.map(({ id, body, match }) => ({
      ...match,
      id,
      project_id: project,
      security_group_id: group,
      description: body['description'] ?? '',
    }));
    const created = await db.transaction({ label: 'create_security_group_rule' }, async (tx) => {
      const created = await write(tx, context, group, rows);
      await rules.precommitCreate(tx, context, created, bodies);
      await quota.charge(tx, project, { security_group_rule: created.length });
      return created;
    });
    await rules.afterCreate(context, created, bodies);
    return created;
  };

  /** Sends all at once: what the check finds is thrown before what then failed because of it. */
  const write = async (tx: Transaction, context: Context, group: string, rows: readonly Row[]) => {
    const [, , revised, checked, inserted, read] = await Promise.allSettled([
      // What is named is locked first, as by who deletes it: then no two wait for each other.
      keepInPlace(tx, 'security_groups', named(rows, 'remote_group_id')),
      keepInPlace(tx, 'address_groups', named(rows, 'remote_address_group_id')),
      reviseGroup(tx, group, groupScope(context)),
      findObstacle(tx, context, group, rows),
      insertRows(tx, 'security_group_rules', COLUMNS, rows),
      showRows(
        tx,
        RULES,
        rows.map(({ id }) => id),
      ),
    ]);
    const found = settled(revised);
    const obstacle = settled(checked);
    if (obstacle?.remote_group != null) throw new SecurityGroupNotFound(obstacle.remote_group);
    if (obstacle?.address_group != null) throw new AddressGroupNotFound(obstacle.address_group);
    if (found === undefined) throw new SecurityGroupNotFound(group);
    if (obstacle?.existing != null) throw new SecurityGroupRuleExists(obstacle.existing);
    settled(inserted);
    return settled(read);
  };

  return {
    create_security_group_rule: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_security_group_rule_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    get_security_group_rule: (context, { id = '', fields }) => visible(context, id, undefined, fields),

    get_security_group_rules: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listWithDefaultGroup(host, context, query, () =>
        listRows(db.sql, RULES, withGroupOwner(query), ruleScope(context)),
      ),

    async delete_security_group_rule(context, { id = '', original: known, if_match }) {
      const original = known ?? (await visible(context, id));
      const revision = original['revision_number'];
      if (if_match !== undefined && if_match !== revision) {
        throw new RevisionNumberConstraintFailed(`Constrained to ${if_match}, but current revision is ${revision}`);
      }
      await rules.publish('before_delete', { context, original }, id);
      await db.transaction({ label: 'delete_security_group_rule' }, async (tx) => {
        await rules.publish('precommit_delete', { context, original, tx }, id);
        const [, gone] = await Promise.all([
          // Its group never changes: whoever sees the rule sees the group's row.
          reviseGroup(tx, String(original['security_group_id']), () => undefined),
          tx`delete from security_group_rules where id = ${id} returning project_id`,
        ]);
        if (gone[0] === undefined) throw RULES.notFound(id);
        await quota.charge(tx, String(original['project_id']), { security_group_rule: -1 });
      });
      await rules.publish('after_delete', { context, original }, id);
    },
  };
}

/** What policy asks of a rule's group is read with the rule. */
function withGroupOwner({ fields, text, ...query }: ListQuery): ListQuery {
  return {
    ...query,
    ...(fields === undefined ? {} : { fields: [...fields, GROUP_OWNER] }),
    ...(text === undefined || text.values.length === 0
      ? { text }
      : { text: { ...text, values: [...text.values, GROUP_OWNER] } }),
  };
}

type Row = Readonly<Record<string, unknown>> & ReturnType<typeof matchOf> & { readonly id: string };

const named = (rows: readonly Row[], column: 'remote_group_id' | 'remote_address_group_id'): readonly string[] =>
  rows.flatMap((row) => row[column] ?? []);

/** All rules of a request are of one group and one project. */
function oneGroup(context: Context, bodies: readonly Resource[]): { readonly group: string; readonly project: string } {
  const groups = new Set(bodies.map((body) => String(body['security_group_id'])));
  if (groups.size > 1) throw new SecurityGroupNotSingleGroupRules();
  const projects = new Set(bodies.map((body) => String(body['project_id'] ?? context.project_id ?? '')));
  if (projects.size > 1) throw new SecurityGroupRulesNotSingleProject();
  return { group: [...groups][0]!, project: [...projects][0]! };
}

function refuseTwice(drafts: readonly { readonly match: ReturnType<typeof matchOf> }[]): void {
  const keys = new Set(drafts.map(({ match }) => matchKey(match)));
  if (keys.size < drafts.length) throw new DuplicateSecurityGroupRuleInPost();
}

/** Ids that PostgreSQL would not read; nothing has such. */
function refuseImpossibleIds(group: string, match: ReturnType<typeof matchOf>): void {
  const { remote_group_id: remote, remote_address_group_id: addresses } = match;
  if (remote !== null && !isUuid(remote)) throw new SecurityGroupNotFound(remote);
  if (addresses !== null && !isUuid(addresses)) throw new AddressGroupNotFound(addresses);
  if (!isUuid(group)) throw new SecurityGroupNotFound(group);
}

interface Obstacle {
  readonly remote_group: string | null;
  readonly address_group: string | null;
  readonly existing: string | null;
}

/** What the rules name and the caller does not see; a rule of the group that matches the same. */
async function findObstacle(
  tx: Transaction,
  context: Context,
  group: string,
  rows: readonly Row[],
): Promise<Obstacle | undefined> {
  const parameters = new Parameters();
  const wanted = parameters.add(rows.map((row) => ({ ...row, ...sameness(row) })));
  const id = parameters.add(group, 'uuid');
  const seen = (table: string, alias: string, column: string, scope: string | undefined) =>
    `(select r.${column} from r where r.${column} is not null and not exists (
        select 1 from ${table} ${alias} where ${alias}.id = r.${column}::uuid${scope === undefined ? '' : ` and ${scope}`}) limit 1)`;
  const text = `
    with r as (select * from json_to_recordset(${wanted}::json) as r (direction text, ethertype text, port_range_min integer,
      port_range_max integer, remote_group_id text, remote_address_group_id uuid, protocols text[], prefixes text[]))
    select ${seen('security_groups', 'g', 'remote_group_id', groupScope(context)(parameters))} as remote_group,
      ${seen('address_groups', 'a', 'remote_address_group_id', addressGroupScope(context)(parameters))} as address_group,
      (select e.id from r join security_group_rules e on e.security_group_id = ${id} and ${SAME_MATCH} limit 1) as existing`;
  const [obstacle] = await tx.unsafe<Obstacle[]>(text, parameters.values as never[], { prepare: true });
  return obstacle;
}

function settled<Value>(outcome: PromiseSettledResult<Value>): Value {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
