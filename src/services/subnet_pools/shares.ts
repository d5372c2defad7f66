/** With whom pools may be shared: a pool of an address scope, with those who may use the scope. */
import type { Transaction } from '#src/lib/database.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';
import { RbacPolicyInitError } from './errors.ts';

type Share = Parameters<NonNullable<RbacObjectType['share']>>[1];

/** Throws for a project that does not see the pool's address scope. */
export async function refuseWithoutScope(tx: Transaction, { object_id, target_project }: Share): Promise<void> {
  const found = await tx`
    select 1 from subnetpools p join address_scopes a on a.id = p.address_scope_id
    where p.id = ${object_id} and a.project_id <> ${target_project} and not exists (
      select 1 from address_scope_rbacs r where r.object_id = a.id and r.target_project in ('*', ${target_project}))`;
  if (found.length > 0) {
    throw new RbacPolicyInitError(object_id, `the address scope of the pool is not shared with '${target_project}'`);
  }
}
