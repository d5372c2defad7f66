/** Who may ask for topologies. Whose, is for the verbs: a project that is none yet has no owner to ask about. */
import { ADMIN_OR_PROJECT_MEMBER, ADMIN_OR_PROJECT_READER, projectPolicies } from '#src/policy/mod.ts';

export const topologyPolicies = projectPolicies({
  get_auto_allocated_topology: ADMIN_OR_PROJECT_READER,
  delete_auto_allocated_topology: ADMIN_OR_PROJECT_MEMBER,
});
