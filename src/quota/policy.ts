/** Who may read and change quotas. */
import { ADMIN, ADMIN_OR_PROJECT_MANAGER, projectPolicies } from '#src/policy/mod.ts';

export const quotaPolicies = projectPolicies({
  get_quota: ADMIN_OR_PROJECT_MANAGER,
  update_quota: ADMIN,
  delete_quota: ADMIN,
});
