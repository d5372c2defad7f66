/** Statements over what has what, beside those of the scheduler (`candidates.ts`). */
import { AGENTS_FROM, agentTable, aliveSql, type TableSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { FOR_INTERNAL, MODE } from './candidates.ts';

export interface L3Agent {
  readonly id: string;
  readonly agent_type: string;
  readonly host: string;
  readonly admin_state_up: boolean;
  readonly mode: string;
  readonly for_internal: boolean;
}

/** An agent of any type; `locked`, it stays until the transaction ends. */
export async function findAgent(sql: Queryable, id: string, locked = false): Promise<L3Agent | undefined> {
  const [agent] = await sql.unsafe<(L3Agent & Record<string, unknown>)[]>(
    `select a.id, a.agent_type, a.host, a.admin_state_up, ${MODE} as mode, ${FOR_INTERNAL} as for_internal
     from agents a where a.id = $1::uuid ${locked ? 'for key share' : ''}`,
    [id],
    { prepare: true },
  );
  return agent;
}

/** The routers that an agent has. */
export async function routersOf(sql: Queryable, agent_id: string): Promise<readonly string[]> {
  const rows = await sql<{ router_id: string }[]>`
    select router_id from router_l3_agents where agent_id = ${agent_id} order by router_id`;
  return rows.map(({ router_id }) => router_id);
}

/** The agents that have a router, in the order of their places. */
export async function holdersOf(tx: Transaction, router_id: string): Promise<readonly string[]> {
  const rows = await tx<{ agent_id: string }[]>`
    select agent_id from router_l3_agents where router_id = ${router_id} order by place`;
  return rows.map(({ agent_id }) => agent_id);
}

/** Gives a router that is locked to an agent, at the first place that is free; false where somebody else has taken that. */
export async function giveByHand(tx: Transaction, router_id: string, agent_id: string): Promise<boolean> {
  const { count } = await tx`
    insert into router_l3_agents (router_id, agent_id, place)
    select ${router_id}, ${agent_id}, min(free.place) from (
      select place from generate_series(1, 1 + (
        select count(*)::int from router_l3_agents where router_id = ${router_id})) as place
      except select place from router_l3_agents where router_id = ${router_id}) as free (place)
    on conflict do nothing`;
  return count === 1;
}

/** Takes a router from an agent; whether it had it. */
export async function takeRouter(tx: Transaction, router_id: string, agent_id: string): Promise<boolean> {
  const { count } = await tx`
    delete from router_l3_agents where router_id = ${router_id} and agent_id = ${agent_id}`;
  return count === 1;
}

/** What becomes of a router when an agent is deleted. */
export interface Hosted {
  readonly id: string;
  readonly ha: boolean;
  readonly distributed: boolean;
}

/** The routers that an agent has, with what matters to those who follow. */
export async function hostedBy(tx: Transaction, agent_id: string): Promise<readonly Hosted[]> {
  return await tx<Hosted[]>`
    select r.id, r.ha, r.distributed from router_l3_agents o join routers r on r.id = o.router_id
    where o.agent_id = ${agent_id} order by r.id`;
}

/**
 * What an agent `a` that has a router `r` says of itself, where that is highly available. A dead agent is not believed to be
 * active: others have taken over, or, where all are dead, nobody knows.
 */
const haState = (downTime: number): string => {
  const serves = `a.admin_state_up and ${aliveSql(downTime)}`;
  return `case when not r.ha then null
    when h.state is null then 'standby'
    when h.state <> 'active' or (${serves}) then h.state
    when exists (
      select 1 from router_l3_agents x join (${AGENTS_FROM}) on a.id = x.agent_id
      where x.router_id = o.router_id and ${serves}) then 'standby'
    else 'unknown' end`;
};

/** The agents that have a router. As Neutron answers there: with what other lists of agents leave out. */
export function agentsOfRouters(downTime: number): TableSql {
  const shown = agentTable(downTime);
  return {
    ...shown,
    from: `router_l3_agents o join routers r on r.id = o.router_id
      left join router_ha_ports h on h.router_id = o.router_id and h.agent_id = o.agent_id
      join (${AGENTS_FROM}) on a.id = o.agent_id`,
    attributes: {
      ...shown.attributes,
      resource_versions: { select: `coalesce(a.resource_versions, '{}')` },
      ha_chassis_priority: { select: 'null::text' },
      ha_state: { select: haState(downTime) },
      router_id: { select: 'o.router_id', type: 'uuid', hidden: true },
      place: { select: 'o.place', hidden: true },
    },
  };
}
