/** What keeps a port from being ACTIVE, as far as the server knows. */
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { NOT_BOUND } from '../binding/mod.ts';
import type { DiagnosedAgent, DiagnosedBinding, Facts } from './store.ts';

export interface Wait {
  /** `host`, `binding`, `admin_state_up`, `L2` or `DHCP`. */
  readonly entity: string;
  readonly reason: string;
  /** Those that could end it by their report. */
  readonly agents: readonly DiagnosedAgent[];
}

const needing = (entity: string, reason: string): Wait => ({ entity, reason, agents: [] });

/** How many of the agents are there to do something. */
function strength(agents: readonly DiagnosedAgent[], type: string): string {
  if (agents.length === 0) return `there is no ${type}`;
  return agents.some(({ alive }) => alive) ? `the ${type} is alive, and has not reported yet` : `the ${type} is dead`;
}

/** Whose report makes what the binding's lowest level is bound to wired. */
function agentTypeOf({ levels }: DiagnosedBinding, drivers: readonly MechanismDriver[]): string | undefined {
  const lowest = levels.at(-1)?.driver;
  return drivers.find(({ name }) => name === lowest)?.agent_type;
}

/** What a distributed port waits for: the first of its hosts to wire it. */
function ofReplicas(facts: Facts, drivers: readonly MechanismDriver[]): Wait {
  const replicas = facts.bindings.filter(({ host_status }) => host_status !== null);
  if (replicas.length === 0) {
    return needing(
      'host',
      'no host of its router has asked for the port: L2 agents do so when their L3 agent has plugged it in',
    );
  }
  const bound = replicas.filter(({ vif_type }) => !NOT_BOUND.has(vif_type));
  if (bound.length === 0) {
    const hosts = replicas.map(({ host }) => host).join(', ');
    return needing(
      'binding',
      `the port is not bound to any host of its router (${hosts}): see the failures of its bindings`,
    );
  }
  const agents = facts.agents.filter((agent) =>
    bound.some((replica) => replica.host === agent.host && agentTypeOf(replica, drivers) === agent.agent_type),
  );
  const called = agents[0]?.agent_type ?? 'agent';
  const reason = `an ${called} of its hosts has to report that it has wired the port; ${strength(agents, called)}`;
  return { entity: 'L2', reason, agents };
}

/** What the port's active binding waits for. */
function ofBinding(binding: DiagnosedBinding, facts: Facts, drivers: readonly MechanismDriver[]): Wait | undefined {
  const { host, vif_type } = binding;
  if (vif_type === 'distributed') return ofReplicas(facts, drivers);
  if (host === '') return needing('host', 'nobody has said on which host the port is to be (binding:host_id)');
  if (NOT_BOUND.has(vif_type)) {
    return needing('binding', `the port is not bound to host ${host}: see the failures of its binding`);
  }
  const type = agentTypeOf(binding, drivers);
  if (type === undefined && !facts.blocks.includes('L2')) return undefined;
  const agents = facts.agents.filter((agent) => agent.host === host && agent.agent_type === type);
  const called = type ?? 'agent';
  return {
    entity: 'L2',
    reason: `the ${called} on host ${host} has to report that it has wired the port; ${strength(agents, called)}`,
    agents,
  };
}

/** All that the port waits for; nothing once it is ACTIVE. */
export function waitsFor(facts: Facts, drivers: readonly MechanismDriver[]): readonly Wait[] {
  if (facts.status === 'ACTIVE') return [];
  const waits: (Wait | undefined)[] = [];
  if (!facts.admin_state_up) waits.push(needing('admin_state_up', 'the port is disabled'));
  const active = facts.bindings.find(({ status }) => status === 'ACTIVE');
  if (active !== undefined) waits.push(ofBinding(active, facts, drivers));
  if (facts.blocks.includes('DHCP')) {
    const agents = facts.dhcp_agents;
    const reason = `a DHCP agent has to report that it serves the addresses; ${strength(agents, 'DHCP agent')}`;
    waits.push({ entity: 'DHCP', reason, agents });
  }
  return waits.filter((wait) => wait !== undefined);
}
