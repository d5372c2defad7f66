/** SQL of port statuses: statements of a fixed text for any number of ports. Ports are locked first, in the order of their ids. */
import { apiTime } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** Whose report a port waits for. */
export type ProvisioningEntity = 'L2' | 'DHCP';

export interface ProvisioningBlock {
  readonly port_id: string;
  readonly entity: ProvisioningEntity;
}

export type PortStatus = 'ACTIVE' | 'DOWN' | 'BUILD' | 'ERROR';

export interface StatusChange {
  readonly port_id: string;
  readonly status: PortStatus;
  /** Null: whatever host the port is bound to. */
  readonly host: string | null;
}

/** A port that somebody has dealt with. */
export interface PortReport {
  readonly port_id: string;
  /** Where it was dealt with; without, or null: whatever host the port is bound to. */
  readonly host?: string | null;
}

export async function insertBlocks(tx: Transaction, blocks: readonly ProvisioningBlock[]): Promise<void> {
  await tx.unsafe(
    `insert into port_provisioning_blocks (port_id, entity)
     select distinct r.port_id, r.entity from json_to_recordset($1::json) as r (port_id uuid, entity text)
     order by r.port_id, r.entity on conflict do nothing`,
    [blocks as never],
    { prepare: true },
  );
}

/** The limit keeps the planner from reading all bindings of a host for a few ports. */
const ACTIVE = `join lateral (
  select host, vif_type from port_bindings where port_id = p.id and status = 'ACTIVE' limit 1) b on true`;

/** Locks those of the ports that do not have the status yet. */
export async function lockChanging(tx: Transaction, changes: readonly StatusChange[]): Promise<void> {
  await tx.unsafe(
    `select p.id from ports p
     join json_to_recordset($1::json) as r (port_id uuid, status text, host text) on r.port_id = p.id
     ${ACTIVE}
     where p.id = any($2::uuid[]) and p.status <> r.status and (r.host is null or b.host = r.host)
     order by p.id for no key update of p`,
    [changes as never, changes.map(({ port_id }) => port_id) as never],
    { prepare: true },
  );
}

/** Locks those of the ports that wait for the entity, or for nothing but are not ACTIVE yet. */
export async function lockWaiting(
  tx: Transaction,
  entity: ProvisioningEntity,
  reports: readonly PortReport[],
): Promise<readonly string[]> {
  const rows = await tx.unsafe<{ id: string }[]>(
    `select p.id from ports p
     join json_to_recordset($1::json) as r (port_id uuid, host text) on r.port_id = p.id
     ${ACTIVE}
     left join lateral (
       select true as waits from port_provisioning_blocks where port_id = p.id and entity = $3 limit 1) q on true
     where p.id = any($2::uuid[]) and (r.host is null or b.host = r.host) and (p.status <> 'ACTIVE' or q.waits)
     order by p.id for no key update of p`,
    [reports as never, reports.map(({ port_id }) => port_id) as never, entity],
    { prepare: true },
  );
  return rows.map(({ id }) => id);
}

/** What a port was like before its status changed, by its id: of what changes with it. */
export type Before = ReadonlyMap<string, Resource>;

/** What is written with a status, and given back as it was: of a port `p` and the same as it was, `o`. */
const SET = 'revision_number = p.revision_number + 1, updated_at = now()';
const WAS = `p.id, o.status, o.revision_number, ${apiTime('o.updated_at')} as updated_at`;

const before = (rows: readonly (Resource & { readonly id: string })[]): Before =>
  new Map(rows.map((row) => [row.id, row]));

/**
 * Takes the entity's blocks off ports (locked); those become ACTIVE with it that wait for nobody else, are bound and enabled.
 * Ports that have left the host since are left alone.
 */
export async function removeBlocks(
  tx: Transaction,
  entity: ProvisioningEntity,
  reports: readonly PortReport[],
): Promise<Before> {
  const rows = await tx.unsafe<(Resource & { readonly id: string })[]>(
    `with here as (
       select p.id, p.status, p.revision_number, p.updated_at, p.admin_state_up, b.vif_type from ports p
       join json_to_recordset($1::json) as r (port_id uuid, host text) on r.port_id = p.id
       ${ACTIVE}
       where p.id = any($2::uuid[]) and (r.host is null or b.host = r.host)),
     gone as (delete from port_provisioning_blocks q using here h where q.port_id = h.id and q.entity = $3)
     update ports p set status = 'ACTIVE', ${SET} from here o
     where p.id = o.id and o.status <> 'ACTIVE' and o.admin_state_up and o.vif_type not in ('unbound', 'binding_failed', 'distributed')
       and not exists (select 1 from port_provisioning_blocks q where q.port_id = o.id and q.entity <> $3)
     returning ${WAS}`,
    [reports as never, reports.map(({ port_id }) => port_id) as never, entity],
    { prepare: true },
  );
  return before(rows);
}

/** Writes statuses of ports (locked) that are still where the changes say, and have others. */
export async function writeStatuses(tx: Transaction, changes: readonly StatusChange[]): Promise<Before> {
  const rows = await tx.unsafe<(Resource & { readonly id: string })[]>(
    `with changing as (
       select p.id, p.status, p.revision_number, p.updated_at, r.status as next from ports p
       join json_to_recordset($1::json) as r (port_id uuid, status text, host text) on r.port_id = p.id
       ${ACTIVE}
       where p.id = any($2::uuid[]) and p.status <> r.status and (r.host is null or b.host = r.host))
     update ports p set status = o.next, ${SET} from changing o where p.id = o.id
     returning ${WAS}`,
    [changes as never, changes.map(({ port_id }) => port_id) as never],
    { prepare: true },
  );
  return before(rows);
}

/** Those of the ports that have a binding on the report's host that is not active: a migration has prepared it. */
export async function preparedPorts(tx: Transaction, reports: readonly PortReport[]): Promise<readonly string[]> {
  const rows = await tx.unsafe<{ port_id: string }[]>(
    `select distinct b.port_id from json_to_recordset($1::json) as r (port_id uuid, host text)
     join port_bindings b on b.port_id = r.port_id and b.host = r.host and b.status = 'INACTIVE'`,
    [reports as never],
    { prepare: true },
  );
  return rows.map(({ port_id }) => port_id);
}
