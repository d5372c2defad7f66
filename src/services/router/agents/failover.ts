/**
 * What becomes of the routers of an L3 agent that is dead (neutron.db.agentschedulers_db,
 * `reschedule_resources_from_down_agents`): others get them, where `allow_automatic_l3agent_failover` says so. They do not come
 * back when the agent does: it gets what is made from then on.
 *
 *   it did not report for twice agent_down_time: as in Neutron
 *   its connection is lost, and it has not come back in `[agent_failover] lost_agent_grace`: a restart moves nothing
 *
 * Agents that are disabled keep what they have. A router that nobody else can have stays where it is: its agent may come back.
 * Of a highly available router only what a dead agent had moves. Whatever ends this in the middle, the next run goes on from there.
 */
import { AGENTS_FROM } from '#src/db/mod.ts';
import { adminContext } from '#src/lib/context.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { Messages } from '#src/lib/messages.ts';
import type { PluginWorker } from '#src/lib/worker.ts';
import { periodic } from '#src/scheduler/mod.ts';
import type { RouterHost } from '../host.ts';
import { routerAdded, routerRemoved, routerUpdated } from '../notifications/mod.ts';
import { lockRouters } from '../routers/store.ts';
import { candidates, giveRouters, type L3Candidate, type Placed, unservedRouters } from './candidates.ts';
import { choose } from './choice.ts';
import { publishAgents } from './scheduling.ts';
import type { L3Settings } from './settings.ts';

/** How often it is looked at; Neutron: each half of agent_down_time. */
const SECONDS = 5;
/** Routers in one transaction. */
const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Lost extends Placed {
  readonly host: string;
}

/** What dead agents have. */
function lostSql({ downTime, grace }: L3Settings): string {
  return `
    select o.router_id, o.agent_id, a.host from router_l3_agents o join (${AGENTS_FROM}) on a.id = o.agent_id
    where a.agent_type = 'L3 agent' and a.admin_state_up and (
      a.heartbeat_timestamp < now() - interval '${2 * downTime} seconds'
      or (not p.alive and p.changed_at < now() - interval '${grace} seconds'
        and a.heartbeat_timestamp <= p.changed_at + interval '1 second'))`;
}

/** The worker. */
export function failoverWorker(host: RouterHost): PluginWorker {
  const { db, log, outbox, callbacks, together } = host;
  const { settings } = host.scheduling;
  const lost = lostSql(settings);
  const select = (sql: Queryable, text: string, values: readonly unknown[]) =>
    sql.unsafe<(Lost & Record<string, unknown>)[]>(text, values as never[], { prepare: true });
  let waiting = false;

  /** The next batch: a router that nobody else can have is passed over. */
  const next = ({ agent_id, router_id }: Placed) =>
    select(
      db.sql,
      `select * from (${lost}) lost where (agent_id, router_id) > ($1::uuid, $2::uuid)
       order by agent_id, router_id limit ${BATCH}`,
      [agent_id, router_id],
    );

  /** Takes routers from agents that are dead still. */
  const take = (tx: Transaction, named: readonly Placed[]) =>
    select(
      tx,
      `delete from router_l3_agents d
       using (${lost}) lost join json_to_recordset($1::json) as r (router_id uuid, agent_id uuid)
         on r.router_id = lost.router_id and r.agent_id = lost.agent_id
       where d.router_id = lost.router_id and d.agent_id = lost.agent_id
       returning d.router_id, d.agent_id, lost.host`,
      [named],
    );

  /** Gives the routers to others, as far as there are some. */
  const move = async (batch: readonly Lost[], agents: readonly L3Candidate[]) => {
    const context = adminContext();
    const ids = [...new Set(batch.map(({ router_id }) => router_id))];
    return await together({ label: 'l3_failover' }, async (tx, verbs) => {
      const [, routers] = await Promise.all([lockRouters(tx, ids, 'no key update'), unservedRouters(tx, ids)]);
      const away = Map.groupBy(batch, ({ router_id }) => router_id);
      const gone = new Map([...away].map(([id, ones]) => [id, new Set(ones.map(({ agent_id }) => agent_id))]));
      const choices = choose(settings, routers, agents, gone).filter(({ replaces }) => replaces !== undefined);
      if (choices.length === 0) return { taken: 0, given: 0 };
      const taken = await take(
        tx,
        choices.map(({ router_id, replaces = '' }) => ({ router_id, agent_id: replaces })),
      );
      const free = new Set(taken.map(({ router_id, agent_id }) => `${router_id} ${agent_id}`));
      const given = await giveRouters(
        tx,
        choices.filter(({ router_id, replaces }) => free.has(`${router_id} ${replaces}`)),
      );
      const hosts = new Map(agents.map((agent) => [agent.id, agent.host]));
      const losing = Map.groupBy(taken, ({ router_id }) => router_id);
      const getting = Map.groupBy(
        given.map((one) => ({ ...one, host: hosts.get(one.agent_id) ?? '' })),
        ({ router_id }) => router_id,
      );
      const messages = new Messages();
      const { notify } = messages;
      const work = { tx, context, verbs, notify };
      for (const router of routers) {
        const { id, distributed } = router;
        const [from = [], to = []] = [losing.get(id), getting.get(id)];
        if (from.length > 0) await publishAgents(callbacks, 'delete', work, router, from);
        if (to.length > 0) await publishAgents(callbacks, 'create', work, router, to);
        // For when the dead one is back. What else its host has of a distributed router stays.
        notify(...from.map(({ host }) => (distributed ? routerUpdated(id, { host }) : routerRemoved(id, host))));
        notify(...to.map(({ host }) => routerAdded(id, host)));
      }
      messages.send(outbox, tx, context);
      return { taken: taken.length, given: given.length };
    });
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    let at: Placed = { agent_id: FIRST, router_id: FIRST };
    for (let batch = await next(at); batch.length > 0 && !signal.aborted; batch = await next(at)) {
      const agents = await candidates(db.sql, settings.downTime);
      if (agents.length === 0) {
        if (!waiting) log.warn('L3 agents are dead, and there is none that could take over their routers');
        waiting = true;
        return;
      }
      waiting = false;
      const moved = await move(batch, agents);
      const from = [...new Set(batch.map(({ host }) => host))];
      if (moved.taken > 0) log.warn('routers of dead L3 agents were moved to others', { hosts: from, ...moved });
      // An agent was deleted just when it was to get some.
      if (moved.given < moved.taken) await host.scheduling.sweep();
      at = batch.at(-1) ?? at;
    }
  };

  return periodic({ db, name: 'L3 failover', seconds: SECONDS, run, log });
}
