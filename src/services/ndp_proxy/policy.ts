/** Who may do what with NDP proxies. */
import { ADMIN_OR_PROJECT_MEMBER, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

export const ndpProxyPolicies = projectPolicies({
  create_ndp_proxy: ADMIN_OR_PROJECT_MEMBER,
  get_ndp_proxy: ADMIN_OR_PROJECT_READER,
  update_ndp_proxy: ADMIN_OR_PROJECT_MEMBER,
  delete_ndp_proxy: ADMIN_OR_PROJECT_MEMBER,
});
