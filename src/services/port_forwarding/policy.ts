/** Who may do what with port forwardings: whom the floating IP belongs to. */
import { ADMIN_OR_PARENT_OWNER_MEMBER, ADMIN_OR_PARENT_OWNER_READER, projectPolicies } from '#src/policy/mod.ts';

export const portForwardingPolicies = projectPolicies({
  create_floatingip_port_forwarding: ADMIN_OR_PARENT_OWNER_MEMBER,
  get_floatingip_port_forwarding: ADMIN_OR_PARENT_OWNER_READER,
  update_floatingip_port_forwarding: ADMIN_OR_PARENT_OWNER_MEMBER,
  delete_floatingip_port_forwarding: ADMIN_OR_PARENT_OWNER_MEMBER,
});
