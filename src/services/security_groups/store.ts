/** SQL of security groups beside their reading. */
import { Parameters, type Scope } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { newId } from '#src/lib/ids.ts';

export interface GroupRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly description: string;
  /** Undefined: as the project, or else everybody, has set it. */
  readonly stateful?: boolean | undefined;
  readonly is_default: boolean;
}

export interface MadeGroup {
  readonly id: string;
  readonly project_id: string;
  readonly is_default: boolean;
  /** How many rules it starts with. */
  readonly rules: number;
}

/** The default group of a project. */
export const defaultGroup = (project_id: string): GroupRow => ({
  id: newId<'security_group'>(),
  project_id,
  name: 'default',
  description: 'Default security group',
  stateful: true,
  is_default: true,
});

const MAKE = `
  with r as (
    select * from json_to_recordset($1::json)
      as r (id uuid, project_id text, name text, description text, stateful boolean, is_default boolean)),
  made as (
    insert into security_groups (id, project_id, name, description, stateful, is_default, revision_number)
    select r.id, r.project_id, r.name, r.description, coalesce(
        r.stateful,
        (select d.stateful from security_groups_default_statefulness d where d.project_id = r.project_id),
        (select d.stateful from security_groups_default_statefulness d where d.project_id is null),
        true), r.is_default, 1
    from r
    on conflict (project_id) where is_default do nothing
    returning id, project_id, is_default),
  rules as (
    insert into security_group_rules (id, project_id, security_group_id, direction, ethertype, protocol,
      port_range_min, port_range_max, remote_ip_prefix, remote_group_id, remote_address_group_id)
    select gen_random_uuid(), made.project_id, made.id, d.direction, d.ethertype, d.protocol, d.port_range_min,
      d.port_range_max, d.remote_ip_prefix,
      case d.remote_group_id when 'PARENT' then made.id else d.remote_group_id::uuid end, d.remote_address_group_id
    from made join default_security_group_rules d
      on case when made.is_default then d.used_in_default_sg else d.used_in_non_default_sg end
    order by made.id, d.standard_attr_id
    on conflict do nothing
    returning security_group_id)
  select made.*, (select count(*)::int from rules where rules.security_group_id = made.id) as rules from made`;

/**
 * Makes groups with the rules that they start with. A project has one default group: one that is there already, or that
 * somebody else makes at this moment, stays as it is and is missing from the answer.
 */
export async function makeGroups(tx: Transaction, rows: readonly GroupRow[]): Promise<readonly MadeGroup[]> {
  // In one order, so that two requests never wait for each other's default groups.
  const ordered = rows.toSorted((a, b) => (a.project_id < b.project_id ? -1 : a.project_id > b.project_id ? 1 : 0));
  return await tx.unsafe<MadeGroup[]>(MAKE, [ordered as never], { prepare: true });
}

/** Those of the projects that have no default group. */
export async function withoutDefaultGroup(
  db: Pick<Transaction, 'unsafe'>,
  projects: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.unsafe<{ project_id: string }[]>(
    `select p.project_id from unnest($1::text[]) as p (project_id)
     where not exists (select 1 from security_groups g where g.project_id = p.project_id and g.is_default offset 0)`,
    [projects as never],
    { prepare: true },
  );
  return rows.map(({ project_id }) => project_id);
}

/** Keeps what is named from being deleted, shared with fewer or made otherwise, until the transaction ends. */
export async function keepInPlace(
  tx: Transaction,
  table: 'security_groups' | 'address_groups',
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.unsafe(`select 1 from ${table} where id = any($1::uuid[]) order by id for key share`, [ids as never], {
    prepare: true,
  });
}

/** Whether a port is in the group. */
export async function hasPorts(tx: Transaction, id: string): Promise<boolean> {
  const [port] = await tx`select 1 from port_security_groups where security_group_id = ${id} limit 1`;
  return port !== undefined;
}

/** Locks the group for a change of its rules, which is a change of the group; undefined where the scope shows none. */
export async function reviseGroup(
  tx: Transaction,
  id: string,
  scope: Scope,
): Promise<{ readonly id: string } | undefined> {
  const parameters = new Parameters();
  const conditions = [`g.id = ${parameters.add(id, 'uuid')}`, scope(parameters)].filter(Boolean).join(' and ');
  const [group] = await tx.unsafe<{ id: string }[]>(
    `update security_groups g set revision_number = g.revision_number + 1, updated_at = now() where ${conditions} returning g.id`,
    parameters.values as never[],
    { prepare: true },
  );
  return group;
}

export interface RemovedRule {
  readonly id: string;
  readonly project_id: string;
  readonly security_group_id: string;
}

/**
 * Deletes a group with its rules and the rules that name it as their remote group: answers the rules. Groups that lose such
 * a rule change, and are locked before it, as by all who change rules.
 */
export async function deleteGroup(tx: Transaction, id: string): Promise<readonly RemovedRule[]> {
  const [, rules] = await Promise.all([
    tx`
      update security_groups t set revision_number = t.revision_number + 1, updated_at = now()
      from (
        select g.id from security_groups g
        where g.id <> ${id} and g.id in (select r.security_group_id from security_group_rules r where r.remote_group_id = ${id})
        order by g.id for no key update) others
      where t.id = others.id`,
    tx<RemovedRule[]>`
      delete from security_group_rules where security_group_id = ${id} or remote_group_id = ${id}
      returning id, project_id, security_group_id`,
    tx`delete from default_security_group_rules where remote_group_id = ${id}::text`,
    tx`delete from security_groups where id = ${id}`,
  ]);
  return rules;
}
