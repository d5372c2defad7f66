/**
 * Which L3 agents have a router (neutron.scheduler.l3_agent_scheduler). Neutron schedules after the request has been answered,
 * and a crash in between leaves the router without an agent; here it belongs to the transaction that makes it necessary.
 *
 *   centralised        one agent, in mode legacy or dvr_snat
 *   distributed        its SNAT part on one agent in mode dvr_snat, once it has a gateway
 *   highly available   as many as `max_l3_agents_per_router` says
 *
 * What it costs where there is nothing to do is a word in a reading that is made anyway: `l3_wanted`. Who follows the agents of
 * routers (ports of highly available ones, SNAT) does so by the callbacks `router_agents`.
 */
import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { PluginHost, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import type { RouterHost } from '../host.ts';
import { routerRemoved } from '../notifications/mod.ts';
import { candidates, giveRouters, takeRouters, unservedRouters } from './candidates.ts';
import { choose } from './choice.ts';
import { type L3Settings, l3Settings } from './settings.ts';
import { createSweep } from './sweep.ts';

/** The transaction that agents are given or taken in. */
export interface SchedulingWork {
  readonly tx: Transaction;
  readonly context: Context;
  readonly notify: (...notifications: readonly Notification[]) => void;
  /** The core plugin's verbs as part of the transaction; missing where an agent is deleted. */
  readonly verbs?: Readonly<Record<string, Verb>>;
}

export interface RouterAgent {
  readonly agent_id: string;
  readonly host: string;
}

/** `metadata` of the callbacks `router_agents` `precommit_create` and `precommit_delete`: what a router gets or loses. */
export interface RouterAgentsChange {
  readonly agents: readonly RouterAgent[];
  readonly ha: boolean;
  readonly distributed: boolean;
}

/** The agents that routers have got, by router. */
export type Given = ReadonlyMap<string, readonly RouterAgent[]>;

export interface RouterScheduling {
  readonly settings: L3Settings;
  /**
   * Gives routers agents until they have as many as they should. Tells followers (`router_agents`), not the agents: whoever
   * calls it tells the router's hosts of a change anyway.
   */
  schedule(work: SchedulingWork, router_ids: readonly string[]): Promise<Given>;
  /** Takes all of their agents from routers, and tells those. */
  unschedule(work: SchedulingWork, router_ids: readonly string[]): Promise<void>;
  /** Gives agents to all routers that lack some, and tells those. */
  sweep(): Promise<void>;
}

/** Tells followers what a router gets or loses. */
export async function publishAgents(
  callbacks: CallbackRegistry,
  operation: 'create' | 'delete',
  { tx, context, notify, verbs }: SchedulingWork,
  router: { readonly id: string; readonly ha: boolean; readonly distributed: boolean },
  agents: readonly RouterAgent[],
): Promise<void> {
  const { id, ha, distributed } = router;
  const metadata = { agents, ha, distributed } satisfies RouterAgentsChange;
  await callbacks.publish('router_agents', `precommit_${operation}`, {
    ...{ context, resource_id: id, tx, notify, metadata },
    ...(verbs === undefined ? {} : { verbs }),
  });
}

export function createScheduling(host: PluginHost & Pick<RouterHost, 'together'>): RouterScheduling {
  const { callbacks, config } = host;
  const settings = l3Settings(config);

  const schedule: RouterScheduling['schedule'] = async (work, router_ids) => {
    if (!settings.automatic || router_ids.length === 0) return new Map();
    const { tx } = work;
    const [agents, routers] = await Promise.all([candidates(tx, settings.downTime), unservedRouters(tx, router_ids)]);
    const placed = await giveRouters(tx, choose(settings, routers, agents));
    const hosts = new Map(agents.map(({ id, host }) => [id, host]));
    const given = Map.groupBy(
      placed.map(({ router_id, agent_id }) => ({ router_id, agent_id, host: hosts.get(agent_id) ?? '' })),
      ({ router_id }) => router_id,
    );
    for (const router of routers) {
      const got = given.get(router.id);
      if (got !== undefined) await publishAgents(callbacks, 'create', work, router, got);
    }
    return given;
  };

  const unschedule: RouterScheduling['unschedule'] = async (work, router_ids) => {
    const [routers, taken] = await Promise.all([
      unservedRouters(work.tx, router_ids),
      takeRouters(work.tx, router_ids),
    ]);
    const byRouter = Map.groupBy(taken, ({ router_id }) => router_id);
    for (const router of routers) {
      const lost = byRouter.get(router.id);
      if (lost === undefined) continue;
      await publishAgents(callbacks, 'delete', work, router, lost);
      work.notify(...lost.map(({ host }) => routerRemoved(router.id, host)));
    }
  };

  return { settings, schedule, unschedule, sweep: createSweep(host, settings, schedule) };
}
