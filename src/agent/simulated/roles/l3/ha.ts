/**
 * Highly available routers: which of their agents is active. Real agents settle it by VRRP on the router's own network; simulated
 * ones have none, and hear of each other by what the server answers to their reports:
 *
 *   standby ──nobody is active──▶ a while by host and router ──▶ reports itself active ──accepted──▶ active
 *      ▲                                                              │ refused: another was first       │
 *      └──────────────────────────────────────────────────────────────┴──────another has become active───┘
 *
 * Every agent reports all its states each interval, which stands for VRRP's advertisements. The server's epochs see to it that of
 * two that take over at once one is refused.
 */
import { type Agent, gather } from '#src/agent/sdk/mod.ts';
import { pause } from '#src/lib/pause.ts';
import { type HaStanding, type HaState, updateHaRoutersStates } from '#src/services/router/contract.ts';

/** Between reports, in milliseconds. */
const INTERVAL = 2000;
/** Who takes over waits some steps of so many milliseconds: the first of all is the same one each time. */
const [STEPS, STEP] = [10, 50];
/** Routers in one report. */
const BATCH = 500;

interface Known {
  state: HaState;
  /** Under which the state was told. */
  epoch: number;
}

export interface Elections {
  /** A router and its state here, as the server has it. */
  follow(id: string, state: HaState): void;
  forget(id: string): void;
  settled(): Promise<void>;
}

/** From 0 to 1, by host and router. */
function skewOf(host: string, router: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${host} ${router}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** `changed` is told of routers whose state here is another one than `follow` was told. */
export function elections(agent: Agent, changed: (ids: readonly string[]) => void): Elections {
  const { host, signal, log } = agent;
  const routers = new Map<string, Known>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));

  /** Reports these routers, in another state than they have where that is wished for; the ids of those that nobody is active for. */
  async function report(ids: readonly string[], wished?: HaState): Promise<readonly string[]> {
    const known = ids.flatMap((id) => {
      const router = routers.get(id);
      return router === undefined ? [] : [[id, router] as const];
    });
    if (known.length === 0) return [];
    const standings = await agent.call(updateHaRoutersStates, {
      host,
      states: Object.fromEntries(known.map(([id, { state }]) => [id, wished ?? state])),
      epochs: Object.fromEntries(known.map(([id, { epoch }]) => [id, epoch])),
    });
    const other = known.filter(([id, router]) => take(router, standings[id]));
    if (other.length > 0) changed(other.map(([id]) => id));
    return known.flatMap(([id]) => (standings[id]?.active_host === null ? [id] : []));
  }

  /** Whether the state is another one now, or the router is not here any more. */
  function take(router: Known, standing: HaStanding | undefined): boolean {
    if (standing === undefined) return true;
    const state = standing.active_host === host ? 'active' : 'standby';
    const differs = state !== router.state;
    router.state = state;
    router.epoch = standing.epoch;
    return differs;
  }

  const reports = gather({
    name: 'reporting of highly available routers',
    async work(ids) {
      const free = Map.groupBy(await report(ids), (id) => Math.floor(skewOf(host, id) * STEPS));
      for (let step = 0; step < STEPS && free.size > 0; step += 1) {
        await report(free.get(step) ?? [], 'active');
        free.delete(step);
        await pause(STEP, signal);
      }
    },
    limit: BATCH,
    log,
    signal,
  });

  function again(): void {
    clearTimeout(timer);
    if (signal.aborted || routers.size === 0) return;
    timer = setTimeout(
      () => {
        reports.add(routers.keys());
        again();
      },
      INTERVAL * (0.9 + Math.random() / 5),
    );
  }

  return {
    follow(id, state) {
      const known = routers.get(id);
      if (known?.state === state) return;
      if (known === undefined) routers.set(id, { state, epoch: 0 });
      else known.state = state;
      reports.add([id]);
      if (routers.size === 1) again();
    },
    forget: (id) => void routers.delete(id),
    settled: () => reports.settled(),
  };
}
