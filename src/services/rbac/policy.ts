/** Who may share what: with everybody (`*`), only administrators. */
import { ADMIN, ADMIN_OR_PROJECT_MEMBER, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

const NOT_EVERYBODY = 'not field:rbac_policy:target_tenant=* and not field:rbac_policy:target_project=*';

export const rbacPolicyRules = projectPolicies({
  create_rbac_policy: ADMIN_OR_PROJECT_MEMBER,
  'create_rbac_policy:target_tenant': `${ADMIN} or (${NOT_EVERYBODY})`,
  'create_rbac_policy:target_project': `${ADMIN} or not field:rbac_policy:target_project=*`,
  get_rbac_policy: ADMIN_OR_PROJECT_READER,
  update_rbac_policy: ADMIN_OR_PROJECT_MEMBER,
  'update_rbac_policy:target_tenant': `${ADMIN} or (${NOT_EVERYBODY})`,
  'update_rbac_policy:target_project': `${ADMIN} or not field:rbac_policy:target_project=*`,
  delete_rbac_policy: ADMIN_OR_PROJECT_MEMBER,
});
