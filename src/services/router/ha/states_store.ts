/** SQL of the states of highly available routers: statements of a fixed text for any number of routers. */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Placement } from '#src/lib/plugin.ts';
import type { HaState } from '../contract.ts';
import { HA_PORT } from '../routers/store.ts';

/** A router that the reporting host has. */
export interface Known {
  readonly router_id: string;
  readonly port_id: string;
  readonly state: HaState;
  readonly epoch: number;
  /** Where it is active on an agent that is alive, or that reports. */
  readonly active_host: string | null;
  /** Whether the reporting agent counts as alive. */
  readonly alive: boolean;
}

/** The agent of a host, `$2`, and its part `h` in a router `r`. */
const PART = `join router_ha_ports h on h.router_id = r.id
  join (${AGENTS_FROM}) on a.id = h.agent_id and a.host = $2 and a.agent_type = 'L3 agent'`;

/** Locks those of the routers that the host has: reports of one router come one after the other. */
export async function lockReported(tx: Transaction, host: string, router_ids: readonly string[]): Promise<void> {
  await tx.unsafe(
    `select 1 from routers r where r.id = any($1::uuid[]) and exists (
       select 1 from router_ha_ports h join agents a on a.id = h.agent_id
       where h.router_id = r.id and a.host = $2 and a.agent_type = 'L3 agent')
     order by r.id for no key update of r`,
    [router_ids as string[], host],
    { prepare: true },
  );
}

export async function readReported(
  tx: Transaction,
  host: string,
  router_ids: readonly string[],
  downTime: number,
): Promise<readonly Known[]> {
  return await tx.unsafe<(Known & Record<string, unknown>)[]>(
    `select r.id as router_id, h.port_id, h.state, r.ha_epoch::float8 as epoch, ${aliveSql(downTime)} as alive, (
       select a.host from router_ha_ports o join (${AGENTS_FROM}) on a.id = o.agent_id
       where o.router_id = r.id and o.state = 'active'
         and (a.host = $2 or a.admin_state_up and ${aliveSql(downTime)})) as active_host
     from routers r ${PART} where r.id = any($1::uuid[]) order by r.id`,
    [router_ids as string[], host],
    { prepare: true },
  );
}

/** Writes states of ports; whoever was active on the routers that are taken over is so no more. The routers are locked. */
export async function writeStates(
  tx: Transaction,
  states: readonly { readonly port_id: string; readonly state: HaState }[],
  taken: readonly string[],
): Promise<void> {
  if (states.length === 0) return;
  const among = [taken as string[]];
  // Sent at once, in this order: the index knows one active port of a router at any time.
  await Promise.all([
    ...(taken.length === 0
      ? []
      : [
          tx.unsafe(
            `update router_ha_ports set state = 'standby' where router_id = any($1::uuid[]) and state = 'active'`,
            among,
            { prepare: true },
          ),
          tx.unsafe('update routers set ha_epoch = ha_epoch + 1 where id = any($1::uuid[])', among, { prepare: true }),
        ]),
    tx.unsafe(
      `update router_ha_ports h set state = r.state
       from json_to_recordset($1::json) as r (port_id uuid, state text) where h.port_id = r.port_id`,
      [states as never],
      { prepare: true },
    ),
  ]);
}

/** What belongs where a router is active: all but the ports by which its agents hear of each other, and distributed interfaces. */
const ELSEWHERE = [HA_PORT, 'network:router_interface_distributed', 'network:floatingip_agent_gateway'];

/** Ports of routers that are bound to another host than the one where their router is active, and that host. */
export async function misplacedPorts(sql: Queryable, router_ids: readonly string[]): Promise<readonly Placement[]> {
  return await sql<Placement[]>`
    select o.port_id, a.host from router_ha_ports h join agents a on a.id = h.agent_id
    join router_ports o on o.router_id = h.router_id and o.port_type <> all(${ELSEWHERE})
    join port_bindings b on b.port_id = o.port_id and b.status = 'ACTIVE' and b.host <> a.host
    where h.router_id = any(${router_ids as string[]}::uuid[]) and h.state = 'active' order by o.port_id`;
}

/** How many enabled highly available routers the agent of a host has. */
export async function countRouters(sql: Queryable, host: string): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    select count(*)::int as count from router_l3_agents l join agents a on a.id = l.agent_id
    join routers r on r.id = l.router_id
    where a.host = ${host} and a.agent_type = 'L3 agent' and r.ha and r.admin_state_up`;
  return counted?.count ?? 0;
}

/** The ports by which routers on a host hear of others, as far as they are wired there. */
export async function wiredPorts(sql: Queryable, host: string): Promise<readonly string[]> {
  const rows = await sql<{ port_id: string }[]>`
    select h.port_id from router_ha_ports h
    join ports p on p.id = h.port_id and p.status = 'ACTIVE'
    join port_bindings b on b.port_id = h.port_id and b.status = 'ACTIVE' and b.host = ${host}
    order by h.port_id`;
  return rows.map(({ port_id }) => port_id);
}
