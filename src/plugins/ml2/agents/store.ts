/** Statements over agents, beside the reports (`reports.ts`). */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Json } from '#src/lib/api/attributes.ts';
import type { Queryable, Sql, Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** The agent, locked for the transaction; undefined when there is none. */
export async function lockAgent(
  tx: Transaction,
  id: string,
): Promise<{ readonly agent_type: string; readonly host: string; readonly admin_state_up: boolean } | undefined> {
  const [agent] = await tx<{ agent_type: string; host: string; admin_state_up: boolean }[]>`
    select agent_type, host, admin_state_up from agents where id = ${id} for update`;
  return agent;
}

/** Writes what an administrator may change; undefined stays as it is. */
export async function writeAgent(
  tx: Transaction,
  id: string,
  { admin_state_up, description }: { readonly admin_state_up?: boolean; readonly description?: string | null },
): Promise<void> {
  await tx`
    update agents set
      admin_state_up = coalesce(${admin_state_up ?? null}, admin_state_up),
      description = case when ${description !== undefined} then ${description ?? null} else description end
    where id = ${id}`;
}

export async function removeAgent(tx: Transaction, id: string): Promise<void> {
  await tx`delete from agents where id = ${id}`;
}

/** The id of the agent of a type on a host. */
export async function findAgent(sql: Queryable, agent_type: string, host: string): Promise<string | undefined> {
  const [agent] = await sql<{ id: string }[]>`
    select id from agents where agent_type = ${agent_type} and host = ${host}`;
  return agent?.id;
}

/** Which agents make an availability zone for which resource. */
const ZONE_RESOURCES = { 'DHCP agent': 'network', 'L3 agent': 'router' } as const;

/** Availability zones; one is available while any of its agents is enabled. */
export async function availabilityZones(sql: Sql): Promise<readonly Resource[]> {
  const rows = await sql<{ name: string; agent_type: keyof typeof ZONE_RESOURCES; available: boolean }[]>`
    select availability_zone as name, agent_type, bool_or(admin_state_up) as available from agents
    where availability_zone <> '' and agent_type = any(${Object.keys(ZONE_RESOURCES)})
    group by availability_zone, agent_type order by availability_zone, agent_type`;
  return rows.map(({ name, agent_type, available }) => ({
    name,
    resource: ZONE_RESOURCES[agent_type],
    state: available ? 'available' : 'unavailable',
  }));
}

/** Agents of a host as the versioned object Agent 1.1 that RPC carries. */
export async function agentObjects(
  sql: Sql,
  downTime: number,
  { host, is_active }: { readonly host: string; readonly is_active?: boolean },
): Promise<readonly Json[]> {
  const time = (column: string) => `to_char(a.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ${column}`;
  const rows = await sql.unsafe<{ data: Json }[]>(
    `select row_to_json(agent) as data from (
       select a.id, a.agent_type, a.binary, a.topic, a.host, a.availability_zone, a.admin_state_up, ${time('started_at')},
         ${time('created_at')}, ${time('heartbeat_timestamp')}, a.description, a.configurations, a.resource_versions, a.load,
         a.resources_synced
       from ${AGENTS_FROM}
       where a.host = $1 and ($2::bool is null or ${aliveSql(downTime)} = $2)
       order by a.host, a.agent_type) as agent`,
    [host, is_active ?? null],
    { prepare: true },
  );
  return rows.map(({ data }) => ({
    'versioned_object.name': 'Agent',
    'versioned_object.namespace': 'versionedobjects',
    'versioned_object.version': '1.1',
    'versioned_object.data': data,
  }));
}

export interface Health {
  readonly total: number;
  readonly dead: readonly { readonly agent_type: string; readonly host: string; readonly heartbeat: string }[];
}

/** How many agents there are, and those that are enabled but dead. */
export async function agentHealth(sql: Sql, downTime: number): Promise<Health> {
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total from agents`;
  const dead = await sql.unsafe<{ agent_type: string; host: string; heartbeat: string }[]>(
    `select a.agent_type, a.host, to_char(a.heartbeat_timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as heartbeat
     from ${AGENTS_FROM} where a.admin_state_up and not ${aliveSql(downTime)}
     order by a.heartbeat_timestamp limit 100`,
    [],
    { prepare: true },
  );
  return { total: counted?.total ?? 0, dead: [...dead] };
}
