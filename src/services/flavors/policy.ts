/** Who may do what with flavors: operators make them, everybody sees what there is to choose from. */
import { ADMIN, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

export const flavorPolicies = projectPolicies({
  create_flavor: ADMIN,
  get_flavor: 'role:reader',
  update_flavor: ADMIN,
  delete_flavor: ADMIN,
  create_service_profile: ADMIN,
  get_service_profile: ADMIN,
  update_service_profile: ADMIN,
  delete_service_profile: ADMIN,
  create_flavor_service_profile: ADMIN,
  get_flavor_service_profile: ADMIN_OR_PROJECT_READER,
  delete_flavor_service_profile: ADMIN,
  get_service_provider: 'role:reader',
});
