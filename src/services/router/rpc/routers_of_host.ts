/**
 * Which routers an agent's host has: those that are scheduled to it, and of distributed ones those with something to serve there. An
 * agent that is disabled has none, unless disabled agents go on serving.
 */
import type { Queryable } from '#src/lib/database.ts';
import { routersOn } from '../dvr/hosts.ts';

/** `[DEFAULT] enable_services_on_agents_with_admin_state_down`, `host_dvr_for_dhcp`. */
export interface HostSettings {
  readonly disabledServe: boolean;
  readonly dvrForDhcp: boolean;
}

/** The L3 agent of a host. */
export interface L3Agent {
  readonly id: string;
  readonly host: string;
  /** Those in mode `legacy` have scheduled routers alone: it is not asked where distributed ones are. */
  readonly mode: string;
  /** Selects (router_id) of its routers, `$1` being its id and `$2` its host. */
  readonly mine: string;
}

/** Where a page of routers begins: after this floating IP of this router. */
export interface PageStart {
  readonly router_id: string;
  readonly floatingip_id: string;
}

export interface Wanted {
  /** These alone. */
  readonly ids: readonly string[] | undefined;
  readonly after: PageStart | undefined;
  readonly limit: number;
}

/**
 * A router with how much there is to tell of it; of the one that a page begins in, what is left. Floating IPs of distributed routers
 * are not counted: most of them are other hosts'.
 */
export interface CountedRouter {
  readonly id: string;
  readonly ports: number;
  readonly floatingips: number;
}

export const FIRST = '00000000-0000-0000-0000-000000000000';
export const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const SCHEDULED = 'select router_id from router_l3_agents where agent_id = $1::uuid and $2::text is not null';

/** The agent, if it is there and serves. */
export async function agentOf(
  sql: Queryable,
  host: string,
  { disabledServe, dvrForDhcp }: HostSettings,
): Promise<L3Agent | undefined> {
  const [agent] = await sql<{ id: string; mode: string }[]>`
    select id, coalesce(configurations->>'agent_mode', 'legacy') as mode from agents
    where host = ${host} and agent_type = 'L3 agent' and (admin_state_up or ${disabledServe})`;
  if (agent === undefined) return undefined;
  const mine = agent.mode === 'legacy' ? SCHEDULED : `${SCHEDULED} union (${routersOn('$2', dvrForDhcp)})`;
  return { ...agent, host, mine };
}

/** The ids of its routers in their order, after one on; disabled routers are among them. */
export async function routerIds(
  sql: Queryable,
  { id, host, mine }: L3Agent,
  { after = FIRST, limit }: { readonly after?: string | undefined; readonly limit: number | null },
): Promise<readonly string[]> {
  const rows = await sql.unsafe<{ router_id: string }[]>(
    `select router_id from (${mine}) m where router_id > $3::uuid order by router_id limit $4::int`,
    [id, host, after, limit as never],
    { prepare: true },
  );
  return rows.map(({ router_id }) => router_id);
}

/** Whether the router is one of its. */
export async function hasRouter(sql: Queryable, { id, host, mine }: L3Agent, router_id: string): Promise<boolean> {
  const rows = await sql.unsafe(`select from (${mine}) m where router_id = $3::uuid limit 1`, [id, host, router_id], {
    prepare: true,
  });
  return rows.length > 0;
}

/** Its enabled routers as far as they are wanted, in the order of their ids. */
export async function countedRouters(
  sql: Queryable,
  { id, host, mine }: L3Agent,
  { ids, after = { router_id: FIRST, floatingip_id: FIRST }, limit }: Wanted,
): Promise<readonly CountedRouter[]> {
  return await sql.unsafe<(CountedRouter & Record<string, unknown>)[]>(
    `select r.id,
       (select count(*) from router_ports o where o.router_id = r.id)::int as ports,
       case when r.distributed then 0 else (
         select count(*) from floatingips f where f.router_id = r.id and (r.id > $4::uuid or f.id > $5::uuid))::int
       end as floatingips
     from (${mine}) m join routers r on r.id = m.router_id
     where r.admin_state_up and ($3::uuid[] is null or r.id = any($3::uuid[]))
       and (r.id > $4::uuid or r.id = $4::uuid and exists (
         select from floatingips f where f.router_id = r.id and f.id > $5::uuid))
     order by r.id limit $6::int`,
    [id, host, ids ?? null, after.router_id, after.floatingip_id, limit] as never[],
    { prepare: true },
  );
}
