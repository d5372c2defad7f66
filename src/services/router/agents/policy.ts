/** Who may see and say which L3 agents have a router. */
import { ADMIN, projectPolicies } from '#src/policy/mod.ts';

export const l3AgentPolicies = projectPolicies({
  'create_l3-router': ADMIN,
  'get_l3-routers': ADMIN,
  'delete_l3-router': ADMIN,
  'get_l3-agents': ADMIN,
});
