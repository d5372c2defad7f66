/** Statements over what serves what, beside those of the scheduler (`candidates.ts`). */
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';

export interface DhcpAgent {
  readonly id: string;
  readonly host: string;
}

/** An agent of any type. */
export async function findAgent(sql: Queryable, id: string): Promise<DhcpAgent | undefined> {
  const [agent] = await sql<DhcpAgent[]>`select id, host from agents where id = ${id}`;
  return agent;
}

/** The networks that an agent serves. */
export async function networksOf(sql: Queryable, agent_id: string): Promise<readonly string[]> {
  const rows = await sql<{ network_id: string }[]>`
    select network_id from network_dhcp_agents where agent_id = ${agent_id} order by network_id`;
  return rows.map(({ network_id }) => network_id);
}

/** The agents that serve a network, in the order of their places. */
export async function agentsOf(sql: Queryable, network_id: string): Promise<readonly string[]> {
  const rows = await sql<{ agent_id: string }[]>`
    select agent_id from network_dhcp_agents where network_id = ${network_id} order by place`;
  return rows.map(({ agent_id }) => agent_id);
}

/** Those of the networks that the DHCP agent of a host serves. */
export async function servedBy(
  sql: Queryable,
  host: string,
  networks: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ network_id: string }[]>`
    select s.network_id from network_dhcp_agents s join agents a on a.id = s.agent_id
    where s.network_id = any(${networks as string[]}::uuid[]) and a.host = ${host} and a.agent_type = 'DHCP agent'`;
  return new Set(rows.map(({ network_id }) => network_id));
}

/** Locks what says that the DHCP agent of a host serves a network; whether it does. The network's lock comes first, as ever. */
export async function lockService(
  tx: Transaction,
  { network_id, host }: { readonly network_id: string; readonly host: string },
): Promise<boolean> {
  const [, found] = await Promise.all([
    tx`select 1 from networks where id = ${network_id} for key share`,
    tx`
      select 1 from network_dhcp_agents s join agents a on a.id = s.agent_id
      where s.network_id = ${network_id} and a.host = ${host} and a.agent_type = 'DHCP agent' for update of s`,
  ]);
  return found.length > 0;
}

/** Those of the ports that are on networks which the DHCP agent of a host serves. */
export async function portsServedBy(
  sql: Queryable,
  host: string,
  ports: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select p.id from ports p
    join network_dhcp_agents s on s.network_id = p.network_id join agents a on a.id = s.agent_id
    where p.id = any(${ports as string[]}::uuid[]) and a.host = ${host} and a.agent_type = 'DHCP agent' order by p.id`;
  return rows.map(({ id }) => id);
}

/** All networks that the DHCP agent of a host serves. */
export async function networksOfHost(sql: Queryable, host: string): Promise<readonly string[]> {
  const rows = await sql<{ network_id: string }[]>`
    select s.network_id from network_dhcp_agents s join agents a on a.id = s.agent_id
    where a.host = ${host} and a.agent_type = 'DHCP agent' order by s.network_id`;
  return rows.map(({ network_id }) => network_id);
}

/** Gives a network to an agent, at the first place that is free; the network is locked, so that nobody else takes it. */
export async function giveByHand(
  tx: Transaction,
  network_id: string,
  agent_id: string,
  disabledServe: boolean,
): Promise<'given' | 'has it' | 'no network' | 'no agent'> {
  // Against the scheduler, too, which only keeps networks from being deleted: hence the strong lock.
  const [network] = await tx`select 1 from networks where id = ${network_id} for update`;
  if (network === undefined) return 'no network';
  const [agent] = await tx`
    select 1 from agents where id = ${agent_id} and agent_type = 'DHCP agent' and (admin_state_up or ${disabledServe})
    for key share`;
  if (agent === undefined) return 'no agent';
  const { count } = await tx`
    insert into network_dhcp_agents (network_id, agent_id, place)
    select ${network_id}, ${agent_id}, min(free.place) from (
      select place from generate_series(1, 1 + (
        select count(*)::int from network_dhcp_agents where network_id = ${network_id})) as place
      except select place from network_dhcp_agents where network_id = ${network_id}) as free (place)
    on conflict (network_id, agent_id) do nothing`;
  return count === 1 ? 'given' : 'has it';
}

/** Takes a network from an agent; whether it had it. */
export async function takeNetwork(tx: Transaction, network_id: string, agent_id: string): Promise<boolean> {
  const { count } = await tx`
    delete from network_dhcp_agents where network_id = ${network_id} and agent_id = ${agent_id}`;
  return count === 1;
}

/** Whose a network is; empty where it is gone. */
export async function projectOf(sql: Queryable, network_id: string): Promise<string> {
  const [network] = await sql<{ project_id: string }[]>`select project_id from networks where id = ${network_id}`;
  return network?.project_id ?? '';
}

/** Whether all of the subnets exist. */
export async function existingSubnets(sql: Queryable, named: readonly string[]): Promise<boolean> {
  const ids = [...new Set(named)];
  if (!ids.every(isUuid)) return false;
  const [found] = await sql<{ count: number }[]>`
    select count(*)::int as count from subnets where id = any(${ids as string[]}::uuid[])`;
  return found?.count === ids.length;
}
