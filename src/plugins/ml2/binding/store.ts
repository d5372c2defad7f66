/** SQL of bindings: each statement is for any number of ports. Levels are there only while something is bound. */
import { apiTime } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Placement, Resource } from '#src/lib/plugin.ts';
import type { BindingChoice } from './choice.ts';

/** The constraint that a level meets whose segment has gone. */
export const SEGMENT_GONE = 'port_binding_levels_segment_id_network_segments_id_fk';

/** What a binding is made for, as it stands in the database. */
export interface BindingState {
  readonly id: string;
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: unknown;
  readonly vif_type: string;
  readonly revision_number: number;
  /** Whether it has replicas on other hosts. */
  readonly has_replicas: boolean;
}

/** Locks ports in the order of their ids, and gives their active bindings as they are then. */
export async function lockBindings(tx: Transaction, ids: readonly string[]): Promise<readonly BindingState[]> {
  return await tx<BindingState[]>`
    select p.id, b.host, b.vnic_type, b.profile, b.vif_type, p.revision_number, exists (
      select from port_bindings h where h.port_id = p.id and h.status = 'REPLICA') as has_replicas
    from ports p join port_bindings b on b.port_id = p.id and b.status = 'ACTIVE'
    where p.id = any(${ids as string[]}::uuid[]) order by p.id for no key update`;
}

/** A binding of a port on a host, active or not, with what drivers made of it. */
export interface WrittenBinding {
  readonly port_id: string;
  readonly host: string;
  readonly choice: BindingChoice;
}

/** Failures that are kept of one try: more say nothing new. */
const MOST_FAILURES = 100;

/** What `binding:vif_type` and `binding:vif_details` show of a choice. */
export function attributesOf(choice: BindingChoice): Resource {
  if (choice.kind === 'failed') return { 'binding:vif_type': 'binding_failed', 'binding:vif_details': {} };
  const bound_drivers = Object.fromEntries(choice.levels.map(({ driver }, level) => [String(level), driver]));
  return {
    'binding:vif_type': choice.vif_type,
    'binding:vif_details': { ...choice.vif_details, bound_drivers },
  };
}

/** Writes bindings with their levels and failures, in the place of those of an earlier try. The ports are locked. */
export async function writeBindings(tx: Transaction, written: readonly WrittenBinding[]): Promise<void> {
  const bindings: Record<string, unknown>[] = [];
  const levels: Record<string, unknown>[] = [];
  const failures: Record<string, unknown>[] = [];
  for (const { port_id, host, choice } of written) {
    const { 'binding:vif_type': vif_type, 'binding:vif_details': vif_details } = attributesOf(choice);
    const bound = choice.kind === 'bound' ? choice.levels : [];
    const failed = choice.kind === 'failed' ? choice.failures.slice(0, MOST_FAILURES) : [];
    const key = { port_id, host };
    bindings.push({ ...key, vif_type, vif_details, levels: bound.length, failures: failed.length });
    levels.push(...bound.map(({ driver, segment }, level) => ({ ...key, level, driver, segment_id: segment.id })));
    failures.push(...failed.map((failure, place) => ({ ...key, place, ...failure })));
  }
  await tx.unsafe(WRITE, [bindings, levels, failures] as never[], { prepare: true });
}

const WRITE = `
  with r as (
    select * from json_to_recordset($1::json)
      as r (port_id uuid, host text, vif_type text, vif_details jsonb, levels int, failures int)
  ), binding as (
    update port_bindings b set vif_type = r.vif_type, vif_details = r.vif_details
    from r where b.port_id = r.port_id and b.host = r.host
  ), fewer_levels as (
    delete from port_binding_levels l using r where l.port_id = r.port_id and l.host = r.host and l.level >= r.levels
  ), level as (
    insert into port_binding_levels (port_id, host, level, driver, segment_id)
    select port_id, host, level, driver, segment_id from json_to_recordset($2::json)
      as l (port_id uuid, host text, level smallint, driver text, segment_id uuid)
    on conflict (port_id, host, level) do update set driver = excluded.driver, segment_id = excluded.segment_id
  ), fewer_failures as (
    delete from port_binding_failures f using r where f.port_id = r.port_id and f.host = r.host and f.place >= r.failures
  )
  insert into port_binding_failures (port_id, host, place, driver, segment_id, reason)
  select port_id, host, place, driver, segment_id, reason from json_to_recordset($3::json)
    as f (port_id uuid, host text, place smallint, driver text, segment_id uuid, reason text)
  on conflict (port_id, host, place) do update
  set driver = excluded.driver, segment_id = excluded.segment_id, reason = excluded.reason, failed_at = excluded.failed_at`;

/** What a binding changes of the port itself; null leaves it. */
export interface PortChange {
  readonly id: string;
  readonly status: string | null;
  readonly mac_address: string | null;
}

/** Changes ports that have been bound, each a revision further; their attributes that are others now, by id. */
export async function revisePorts(
  tx: Transaction,
  changes: readonly PortChange[],
): Promise<ReadonlyMap<string, Resource>> {
  const rows = await tx.unsafe<{ id: string; [attribute: string]: unknown }[]>(REVISE, [changes as never], {
    prepare: true,
  });
  return new Map(rows.map(({ id, ...attributes }) => [id, attributes]));
}

