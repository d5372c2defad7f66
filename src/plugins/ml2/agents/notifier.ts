/** What agents are told about themselves. */
import type { Notification } from '#src/lib/rpc.ts';

/** Agents that take `agent_updated`, and where (Neutron's agent notifiers). */
const TOPICS: Readonly<Record<string, string>> = {
  'DHCP agent': 'dhcp_agent',
  'L3 agent': 'l3_agent',
  'BGP dynamic routing agent': 'bgp_dragent',
};

/** Tells an agent that it has been enabled or disabled; nothing for those that do not listen. */
export function agentUpdated(
  id: string,
  agent: { readonly agent_type: string; readonly host: string },
  admin_state_up: boolean,
): readonly Notification[] {
  const topic = TOPICS[agent.agent_type];
  if (topic === undefined) return [];
  const args = { payload: { admin_state_up } };
  return [{ to: { host: agent.host }, topic, method: 'agent_updated', args, version: '1.0', key: `agent:${id}` }];
}
