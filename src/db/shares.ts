/** Who loses an object when a share of it is taken back: the question behind `release` of every `RbacObjectType`. */
import type { Transaction } from '#src/lib/database.ts';
import { RbacPolicyInUse } from '#src/lib/errors.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';

/** A share that has just been taken back. */
export type TakenBack = Parameters<NonNullable<RbacObjectType['release']>>[1];

/**
 * Throws RbacPolicyInUse when a project uses the object that could only do so by the share: neither the owner nor in another
 * share of the same action. `users` selects the `project_id`s of what uses the object, whose id is `$1`.
 */
export async function refuseWhileUsed(
  tx: Transaction,
  { table, column, objects }: Pick<RbacObjectType, 'table' | 'column' | 'objects'>,
  share: TakenBack,
  users: string,
): Promise<void> {
  const text = `
    select users.project_id from (${users}) users
    where $3::text in (users.project_id, '*') and users.project_id <> ''
      and users.project_id <> (select o.project_id from ${objects} o where o.id = $1::uuid)
      and not exists (
        select 1 from ${table} r
        where r.${column} = $1::uuid and r.action = $2::text and r.target_project in (users.project_id, '*'))
    limit 1`;
  const { object_id, action, target_project } = share;
  const [user] = await tx.unsafe<{ project_id: string }[]>(text, [object_id, action, target_project], {
    prepare: true,
  });
  if (user !== undefined) throw new RbacPolicyInUse(object_id, `project ${user.project_id} uses it`);
}