const REVISE = `
  update ports p set status = coalesce(r.status, p.status), mac_address = coalesce(r.mac_address, p.mac_address),
    revision_number = p.revision_number + 1, updated_at = now()
  from json_to_recordset($1::json) as r (id uuid, status text, mac_address macaddr) where p.id = r.id
  returning p.id, p.status, p.mac_address, p.revision_number, ${apiTime('p.updated_at')} as updated_at`;

/** What a binding is made for; undefined stays as it is. */
export interface BindingInput {
  readonly host?: string;
  readonly vnic_type?: string;
  readonly profile?: unknown;
  /** `unbound`, or `distributed`. */
  readonly vif_type?: string;
}

/** Changes what the active binding of a port is made for: what it was is taken down. The port is locked. */
export async function changeBinding(tx: Transaction, port_id: string, input: BindingInput): Promise<void> {
  await Promise.all([
    // A host that was prepared for the port, or has a replica, has a binding of it already.
    input.host === undefined ? undefined : deletePrepared(tx, port_id, input.host),
    tx.unsafe(CHANGE, [port_id, input as never], { prepare: true }),
  ]);
}

async function deletePrepared(tx: Transaction, port_id: string, host: string): Promise<void> {
  await tx`delete from port_bindings where port_id = ${port_id} and host = ${host} and status <> 'ACTIVE'`;
}

const CHANGE = `
  with active as (
    select port_id, host from port_bindings where port_id = $1::uuid and status = 'ACTIVE'
  ), level as (
    delete from port_binding_levels l using active a where l.port_id = a.port_id and l.host = a.host
  ), failure as (
    delete from port_binding_failures f using active a where f.port_id = a.port_id and f.host = a.host
  )
  update port_bindings b set host = coalesce(r.host, b.host), vnic_type = coalesce(r.vnic_type, b.vnic_type),
    profile = coalesce(r.profile, b.profile), vif_type = coalesce(r.vif_type, 'unbound'),
    vif_details = case when r.vif_type = b.vif_type then b.vif_details else '{}' end
  from active a, json_to_record($2::json) as r (host text, vnic_type text, profile jsonb, vif_type text)
  where b.port_id = a.port_id and b.host = a.host`;

/** Moves the active bindings of ports to hosts: what they were is taken down. The ports are locked. */
export async function moveBindings(tx: Transaction, placements: readonly Placement[]): Promise<void> {
  const parameters = [placements as never];
  await Promise.all([
    // A host that was prepared for the port, or has a replica, has a binding of it already.
    tx.unsafe(UNPREPARE, parameters, { prepare: true }),
    tx.unsafe(MOVE, parameters, { prepare: true }),
  ]);
}

const PLACED = 'json_to_recordset($1::json) as r (port_id uuid, host text)';

/** A replica that has become the port's own binding, and how the port stands there. */
export interface Exchanged {
  readonly port_id: string;
  readonly vif_type: string;
  readonly vif_details: Resource;
  readonly status: string;
}

/**
 * Makes replicas that are bound to the hosts the ports' own bindings, and leaves replicas where those were: nothing is plugged
 * anew when another agent of a router becomes the active one. Two statements, because the index of the one that is active looks
 * at every row by itself.
 */
export async function exchangeReplicas(
  tx: Transaction,
  placements: readonly Placement[],
): Promise<readonly Exchanged[]> {
  if (placements.length === 0) return [];
  const parameters = [placements as never];
  const [, exchanged] = await Promise.all([
    tx.unsafe(DEMOTE, parameters, { prepare: true }),
    tx.unsafe<(Exchanged & Record<string, unknown>)[]>(PROMOTE, parameters, { prepare: true }),
  ]);
  return exchanged;
}

const STANDING_BY = `${PLACED}
  join port_bindings h on h.port_id = r.port_id and h.host = r.host and h.status = 'REPLICA'
    and h.vif_type not in ('unbound', 'binding_failed')`;

const DEMOTE = `
  update port_bindings b set status = 'REPLICA', host_status = p.status
  from ${STANDING_BY} join ports p on p.id = r.port_id
  where b.port_id = r.port_id and b.status = 'ACTIVE' and b.host <> ''`;

const PROMOTE = `
  with promoted as (
    select h.port_id, h.host, h.host_status from ${STANDING_BY}
    where not exists (select 1 from port_bindings a where a.port_id = h.port_id and a.status = 'ACTIVE'))
  update port_bindings b set status = 'ACTIVE', host_status = null from promoted o
  where b.port_id = o.port_id and b.host = o.host
  returning b.port_id, b.vif_type, b.vif_details, o.host_status as status`;

const UNPREPARE = `
  delete from port_bindings b using ${PLACED}
  where b.port_id = r.port_id and b.host = r.host and b.status <> 'ACTIVE'`;

const MOVE = `
  with active as (
    select b.port_id, b.host, r.host as next from ${PLACED}
    join port_bindings b on b.port_id = r.port_id and b.status = 'ACTIVE' and b.host <> r.host
  ), level as (
    delete from port_binding_levels l using active a where l.port_id = a.port_id and l.host = a.host
  ), failure as (
    delete from port_binding_failures f using active a where f.port_id = a.port_id and f.host = a.host
  )
  update port_bindings b set host = a.next, vif_type = 'unbound', vif_details = '{}'
  from active a where b.port_id = a.port_id and b.host = a.host`;
