/**
 * The verbs of security group rules. A rule is never changed, only made and deleted, and that is a change of its group: the
 * group's row is locked first, so that of two equal rules at once the second is found out.
 */
import { listRows, showRow } from '#src/db/mod.ts';
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
import { type Match, matchKey, matchOf } from './matches.ts';
import { leaver, rulesChanged } from './notifier.ts';
import { GROUP_OWNER, RULES } from './reading.ts';
import { makeRules, type NewRule } from './rule_store.ts';
import { groupScope, ruleScope } from './scope.ts';
import { keepInPlace, reviseGroup } from './store.ts';

export function ruleVerbs(host: PluginHost): Readonly<Record<string, Verb>> {
  const { db, quota, callbacks } = host;
  const leave = leaver(host.outbox);
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
      description: body['description'] ?? '',
    }));
    const created = await db.transaction({ label: 'create_security_group_rule' }, async (tx, last) => {
      const created = await write(tx, context, group, rows);
      leave(tx, context, rulesChanged(created));
      await rules.precommitCreate(tx, context, created, bodies);
      await quota.charge(tx, project, { security_group_rule: created.length }, last);
      return created;
    });
    await rules.afterCreate(context, created, bodies);
    return created;
  };

  const write = async (tx: Transaction, context: Context, group: string, rows: readonly NewRule[]) => {
    const [, , found, { rules, obstacle }] = await Promise.all([
      // What is named is locked first, as by who deletes it: then no two wait for each other.
      keepInPlace(tx, 'security_groups', named(rows, 'remote_group_id')),
      keepInPlace(tx, 'address_groups', named(rows, 'remote_address_group_id')),
      reviseGroup(tx, group, groupScope(context)),
      makeRules(tx, context, group, rows),
    ]);
    if (obstacle?.remote_group != null) throw new SecurityGroupNotFound(obstacle.remote_group);
    if (obstacle?.address_group != null) throw new AddressGroupNotFound(obstacle.address_group);
    if (found === undefined) throw new SecurityGroupNotFound(group);
    if (obstacle?.existing != null) throw new SecurityGroupRuleExists(obstacle.existing);
    return rules;
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
      await db.transaction({ label: 'delete_security_group_rule' }, async (tx, last) => {
        await rules.publish('precommit_delete', { context, original, tx }, id);
        const [, gone] = await Promise.all([
          // Its group never changes: whoever sees the rule sees the group's row.
          reviseGroup(tx, String(original['security_group_id']), () => undefined),
          tx`delete from security_group_rules where id = ${id} returning project_id`,
        ]);
        if (gone[0] === undefined) throw RULES.notFound(id);
        leave(tx, context, rulesChanged([original]));
        await quota.charge(tx, String(original['project_id']), { security_group_rule: -1 }, last);
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

const named = (rows: readonly NewRule[], column: 'remote_group_id' | 'remote_address_group_id'): readonly string[] =>
  rows.flatMap((row) => row[column] ?? []);

/** All rules of a request are of one group and one project. */
function oneGroup(context: Context, bodies: readonly Resource[]): { readonly group: string; readonly project: string } {
  const groups = new Set(bodies.map((body) => String(body['security_group_id'])));
  if (groups.size > 1) throw new SecurityGroupNotSingleGroupRules();
  const projects = new Set(bodies.map((body) => String(body['project_id'] ?? context.project_id ?? '')));
  if (projects.size > 1) throw new SecurityGroupRulesNotSingleProject();
  return { group: [...groups][0]!, project: [...projects][0]! };
}

function refuseTwice(drafts: readonly { readonly match: Match }[]): void {
  const keys = new Set(drafts.map(({ match }) => matchKey(match)));
  if (keys.size < drafts.length) throw new DuplicateSecurityGroupRuleInPost();
}

/** Ids that PostgreSQL would not read; nothing has such. */
function refuseImpossibleIds(group: string, match: Match): void {
  const { remote_group_id: remote, remote_address_group_id: addresses } = match;
  if (remote !== null && !isUuid(remote)) throw new SecurityGroupNotFound(remote);
  if (addresses !== null && !isUuid(addresses)) throw new AddressGroupNotFound(addresses);
  if (!isUuid(group)) throw new SecurityGroupNotFound(group);
}
