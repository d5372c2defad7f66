/**
 * Which roles somebody has somewhere: assigned to the user or a group of the user's, on the place itself or inherited from
 * above it, with all that those roles imply. Roles of a domain count only by what they imply.
 */
import type { Queryable } from '#src/lib/database.ts';
import type { Named } from './claims.ts';

/** A project's or domain's id, or the whole system. */
export type GrantTarget = { readonly id: string } | 'system';

/** The roles of a user on a target, implied ones included, by name. */
export async function effectiveRoles(db: Queryable, userId: string, target: GrantTarget): Promise<readonly Named[]> {
  const id = target === 'system' ? null : target.id;
  return await db<Named[]>`
    with recursive above as (
      select id, parent_id from identity_projects where id = ${id}
      union select p.id, p.parent_id from identity_projects p join above a on p.id = a.parent_id
    ), held as (
      select role_id as id from identity_assignments a
      where (a.user_id = ${userId}
          or a.group_id in (select group_id from identity_group_members where user_id = ${userId}))
        and case when a.inherited
          then a.target_id in (select id from above where id <> ${id})
          else a.target_id is not distinct from ${id} end
      union select i.implied_role_id from identity_role_implications i join held h on h.id = i.prior_role_id
    )
    select r.id, r.name from held join identity_roles r using (id) where r.domain_id is null order by r.name`;
}

/** The ids of the projects and domains on which the user has any role. */
export async function targetsOfUser(db: Queryable, userId: string): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    with recursive held as (
      select target_id, inherited from identity_assignments
      where target_id is not null and (user_id = ${userId}
        or group_id in (select group_id from identity_group_members where user_id = ${userId}))
    ), below as (
      select p.id from identity_projects p join held h on h.inherited and p.parent_id = h.target_id
      union select p.id from identity_projects p join below b on p.parent_id = b.id
    )
    select target_id as id from held where not inherited union select id from below`;
  return rows.map(({ id }) => id);
}

/** Whether the user may do anything on the system. */
export async function hasSystemRole(db: Queryable, userId: string): Promise<boolean> {
  return (await effectiveRoles(db, userId, 'system')).length > 0;
}

/** The roles and all that they imply, by id. */
export async function impliedBy(db: Queryable, roleIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    with recursive held as (
      select unnest(${[...roleIds]}::text[])::varchar as id
      union select i.implied_role_id from identity_role_implications i join held h on h.id = i.prior_role_id
    )
    select id from held`;
  return rows.map(({ id }) => id);
}
