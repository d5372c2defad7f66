/** Who may do what with security groups, their rules, and what new groups start with. */
import {
  ADMIN,
  ADMIN_OR_PROJECT_MANAGER,
  ADMIN_OR_PROJECT_MEMBER,
  ADMIN_OR_PROJECT_READER,
  projectPolicies,
} from '#src/policy/mod.ts';

const READER_OR_SHARED = `${ADMIN_OR_PROJECT_READER} or rule:shared_security_group`;
const ADMIN_OR_GROUP_OWNER_MEMBER = `(${ADMIN}) or (role:member and rule:sg_owner)`;
const ADMIN_OR_GROUP_OWNER_READER = `(${ADMIN}) or (role:reader and rule:sg_owner)`;

export const securityGroupPolicies = projectPolicies({
  create_security_group: ADMIN_OR_PROJECT_MEMBER,
  'create_security_group:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'create_security_groups_tags' },
  get_security_group: READER_OR_SHARED,
  'get_security_group:tags': { check: READER_OR_SHARED, former_name: 'get_security_groups_tags' },
  update_security_group: ADMIN_OR_PROJECT_MEMBER,
  'update_security_group:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'update_security_groups_tags' },
  delete_security_group: ADMIN_OR_PROJECT_MEMBER,
  'delete_security_group:tags': { check: ADMIN_OR_PROJECT_MEMBER, former_name: 'delete_security_groups_tags' },
  create_security_group_rule: ADMIN_OR_GROUP_OWNER_MEMBER,
  get_security_group_rule: ADMIN_OR_GROUP_OWNER_READER,
  delete_security_group_rule: ADMIN_OR_GROUP_OWNER_MEMBER,
  create_default_security_group_rule: ADMIN,
  get_default_security_group_rule: 'role:reader',
  delete_default_security_group_rule: ADMIN,
  create_security_groups_default_statefulness: ADMIN_OR_PROJECT_MANAGER,
  get_security_groups_default_statefulness: ADMIN_OR_PROJECT_READER,
  update_security_groups_default_statefulness: ADMIN_OR_PROJECT_MANAGER,
  delete_security_groups_default_statefulness: ADMIN_OR_PROJECT_MANAGER,
});
