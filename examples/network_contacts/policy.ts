/** Who may do what with contacts: their project, and the owner of the network (`network:project_id`, found by `network_id`). */
import {
  ADMIN_OR_NETWORK_OWNER_MEMBER,
  ADMIN_OR_NETWORK_OWNER_READER,
  ADMIN_OR_PROJECT_MEMBER,
  PROJECT_READER,
  projectPolicies,
} from '#src/plugin_api/mod.ts';

export const policies = projectPolicies({
  create_network_contact: ADMIN_OR_NETWORK_OWNER_MEMBER,
  get_network_contact: `${ADMIN_OR_NETWORK_OWNER_READER} or (${PROJECT_READER})`,
  update_network_contact: ADMIN_OR_PROJECT_MEMBER,
  delete_network_contact: `${ADMIN_OR_NETWORK_OWNER_MEMBER} or ${ADMIN_OR_PROJECT_MEMBER}`,
});
