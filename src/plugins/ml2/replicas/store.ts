/**
 * SQL of replicas: rows of port_bindings beside a port's own, one for each host. Statements of a fixed text for any number of
 * them; what changes them has locked their ports, in the order of their ids.
 */
import { apiTime } from '#src/db/mod.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { PortStatus } from '../status/mod.ts';

export interface Place {
  readonly port_id: string;
  readonly host: string;
}

/** A place for which drivers were asked, and the port as they were shown it. */
export interface WantedPlace extends Place {
  readonly device_owner: string;
}

const keyOf = ({ port_id, host }: Place): string => `${port_id} ${host}`;

/** Locks the ports, and gives those of the places where a replica may be: not where the port itself is bound. */
export async function lockPlaces<Wanted extends WantedPlace>(
  tx: Transaction,
  places: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const rows = await tx.unsafe<(Place & Record<string, unknown>)[]>(
    `select p.id as port_id, r.host from ports p
     join json_to_recordset($1::json) as r (port_id uuid, host text, device_owner text) on r.port_id = p.id
     join port_bindings own on own.port_id = p.id and own.status = 'ACTIVE' and own.host <> r.host
     where p.id = any($2::uuid[]) and p.device_owner = r.device_owner
     order by p.id for no key update of p`,
    [places as never, places.map(({ port_id }) => port_id) as never],
    { prepare: true },
  );
  const free = new Set(rows.map(keyOf));
  return places.filter((place) => free.has(keyOf(place)));
}

/** Makes replicas that are not bound yet, where there are none. */
export async function insertReplicas(tx: Transaction, places: readonly Place[]): Promise<void> {
  await tx.unsafe(
    `insert into port_bindings (port_id, host, vnic_type, profile, status, host_status)
     select own.port_id, r.host, own.vnic_type, own.profile, 'REPLICA', 'DOWN'
     from json_to_recordset($1::json) as r (port_id uuid, host text)
     join port_bindings own on own.port_id = r.port_id and own.status = 'ACTIVE'
     order by own.port_id, r.host on conflict do nothing`,
    [places as never],
    { prepare: true },
  );
}

/** What becomes of a replica. */
export interface ReplicaChange extends Place {
  readonly status: PortStatus;
  /** Whether it goes in any case; otherwise with DOWN, but where the port is disabled: its host waits for it to be enabled. */
  readonly goes?: boolean;
}

/** What a replica was, and what its status is now. */
export interface ChangedReplica extends Place {
  readonly vif_type: string;
  readonly vif_details: Resource;
  readonly before: string;
  readonly after: string;
}

/** The replicas that change: nothing is wired of a port that is disabled, or not bound there. */
const CHANGING = `
  select b.port_id, b.host, b.vif_type, b.vif_details, b.host_status as before, r.status as after,
    coalesce(r.goes, false) or r.status = 'DOWN' and p.admin_state_up as goes
  from json_to_recordset($1::json) as r (port_id uuid, host text, status text, goes boolean)
  join ports p on p.id = r.port_id
  join port_bindings b on b.port_id = r.port_id and b.host = r.host and b.status = 'REPLICA'
  where p.id = any($2::uuid[]) and (r.status = 'DOWN' or p.admin_state_up and b.vif_type not in ('unbound', 'binding_failed'))
    and (r.goes or r.status = 'DOWN' and p.admin_state_up or b.host_status <> r.status)`;

const parametersOf = (changes: readonly ReplicaChange[]) =>
  [changes as never, changes.map(({ port_id }) => port_id) as never] as never[];

/** Locks the ports of the replicas that change. */
export async function lockChanging(tx: Transaction, changes: readonly ReplicaChange[]): Promise<void> {
  await tx.unsafe(
    `select 1 from ports where id in (select port_id from (${CHANGING}) c) order by id for no key update`,
    parametersOf(changes),
    { prepare: true },
  );
}

