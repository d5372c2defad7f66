/** Statements of the L3 scheduler: which agents there are, what routers have and want, and the rows that join them. */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Candidate } from '#src/scheduler/mod.ts';
import type { L3Settings } from './settings.ts';

export interface L3Candidate extends Candidate {
  readonly host: string;
  /** Whether it takes the SNAT part of distributed routers. */
  readonly for_distributed: boolean;
  /** Whether it takes routers that have no gateway. */
  readonly for_internal: boolean;
}

/** A router that may want agents. */
export interface UnservedRouter {
  readonly id: string;
  readonly ha: boolean;
  readonly distributed: boolean;
  readonly has_gateway: boolean;
  readonly zone_hints: readonly string[];
  /** The agents it has. */
  readonly present: readonly { readonly agent_id: string; readonly place: number; readonly zone: string | null }[];
}

export interface Placed {
  readonly router_id: string;
  readonly agent_id: string;
}

/** The mode of an agent `a`: what it does of routers. */
export const MODE = `coalesce(a.configurations ->> 'agent_mode', 'legacy')`;
/** Agents `a` that take whole routers, or the centralised part of distributed ones: those in mode `dvr` only have the rest. */
const CENTRAL = `a.agent_type = 'L3 agent' and ${MODE} in ('legacy', 'dvr_snat')`;
const FOR_DISTRIBUTED = `${MODE} = 'dvr_snat'`;
export const FOR_INTERNAL = `coalesce(a.configurations ->> 'handle_internal_only_routers', 'true') <> 'false'`;

/** SQL over a router `r`: it has fewer agents than it should, and there is somebody who could have it. */
export function wantedSql({ automatic, agentsPerRouter, downTime }: L3Settings): string {
  if (!automatic) return 'false';
  const own = 'from router_l3_agents o where o.router_id = r.id';
  return `(case when r.distributed and r.gw_port_id is null then false
      when r.ha then ${agentsPerRouter === 0 ? 'true' : `(select count(*) ${own}) < ${agentsPerRouter}`}
      else not exists (select 1 ${own}) end
    and exists (
      select 1 from ${AGENTS_FROM} where ${CENTRAL} and a.admin_state_up and (not r.distributed or ${FOR_DISTRIBUTED})
        and (r.gw_port_id is not null or ${FOR_INTERNAL})
        and (r.availability_zone_hints = '{}' or a.availability_zone = any(r.availability_zone_hints))
        and not exists (select 1 ${own} and o.agent_id = a.id) and ${aliveSql(downTime)}))`;
}

/** Enabled agents that are alive. Their load is the routers they have. */
export async function candidates(sql: Queryable, downTime: number): Promise<readonly L3Candidate[]> {
  return await sql.unsafe<(L3Candidate & Record<string, unknown>)[]>(
    `select a.id, a.host, a.availability_zone, ${FOR_DISTRIBUTED} as for_distributed, ${FOR_INTERNAL} as for_internal,
       (select count(*) from router_l3_agents o where o.agent_id = a.id)::int as load
     from ${AGENTS_FROM} where ${CENTRAL} and a.admin_state_up and ${aliveSql(downTime)}`,
    [],
    { prepare: true },
  );
}

/** The routers, with what they have; those that are gone are missing. */
export async function unservedRouters(sql: Queryable, ids: readonly string[]): Promise<readonly UnservedRouter[]> {
  return await sql<UnservedRouter[]>`
    select r.id, r.ha, r.distributed, r.gw_port_id is not null as has_gateway,
      array_to_json(r.availability_zone_hints) as zone_hints,
      (select coalesce(json_agg(json_build_object('agent_id', o.agent_id, 'place', o.place, 'zone', a.availability_zone)), '[]')
       from router_l3_agents o join agents a on a.id = o.agent_id where o.router_id = r.id) as present
    from routers r where r.id = any(${ids as string[]}::uuid[]) order by r.id`;
}

/**
 * Gives routers to agents, as far as both still exist and nobody else has given the place away meanwhile; those that were
 * given. Two who choose at once meet at the place: the second finds it taken, and nothing is wrong with that.
 */
export async function giveRouters(
  tx: Transaction,
  rows: readonly (Placed & { readonly place: number })[],
): Promise<readonly Placed[]> {
  if (rows.length === 0) return [];
  return await tx.unsafe<(Placed & Record<string, unknown>)[]>(
    `with g as (select * from json_to_recordset($1::json) as g (router_id uuid, agent_id uuid, place smallint)),
       r as (select id from routers where id in (select router_id from g) order by id for key share),
       a as (select id from agents where id in (select agent_id from g) order by id for key share skip locked)
     insert into router_l3_agents (router_id, agent_id, place)
     select g.router_id, g.agent_id, g.place from g join r on r.id = g.router_id join a on a.id = g.agent_id
     order by g.router_id, g.place
     on conflict do nothing returning router_id, agent_id`,
    [rows as never],
    { prepare: true },
  );
}

/** Takes all agents from routers; who had which. */
export async function takeRouters(
  tx: Transaction,
  router_ids: readonly string[],
): Promise<readonly (Placed & { readonly host: string })[]> {
  return await tx<(Placed & { readonly host: string })[]>`
    delete from router_l3_agents o using agents a
    where o.router_id = any(${router_ids as string[]}::uuid[]) and a.id = o.agent_id
    returning o.router_id, o.agent_id, a.host`;
}
