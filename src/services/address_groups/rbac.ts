/** Address groups as RBAC policies share them. */
import { refuseWhileUsed } from '#src/db/mod.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';

const SHARES = { table: 'address_group_rbacs', column: 'object_id', objects: 'address_groups' } as const;

/** Whoever has a rule that points to the group needs to see it. */
const USERS = 'select project_id from security_group_rules where remote_address_group_id = $1::uuid';

export const addressGroupRbac: RbacObjectType = {
  type: 'address_group',
  ...SHARES,
  actions: ['access_as_shared'],
  release: (tx, share) => refuseWhileUsed(tx, SHARES, share, USERS),
};
