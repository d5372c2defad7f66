/** What can be wrong with routers and the L3 agents that have them (neutron.extensions.l3agentscheduler). */
import { defineError } from '#src/lib/errors.ts';

export const InvalidL3Agent = defineError(
  'InvalidL3Agent',
  404,
  (id: string) => `Agent ${id} is not a L3 Agent or has been disabled`,
);
export const RouterHostedByL3Agent = defineError(
  'RouterHostedByL3Agent',
  409,
  (router: string, agent: string) => `The router ${router} has been already hosted by the L3 Agent ${agent}.`,
);
export const RouterSchedulingFailed = defineError(
  'RouterSchedulingFailed',
  409,
  (router: string, agent: string) => `Failed scheduling router ${router} to the L3 Agent ${agent}.`,
);
export const RouterL3AgentMismatch = defineError(
  'RouterL3AgentMismatch',
  409,
  (router: string, agent: string) => `Cannot host distributed router ${router} on legacy L3 agent ${agent}.`,
);
export const DVRL3CannotAssignToDvrAgent = defineError(
  'DVRL3CannotAssignToDvrAgent',
  409,
  () => "Not allowed to manually assign a router to an agent in 'dvr' mode.",
);
export const DVRL3CannotRemoveFromDvrAgent = defineError(
  'DVRL3CannotRemoveFromDvrAgent',
  409,
  () => "Not allowed to manually remove a router from an agent in 'dvr' mode.",
);
