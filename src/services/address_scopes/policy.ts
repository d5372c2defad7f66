/** Who may do what with address scopes. */
import { ADMIN, ADMIN_OR_PROJECT_MEMBER, PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

export const addressScopePolicies = projectPolicies({
  create_address_scope: ADMIN_OR_PROJECT_MEMBER,
  'create_address_scope:shared': ADMIN,
  get_address_scope: `${ADMIN} or ${PROJECT_READER} or rule:shared_address_scopes`,
  update_address_scope: ADMIN_OR_PROJECT_MEMBER,
  'update_address_scope:shared': ADMIN,
  delete_address_scope: ADMIN_OR_PROJECT_MEMBER,
});
