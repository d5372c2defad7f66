/** The verbs of the rules that new groups start with, which administrators make and delete. */
import { insertRows, listRows, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { PluginHost, Verb } from '#src/lib/plugin.ts';
import { AddressGroupNotFound, DefaultSecurityGroupRuleExists, SecurityGroupNotFound } from './errors.ts';
import { MATCH_COLUMNS, type Match, matchOf, SAME_MATCH, sameness } from './matches.ts';
import { DEFAULT_RULES } from './reading.ts';

const TABLE = 'default_security_group_rules';
const COLUMNS = {
  id: 'uuid',
  description: 'text',
  used_in_default_sg: 'boolean',
  used_in_non_default_sg: 'boolean',
  ...MATCH_COLUMNS,
} as const;
/** The remote group that stands for the group itself. */
const PARENT = 'PARENT';

interface Row extends Match {
  readonly id: string;
  readonly description: unknown;
  readonly used_in_default_sg: unknown;
  readonly used_in_non_default_sg: unknown;
}

export function defaultRuleVerbs({ db }: PluginHost): Readonly<Record<string, Verb>> {
  const visible = async (id: string, fields?: readonly string[]) => {
    const rule = await showRow(db.sql, DEFAULT_RULES, id, fields);
    if (rule === undefined) throw DEFAULT_RULES.notFound(id);
    return rule;
  };

  return {
    create_default_security_group_rule: (_, { body = {} }) => {
      const row: Row = {
        ...matchOf(body),
        id: newId<'default_security_group_rule'>(),
        description: body['description'] ?? '',
        used_in_default_sg: body['used_in_default_sg'],
        used_in_non_default_sg: body['used_in_non_default_sg'],
      };
      return db.transaction({ label: 'create_default_security_group_rule' }, async (tx) => {
        await refuseUnknownRemotes(tx, row);
        await refuseEqual(tx, row);
        await insertRows(tx, TABLE, COLUMNS, [{ ...row }]).catch((error) => {
          // The only thing that it points to.
          throw violatedConstraint(error) === undefined
            ? error
            : new AddressGroupNotFound(`${row.remote_address_group_id}`);
        });
        return (await showRows(tx, DEFAULT_RULES, [row.id]))[0];
      });
    },

    get_default_security_group_rule: (_, { id = '', fields }) => visible(id, fields),
    get_default_security_group_rules: (_, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, DEFAULT_RULES, query),

    async delete_default_security_group_rule(_, { id = '', original, if_match }) {
      const { revision_number: revision } = original ?? (await visible(id));
      if (if_match !== undefined && if_match !== revision) {
        throw new RevisionNumberConstraintFailed(`Constrained to ${if_match}, but current revision is ${revision}`);
      }
      const gone = await db.sql`delete from default_security_group_rules where id = ${id} returning id`;
      if (gone.length === 0) throw DEFAULT_RULES.notFound(id);
    },
  };
}

/** A remote group is the group itself or one that exists; it is kept from being deleted until this is done. */
async function refuseUnknownRemotes(
  tx: Transaction,
  { remote_group_id: group, remote_address_group_id: addresses }: Row,
) {
  if (group !== null && group !== PARENT) {
    const [found] = isUuid(group) ? await tx`select 1 from security_groups where id = ${group} for key share` : [];
    if (found === undefined) throw new SecurityGroupNotFound(group);
  }
  if (addresses !== null) {
    const [found] = isUuid(addresses) ? await tx`select 1 from address_groups where id = ${addresses}` : [];
    if (found === undefined) throw new AddressGroupNotFound(addresses);
  }
}

/** One that matches the same and is for the same groups. Such rules are made seldom: one after the other. */
async function refuseEqual(tx: Transaction, row: Row): Promise<void> {
  await tx`lock table default_security_group_rules in share row exclusive mode`;
  const [equal] = await tx.unsafe<{ id: string }[]>(
    `select e.id from json_to_record($1::json) as r (direction text, ethertype text, port_range_min integer,
       port_range_max integer, remote_group_id text, remote_address_group_id uuid, protocols text[], prefixes text[],
       used_in_default_sg boolean, used_in_non_default_sg boolean)
     join default_security_group_rules e on ${SAME_MATCH} and (
       e.used_in_default_sg and r.used_in_default_sg or e.used_in_non_default_sg and r.used_in_non_default_sg)
     limit 1`,
    [{ ...row, ...sameness(row) } as never],
    { prepare: true },
  );
  if (equal !== undefined) throw new DefaultSecurityGroupRuleExists(equal.id);
}
