/** High availability is the administrator's: others neither ask for it nor see it. */
import { ADMIN, projectPolicies } from '#src/policy/mod.ts';

export const haPolicies = projectPolicies({
  'create_router:ha': ADMIN,
  'get_router:ha': ADMIN,
  'update_router:ha': ADMIN,
});
