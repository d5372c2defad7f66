/**
 * L3 agents: which of them have a router, who says so by hand, and what becomes of the routers of those that die
 * (neutron.db.l3_agentschedulers_db, neutron.scheduler.l3_agent_scheduler).
 */
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import { guardZones } from './attributes.ts';
import { L3_AGENT_EXTENSIONS } from './definition.ts';
import { failoverWorker } from './failover.ts';
import { follow } from './hooks.ts';
import { l3AgentPolicies } from './policy.ts';
import { agentVerbs } from './service.ts';

export { agentAttributes } from './attributes.ts';
export {
  createScheduling,
  type Given,
  type RouterAgent,
  type RouterAgentsChange,
  type RouterScheduling,
  type SchedulingWork,
} from './scheduling.ts';

/** The agents' part of the plugin; it follows routers and agents from now on. */
export function l3Agents(host: RouterHost): PluginPart {
  guardZones(host.callbacks);
  follow(host);
  return {
    extensions: L3_AGENT_EXTENSIONS,
    policies: l3AgentPolicies,
    verbs: agentVerbs(host),
    workers: () => (host.scheduling.settings.failover ? [failoverWorker(host)] : []),
  };
}