/** Writes the changes, and gives them. Asks anew what the lock may have been waited for. */
export async function writeChanges(
  tx: Transaction,
  changes: readonly ReplicaChange[],
): Promise<readonly ChangedReplica[]> {
  return await tx.unsafe<(ChangedReplica & Record<string, unknown>)[]>(
    `with changing as materialized (${CHANGING}),
     failure as (
       delete from port_binding_failures f using changing c where c.goes and f.port_id = c.port_id and f.host = c.host),
     gone as (
       delete from port_bindings b using changing c
       where c.goes and b.port_id = c.port_id and b.host = c.host and b.status = 'REPLICA'),
     changed as (
       update port_bindings b set host_status = c.after from changing c
       where not c.goes and b.port_id = c.port_id and b.host = c.host and b.status = 'REPLICA')
     select port_id, host, vif_type, vif_details, before, after from changing order by port_id, host`,
    parametersOf(changes),
    { prepare: true },
  );
}

const wiredSomewhere = (status: string): string =>
  `exists (select 1 from port_bindings h where h.port_id = p.id and h.status = 'REPLICA' and h.host_status = '${status}')`;

/** The drivers that have bound the first of the hosts, as `binding:vif_details` shows them. */
const DRIVERS = `coalesce((
  select jsonb_build_object('bound_drivers', jsonb_object_agg(l.level, l.driver)) from port_binding_levels l
  where l.port_id = p.id and l.host = (select min(f.host) from port_binding_levels f where f.port_id = p.id)
  having count(*) > 0), '{}')`;

/**
 * Makes distributed ports show what their replicas come to: ACTIVE while any host has wired it. What they were like before, of
 * those that have changed.
 */
export async function summarize(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, Resource>> {
  const rows = await tx.unsafe<(Resource & { readonly id: string })[]>(
    `with now as materialized (
       select p.id, p.status, p.revision_number, p.updated_at, own.vif_details, ${DRIVERS} as next_details,
         case when ${wiredSomewhere('ACTIVE')} then 'ACTIVE' when ${wiredSomewhere('BUILD')} then 'BUILD' else 'DOWN' end as next
       from ports p join port_bindings own on own.port_id = p.id and own.status = 'ACTIVE' and own.vif_type = 'distributed'
       where p.id = any($1::uuid[])),
     own as (
       update port_bindings b set vif_details = n.next_details from now n
       where b.port_id = n.id and b.status = 'ACTIVE' and b.vif_details <> n.next_details)
     update ports p set status = o.next, revision_number = p.revision_number + 1, updated_at = now() from now o
     where p.id = o.id and (o.status <> o.next or o.vif_details <> o.next_details)
     returning p.id, o.status, o.revision_number, ${apiTime('o.updated_at')} as updated_at,
       o.vif_details as "binding:vif_details"`,
    [ids as never],
    { prepare: true },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const places = async (sql: Queryable, text: string, parameters: readonly unknown[]): Promise<readonly Place[]> =>
  await sql.unsafe<(Place & Record<string, unknown>)[]>(
    `select b.port_id, b.host from port_bindings b ${text} and b.status = 'REPLICA' order by b.port_id, b.host`,
    parameters as never[],
    { prepare: true },
  );

/** All replicas of a port. */
export const replicasOfPort = (tx: Transaction, port_id: string): Promise<readonly Place[]> =>
  places(tx, 'where b.port_id = $1::uuid', [port_id]);

/** The replicas of a router's ports on hosts. */
export const replicasOfRouter = (
  tx: Transaction,
  router_id: string,
  hosts: readonly string[],
): Promise<readonly Place[]> =>
  places(tx, 'join router_ports x on x.port_id = b.port_id where x.router_id = $1::uuid and b.host = any($2::text[])', [
    router_id,
    hosts,
  ]);

/** The replicas on a host that has no agent of the types but this one. */
export const replicasOfLastAgent = (
  tx: Transaction,
  host: string,
  agent_id: string,
  types: readonly string[],
): Promise<readonly Place[]> =>
  places(
    tx,
    `where b.host = $1 and not exists (
       select 1 from agents a where a.host = b.host and a.id <> $2::uuid and a.agent_type = any($3::text[]))`,
    [host, agent_id, types],
  );
