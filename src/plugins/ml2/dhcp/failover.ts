/**
 * What becomes of the networks of a DHCP agent that is dead: others take them over, with the addresses that its ports had
 * (neutron.db.agentschedulers_db, `remove_networks_from_down_agents`). They do not come back when the agent does: it serves
 * what is made from then on.
 *
 *   it did not report for twice agent_down_time, and is not starting up: as in Neutron
 *   its connection is lost, and it has not come back in `[agent_failover] lost_agent_grace`: a restart moves nothing
 *
 * While no agent is alive, all stays as it is: the fault is probably not theirs. A dead agent is told nothing, and finds out
 * when it comes back and asks for its networks. Whatever ends this in the middle, the next run goes on from there.
 */
import { AGENTS_FROM } from '#src/db/mod.ts';
import { adminContext } from '#src/lib/context.ts';
import type { PluginWorker } from '#src/lib/worker.ts';
import { periodic } from '#src/scheduler/mod.ts';
import { candidates } from './candidates.ts';
import type { DhcpHost } from './mod.ts';
import type { AgentPorts, Service } from './ports.ts';
import { tellGiven } from './scheduling.ts';
import type { DhcpSettings } from './settings.ts';

/** How often it is looked at; Neutron: each half of agent_down_time. */
const SECONDS = 5;
/** Networks in one transaction. */
const BATCH = 50;
/** How long a starting agent may need for one network before it can report again. */
const SECONDS_FOR_NETWORK = 2;

interface DeadService extends Service {
  readonly agent_id: string;
}

/** Whether an agent `a` is so dead that its networks are to move. */
function deadSql({ downTime, grace }: DhcpSettings): string {
  const limit = 2 * downTime;
  return `(
    (a.heartbeat_timestamp < now() - interval '${limit} seconds'
      and a.started_at + interval '${limit} seconds' + interval '${SECONDS_FOR_NETWORK} seconds'
        * (select count(*) from network_dhcp_agents c where c.agent_id = a.id) < now())
    or (not p.alive and p.changed_at < now() - interval '${grace} seconds'
      and a.heartbeat_timestamp <= p.changed_at + interval '1 second'))`;
}

/** The worker. */
export function failoverWorker(host: DhcpHost, ports: AgentPorts): PluginWorker {
  const { db, log, outbox } = host;
  const { settings, scheduling } = host.dhcp;
  const deadServices = `
    select s.network_id, s.agent_id, a.host from network_dhcp_agents s
    join (${AGENTS_FROM}) on a.id = s.agent_id
    where a.agent_type = 'DHCP agent' and a.admin_state_up and ${deadSql(settings)}`;
  let waiting = false;

  const next = async (): Promise<readonly DeadService[]> =>
    await db.sql.unsafe<(DeadService & Record<string, unknown>)[]>(
      `${deadServices} order by s.agent_id, s.network_id limit ${BATCH}`,
      [],
      { prepare: true },
    );

  /** Takes the networks from those who are dead still, and gives them to others. */
  const move = async (services: readonly DeadService[]) => {
    const context = adminContext();
    // First, so that the agents that get them find the ports.
    await ports.reserve(context, services);
    return await db.transaction({ label: 'dhcp_failover' }, async (tx) => {
      const taken = await tx.unsafe<(DeadService & Record<string, unknown>)[]>(
        `with dead as (${deadServices})
         delete from network_dhcp_agents d
         using dead join json_to_recordset($1::json) as r (network_id uuid, agent_id uuid)
           on r.network_id = dead.network_id and r.agent_id = dead.agent_id
         where d.network_id = dead.network_id and d.agent_id = dead.agent_id
         returning d.network_id, d.agent_id, dead.host`,
        [services as never],
        { prepare: true },
      );
      const given = await scheduling.schedule(tx, [...new Set(taken.map(({ network_id }) => network_id))]);
      await outbox.add(tx, context, tellGiven(given));
      return { taken: taken.length, given: given.length };
    });
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    for (let services = await next(); services.length > 0 && !signal.aborted; services = await next()) {
      if ((await candidates(db.sql, settings.downTime)).length === 0) {
        if (!waiting) log.warn('DHCP agents are dead, and there is none that could take over their networks');
        waiting = true;
        return;
      }
      waiting = false;
      const moved = await move(services);
      const hosts = [...new Set(services.map(({ host }) => host))];
      log.warn('networks of dead DHCP agents were moved to others', { hosts, ...moved });
      if (moved.taken === 0) return;
    }
  };

  return periodic({ db, name: 'DHCP failover', seconds: SECONDS, run, log });
}
