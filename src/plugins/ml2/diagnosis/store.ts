/** All that a diagnosis is made of, by one statement. */
import { AGENTS_FROM, aliveSql, apiTime, Parameters, type Scope } from '#src/db/mod.ts';
import type { Sql } from '#src/lib/database.ts';

export interface DiagnosedAgent {
  readonly agent_type: string;
  readonly host: string;
  readonly alive: boolean;
  readonly heartbeat_timestamp: string;
}

export interface DiagnosedBinding {
  readonly host: string;
  readonly status: string;
  /** Of a replica, how the port stands on the host. */
  readonly host_status: string | null;
  readonly vif_type: string;
  readonly vnic_type: string;
  readonly levels: readonly { readonly driver: string }[];
  readonly failures: readonly unknown[];
}

export interface Facts {
  readonly status: string;
  readonly admin_state_up: boolean;
  /** The active one first. */
  readonly bindings: readonly DiagnosedBinding[];
  /** Who has to report: `L2`, `DHCP`. */
  readonly blocks: readonly string[];
  /** Agents of the hosts of the bindings. */
  readonly agents: readonly DiagnosedAgent[];
  /** The DHCP agents that serve the network. */
  readonly dhcp_agents: readonly DiagnosedAgent[];
}

const list = (select: string) => `coalesce((select json_agg(q) from (${select}) q), '[]')`;

/** The facts of a port; undefined when the scope does not show it. */
export async function readFacts(sql: Sql, port_id: string, downTime: number, scope: Scope): Promise<Facts | undefined> {
  const parameters = new Parameters();
  const id = parameters.add(port_id, 'uuid');
  const conditions = [`p.id = ${id}`, scope(parameters)];
  // Inside, `p` is the agents' presence.
  const agent = `a.agent_type, a.host, ${aliveSql(downTime)} as alive,
    to_char(a.heartbeat_timestamp at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as heartbeat_timestamp`;
  const text = `
    select p.status, p.admin_state_up,
      ${list(`
        select b.host, b.status, b.host_status, b.vif_type, b.vnic_type,
          ${list(`
            select l.driver, l.segment_id, s.network_type, s.physical_network, s.segmentation_id
            from port_binding_levels l join network_segments s on s.id = l.segment_id
            where l.port_id = b.port_id and l.host = b.host order by l.level`)} as levels,
          ${list(`
            select f.driver, f.segment_id, f.reason, ${apiTime('f.failed_at')} as failed_at from port_binding_failures f
            where f.port_id = b.port_id and f.host = b.host order by f.place`)} as failures
        from port_bindings b where b.port_id = p.id order by b.status, b.host`)} as bindings,
      array(select k.entity from port_provisioning_blocks k where k.port_id = p.id order by k.entity) as blocks,
      ${list(`
        select ${agent} from ${AGENTS_FROM} where a.host in (select o.host from port_bindings o where o.port_id = ${id})
        order by a.host, a.agent_type`)} as agents,
      ${list(`
        select ${agent} from ${AGENTS_FROM} join network_dhcp_agents n on n.agent_id = a.id
        where n.network_id = (select network_id from ports where id = ${id}) order by a.host`)} as dhcp_agents
    from ports p where ${conditions.filter(Boolean).join(' and ')}`;
  const [facts] = await sql.unsafe<(Facts & Record<string, unknown>)[]>(text, parameters.values as never[], {
    prepare: true,
  });
  return facts;
}
