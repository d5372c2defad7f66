/** Which agents routers are to get, among those that there are: pure, so that all ways to schedule choose alike. */
import { chooseAgents } from '#src/scheduler/mod.ts';
import type { L3Candidate, Placed, UnservedRouter } from './candidates.ts';
import type { L3Settings } from './settings.ts';

/** An agent for a router. */
export interface Choice extends Placed {
  readonly place: number;
  /** The agent that it comes instead of. */
  readonly replaces?: string;
}

/** The choices for all of the routers; agents that are `lost` (by router) are as if the routers did not have them. */
export function choose(
  settings: L3Settings,
  routers: readonly UnservedRouter[],
  agents: readonly L3Candidate[],
  lost: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): readonly Choice[] {
  // Each choice weighs on those after it.
  const load = new Map(agents.map((agent) => [agent.id, agent.load]));
  const choices: Choice[] = [];
  for (const router of routers) {
    const away = lost.get(router.id) ?? new Set();
    const leaving = router.present.filter(({ agent_id }) => away.has(agent_id));
    const staying = router.present.filter(({ agent_id }) => !away.has(agent_id));
    const able = agents
      .filter((agent) => fits(settings, router, agent))
      .map((agent) => ({ ...agent, load: load.get(agent.id) ?? agent.load }));
    const zones = staying.map(({ zone }) => zone);
    const places = freePlaces(router);
    for (const { id: agent_id } of chooseAgents(
      able,
      lacking(settings, router, staying.length),
      settings.method,
      zones,
    )) {
      load.set(agent_id, (load.get(agent_id) ?? 0) + 1);
      const left = leaving.shift();
      const replaced =
        left === undefined ? { place: places.next().value } : { place: left.place, replaces: left.agent_id };
      choices.push({ router_id: router.id, agent_id, ...replaced });
    }
  }
  return choices;
}

/** How many more agents the router should have. */
function lacking(settings: L3Settings, { ha, distributed, has_gateway }: UnservedRouter, present: number): number {
  if (distributed && !has_gateway) return 0;
  if (!ha) return present === 0 ? 1 : 0;
  return settings.agentsPerRouter === 0 ? Number.POSITIVE_INFINITY : settings.agentsPerRouter - present;
}

/** Whether an agent that does not have the router may get it. */
function fits(settings: L3Settings, router: UnservedRouter, agent: L3Candidate): boolean {
  const zones = router.zone_hints.length > 0 ? router.zone_hints : settings.defaultZones;
  return (
    !router.present.some(({ agent_id }) => agent_id === agent.id) &&
    (agent.for_distributed || !router.distributed) &&
    (agent.for_internal || router.has_gateway) &&
    (zones.length === 0 || (agent.availability_zone !== null && zones.includes(agent.availability_zone)))
  );
}

/** The places that no agent of the router has, from the first on. */
function* freePlaces({ present }: Pick<UnservedRouter, 'present'>): Generator<number, never> {
  const taken = new Set(present.map(({ place }) => place));
  for (let place = 1; ; place++) if (!taken.has(place)) yield place;
}
