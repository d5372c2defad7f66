/**
 * The ports of highly available routers on their network: one for each agent that has the router. They come and go with the agents
 * (`router_agents`). Where an agent is deleted its port stays behind, with its address, and the next agent takes it over.
 */
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterAgent, RouterAgentsChange, SchedulingWork } from '../agents/mod.ts';
import type { RouterHost } from '../host.ts';
import { HA_PORT } from '../routers/store.ts';

interface Home {
  readonly network_id: string;
  readonly project_id: string;
  /** The agents that have no port yet. */
  readonly lacking: readonly string[];
}

/** Gives ports that are nobody's to the agents; who is still without, and where ports are to be made. */
async function giveFreePorts(tx: Transaction, router_id: string, agents: readonly RouterAgent[]): Promise<Home> {
  const [home] = await tx<Home[]>`
    with wanted as (
      select agent_id, row_number() over (order by agent_id) as n
      from unnest(${agents.map(({ agent_id }) => agent_id)}::uuid[]) as r (agent_id)
      where not exists (select 1 from router_ha_ports h where h.router_id = ${router_id} and h.agent_id = r.agent_id)),
    free as (
      select port_id, row_number() over (order by port_id) as n
      from router_ha_ports where router_id = ${router_id} and agent_id is null),
    given as (
      update router_ha_ports h set agent_id = w.agent_id, state = 'standby' from wanted w join free f on f.n = w.n
      where h.port_id = f.port_id returning h.agent_id)
    select v.network_id, r.project_id, array_to_json(array(
      select agent_id from wanted except select agent_id from given)) as lacking
    from routers r join router_vr_ids v on v.router_id = r.id where r.id = ${router_id}`;
  if (home === undefined) throw new Error(`router ${router_id} has agents, but no network to be highly available on`);
  return home;
}

/** What became router's ports. */
async function keepPorts(tx: Transaction, router_id: string, ports: readonly Resource[], agents: readonly string[]) {
  const rows = ports.map(({ id }, at) => ({ port_id: String(id), agent_id: agents[at] ?? '' }));
  await tx.unsafe(
    `with r as (select * from json_to_recordset($2::json) as r (port_id uuid, agent_id uuid)),
       o as (insert into router_ports (router_id, port_id, port_type) select $1::uuid, port_id, '${HA_PORT}' from r)
     insert into router_ha_ports (port_id, router_id, agent_id) select port_id, $1::uuid, agent_id from r`,
    [router_id, rows as never],
    { prepare: true },
  );
}

/** Follows the agents of routers. */
export function followAgents({ callbacks, acting }: RouterHost): void {
  callbacks.subscribe('router_agents', 'precommit_create', async ({ context, resource_id, tx, verbs, metadata }) => {
    const { agents, ha } = metadata as unknown as RouterAgentsChange;
    if (!ha || tx === undefined || agents.length === 0) return;
    const { network_id, project_id, lacking } = await giveFreePorts(tx, resource_id, agents);
    if (lacking.length === 0) return;
    if (verbs === undefined) throw new Error(`router ${resource_id} got agents where no ports can be made for them`);
    const bodies = lacking.map(() => ({
      ...{ project_id: '', network_id, admin_state_up: true, name: `HA port project ${project_id}` },
      ...{ device_id: resource_id, device_owner: HA_PORT },
    }));
    const ports = await verbs['create_port_bulk']?.(acting.as(context), { parents: {}, bodies });
    await keepPorts(tx, resource_id, ports as readonly Resource[], lacking);
  });

  callbacks.subscribe('router_agents', 'precommit_delete', async ({ context, resource_id, tx, verbs, metadata }) => {
    const { agents, ha } = metadata as unknown as RouterAgentsChange;
    if (!ha || tx === undefined || agents.length === 0) return;
    const ids = agents.map(({ agent_id }) => agent_id);
    if (verbs === undefined) {
      await tx`
        update router_ha_ports set agent_id = null, state = 'standby'
        where router_id = ${resource_id} and agent_id = any(${ids}::uuid[])`;
      return;
    }
    const ports = await tx<{ port_id: string }[]>`
      select port_id from router_ha_ports where router_id = ${resource_id} and agent_id = any(${ids}::uuid[]) order by port_id`;
    for (const { port_id } of ports) await verbs['delete_port']?.(acting.as(context), { id: port_id, parents: {} });
  });
}

/** Deletes all of them; the router is locked. */
export async function deletePorts(
  { acting }: Pick<RouterHost, 'acting'>,
  { tx, context, verbs }: SchedulingWork,
  router_id: string,
): Promise<void> {
  const ports = await tx<{ port_id: string }[]>`
    select port_id from router_ha_ports where router_id = ${router_id} order by port_id`;
  for (const { port_id } of ports) await verbs?.['delete_port']?.(acting.as(context), { id: port_id, parents: {} });
}
