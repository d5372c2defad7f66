/** Who may do what with address groups. */
import { ADMIN_OR_PROJECT_MEMBER, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

export const addressGroupPolicies = projectPolicies({
  create_address_group: ADMIN_OR_PROJECT_MEMBER,
  get_address_group: `${ADMIN_OR_PROJECT_READER} or rule:shared_address_groups`,
  update_address_group: ADMIN_OR_PROJECT_MEMBER,
  delete_address_group: ADMIN_OR_PROJECT_MEMBER,
});
