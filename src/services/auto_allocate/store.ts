/** SQL of topologies. */
import type { Queryable, Transaction } from '#src/lib/database.ts';

/** The network and the router of a project; the router may be gone. */
export interface Topology {
  readonly network_id: string;
  readonly router_id: string | null;
}

export async function topologyOf(db: Queryable, project: string): Promise<Topology | undefined> {
  const [found] = await db<Topology[]>`
    select network_id, router_id from auto_allocated_topologies where project_id = ${project}`;
  return found;
}

/** Makes the network the project's; false where it has one already. Waits for another who is about to give it one. */
export async function claim(tx: Transaction, project: string, network_id: string): Promise<boolean> {
  const made = await tx`
    insert into auto_allocated_topologies (project_id, network_id) values (${project}, ${network_id})
    on conflict (project_id) do nothing`;
  return made.count === 1;
}

export async function noteRouter(tx: Transaction, project: string, router_id: string): Promise<void> {
  await tx`update auto_allocated_topologies set router_id = ${router_id} where project_id = ${project}`;
}

/** A topology that is about to go: nobody else takes it back, and the router stays as it is. */
export interface Leaving extends Topology {
  /** The subnets of the network that the router is on. */
  readonly attached: readonly string[];
}

export async function lockTopology(tx: Transaction, project: string): Promise<Leaving | undefined> {
  // Sent at once; the reading sees what the locks have waited for.
  const [, , [found]] = await Promise.all([
    tx`select 1 from auto_allocated_topologies where project_id = ${project} for update`.execute(),
    tx`
      select 1 from routers where id = (
        select router_id from auto_allocated_topologies where project_id = ${project}) for update`.execute(),
    tx<Leaving[]>`
      select t.network_id, t.router_id, coalesce((
        select json_agg(distinct a.subnet_id) from router_ports o
        join ip_allocations a on a.port_id = o.port_id
        join subnets s on s.id = a.subnet_id and s.network_id = t.network_id
        where o.router_id = t.router_id), '[]') as attached
      from auto_allocated_topologies t where t.project_id = ${project}`.execute(),
  ]);
  return found;
}

export async function defaultExternalNetwork(db: Queryable): Promise<string | undefined> {
  const [found] = await db<{ network_id: string }[]>`select network_id from external_networks where is_default`;
  return found?.network_id;
}
