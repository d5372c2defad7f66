/** Statements of the DHCP scheduler: which agents there are, what networks have and want, and the rows that join them. */
import { AGENTS_FROM, aliveSql } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { HostAgent } from '#src/lib/ml2/mechanism_driver.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Candidate } from '#src/scheduler/mod.ts';

export interface DhcpCandidate extends Candidate {
  readonly host: string;
  /** All agents of its host. */
  readonly host_agents: readonly HostAgent[];
}

/** A network that may want agents. */
export interface UnservedNetwork {
  readonly id: string;
  readonly zone_hints: readonly string[];
  /** The agents it has. */
  readonly present: readonly { readonly agent_id: string; readonly place: number; readonly zone: string | null }[];
  readonly segments: readonly Segment[];
}

export interface Scheduled {
  readonly network_id: string;
  readonly agent_id: string;
}

/**
 * Enabled DHCP agents that are alive. Their load is what they have reported, and one more for each network
 * that they have been given and do not count yet: otherwise all that is made between two reports would go to one agent.
 */
export async function candidates(sql: Queryable, downTime: number): Promise<readonly DhcpCandidate[]> {
  return await sql.unsafe<(DhcpCandidate & Record<string, unknown>)[]>(
    `select a.id, a.host, a.availability_zone,
       a.load + greatest(0, (select count(*) from network_dhcp_agents s where s.agent_id = a.id)
         - case when a.configurations ->> 'networks' ~ '^[0-9]{1,9}$' then (a.configurations ->> 'networks')::int
           else 0 end)::int as load,
       (select json_agg(json_build_object('agent_type', h.agent_type, 'host', h.host, 'alive', h.alive,
          'heartbeat_timestamp', to_char(h.heartbeat_timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
          'configurations', h.configurations))
        from (select a.*, ${aliveSql(downTime)} as alive from ${AGENTS_FROM}) h where h.host = a.host) as host_agents
     from ${AGENTS_FROM}
     where a.agent_type = 'DHCP agent' and a.admin_state_up and ${aliveSql(downTime)}`,
    [],
    { prepare: true },
  );
}

/** The networks, with what they have; those that are gone are missing. */
export async function unservedNetworks(sql: Queryable, ids: readonly string[]): Promise<readonly UnservedNetwork[]> {
  return await sql<UnservedNetwork[]>`
    select n.id, array_to_json(n.availability_zone_hints) as zone_hints,
      (select coalesce(json_agg(json_build_object('agent_id', s.agent_id, 'place', s.place, 'zone', a.availability_zone)), '[]')
       from network_dhcp_agents s join agents a on a.id = s.agent_id where s.network_id = n.id) as present,
      (select coalesce(json_agg(json_build_object('id', g.id, 'network_type', g.network_type,
         'physical_network', g.physical_network, 'segmentation_id', g.segmentation_id)), '[]')
       from network_segments g where g.network_id = n.id and not g.is_dynamic) as segments
    from networks n where n.id = any(${ids as string[]}::uuid[]) order by n.id`;
}

/**
 * Gives networks to agents, as far as both still exist and nobody else has given the place away meanwhile; those that were
 * given. Two who choose at once meet at the place: the second finds it taken, and nothing is wrong with that.
 */
export async function giveNetworks(
  tx: Transaction,
  rows: readonly (Scheduled & { readonly place: number })[],
): Promise<readonly Scheduled[]> {
  return await tx.unsafe<(Scheduled & Record<string, unknown>)[]>(
    `with r as (select * from json_to_recordset($1::json) as r (network_id uuid, agent_id uuid, place smallint)),
       n as (select id from networks where id in (select network_id from r) order by id for key share),
       a as (select id from agents where id in (select agent_id from r) order by id for key share skip locked)
     insert into network_dhcp_agents (network_id, agent_id, place)
     select r.network_id, r.agent_id, r.place from r join n on n.id = r.network_id join a on a.id = r.agent_id
     order by r.network_id, r.place
     on conflict do nothing returning network_id, agent_id`,
    [rows as never],
    { prepare: true },
  );
}
