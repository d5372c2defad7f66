/** Who may do what with conntrack helpers: whom the router belongs to. */
import { ADMIN_OR_PARENT_OWNER_MEMBER, ADMIN_OR_PARENT_OWNER_READER, projectPolicies } from '#src/policy/mod.ts';

export const conntrackHelperPolicies = projectPolicies({
  create_router_conntrack_helper: ADMIN_OR_PARENT_OWNER_MEMBER,
  get_router_conntrack_helper: ADMIN_OR_PARENT_OWNER_READER,
  update_router_conntrack_helper: ADMIN_OR_PARENT_OWNER_MEMBER,
  delete_router_conntrack_helper: ADMIN_OR_PARENT_OWNER_MEMBER,
});
