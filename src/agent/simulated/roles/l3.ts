/** The L3 agent without routers: it reports, and hears what the server has for it. */
import * as v from 'valibot';
import type { MessageTopic } from '#src/agent/sdk/mod.ts';
import type { StartRole } from './role.ts';

const L3_AGENT = {
  topic: 'l3_agent',
  messages: { agent_updated: v.looseObject({ payload: v.looseObject({ admin_state_up: v.boolean() }) }) },
} as const satisfies MessageTopic;

/** Sets the role up. */
export const startL3: StartRole = async ({ agent }) => {
  await agent.listen(L3_AGENT, { agent_updated: () => void agent.resync() });
  return { settled: async () => {} };
};
