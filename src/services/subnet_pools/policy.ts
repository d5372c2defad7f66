/** Who may do what with subnet pools. */
import { ADMIN, ADMIN_OR_PROJECT_MEMBER, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

const READ = `${ADMIN_OR_PROJECT_READER} or rule:shared_subnetpools`;

export const subnetPoolPolicies = projectPolicies({
  create_subnetpool: ADMIN_OR_PROJECT_MEMBER,
  'create_subnetpool:shared': ADMIN,
  'create_subnetpool:is_default': ADMIN,
  'create_subnetpool:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'create_subnetpools_tags' },
  get_subnetpool: READ,
  'get_subnetpool:tags': { check: READ, former_name: 'get_subnetpools_tags' },
  update_subnetpool: ADMIN_OR_PROJECT_MEMBER,
  'update_subnetpool:is_default': ADMIN,
  'update_subnetpool:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'update_subnetpools_tags' },
  delete_subnetpool: ADMIN_OR_PROJECT_MEMBER,
  'delete_subnetpool:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'delete_subnetpools_tags' },
  onboard_network_subnets: ADMIN_OR_PROJECT_MEMBER,
  add_prefixes: ADMIN_OR_PROJECT_MEMBER,
  remove_prefixes: ADMIN_OR_PROJECT_MEMBER,
});
