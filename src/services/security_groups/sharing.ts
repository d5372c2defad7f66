/** Sharing of security groups by RBAC policies. */
import { refuseWhileUsed } from '#src/db/mod.ts';
import type { RbacObjectType } from '#src/lib/plugin.ts';

const USERS = `
  select p.project_id from port_security_groups m join ports p on p.id = m.port_id where m.security_group_id = $1::uuid
  union all
  select r.project_id from security_group_rules r where r.remote_group_id = $1::uuid`;

export const securityGroupSharing: RbacObjectType = {
  type: 'security_group',
  table: 'security_group_rbacs',
  column: 'object_id',
  objects: 'security_groups',
  actions: ['access_as_shared'],
  release: (tx, share) => refuseWhileUsed(tx, securityGroupSharing, share, USERS),
};
