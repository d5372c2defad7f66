/**
 * Which agents get a resource (neutron.scheduler): the least loaded, or any by chance; spread over availability zones where that
 * is asked for. It knows nothing of what the resource is: networks and DHCP agents, routers and L3 agents.
 */

/** An agent that may get the resource. */
export interface Candidate {
  readonly id: string;
  readonly availability_zone: string | null;
  readonly load: number;
}

/** `zones`: the least loaded of the zone that has the fewest so far. */
export type ChoiceMethod = 'chance' | 'load' | 'zones';

/** As many of the candidates as are needed, or all; `present` are the zones of the agents that have the resource already. */
export function chooseAgents<Agent extends Candidate>(
  candidates: readonly Agent[],
  needed: number,
  method: ChoiceMethod,
  present: readonly (string | null)[] = [],
  random: () => number = Math.random,
): readonly Agent[] {
  // Chance decides between equals: otherwise everybody would choose the same one until its load shows.
  const waiting = candidates
    .map((agent) => ({ agent, chance: random() }))
    .toSorted((a, b) => (method === 'chance' ? 0 : a.agent.load - b.agent.load) || a.chance - b.chance)
    .map(({ agent }) => agent);
  if (method !== 'zones') return waiting.slice(0, Math.max(needed, 0));
  const counts = new Map<string | null, number>();
  for (const zone of present) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const countOf = (agent: Agent) => counts.get(agent.availability_zone) ?? 0;
  const chosen: Agent[] = [];
  while (chosen.length < needed && waiting.length > 0) {
    const fewest = Math.min(...waiting.map(countOf));
    const at = waiting.findIndex((agent) => countOf(agent) === fewest);
    const [agent] = waiting.splice(at, 1) as [Agent];
    chosen.push(agent);
    counts.set(agent.availability_zone, fewest + 1);
  }
  return chosen;
}
