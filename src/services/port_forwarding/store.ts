/**
 * SQL of port forwardings beside their reading. What writes them has locked the port inside, then the floating IP: of the ports of
 * either no two forwardings of a protocol overlap.
 */
import { bumpRevisions, insertRows, reviseRow } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';

/** Columns of a forwarding's row. */
export const COLUMNS = {
  id: 'uuid',
  floatingip_id: 'uuid',
  internal_port_id: 'uuid',
  internal_ip_address: 'inet',
  protocol: 'text',
  internal_port_start: 'integer',
  internal_port_end: 'integer',
  external_port_start: 'integer',
  external_port_end: 'integer',
  description: 'text',
} as const;

export interface ForwardingRow {
  readonly id: string;
  readonly floatingip_id: string;
  readonly internal_port_id: string;
  readonly internal_ip_address: string;
  readonly protocol: string;
  readonly internal_port_start: number;
  readonly internal_port_end: number;
  readonly external_port_start: number;
  readonly external_port_end: number;
  readonly description: string;
}

const rows = <Row>(tx: Transaction, text: string, values: readonly unknown[]): Promise<Row[]> =>
  // A promise of its own: a bare query is sent only when somebody waits for it.
  tx.unsafe(text, values as never[], { prepare: true }).then((found) => found as unknown as Row[]);

/** A floating IP that is to have forwardings, under its lock. */
export interface Forwarder {
  readonly id: string;
  readonly address: string;
  readonly network_id: string;
  readonly router_id: string | null;
  /** The port that the whole of it leads to. */
  readonly port_id: string | null;
  /** A floating IP that leads to one of the ports that were asked about. */
  readonly leading: { readonly id: string; readonly address: string; readonly port_id: string } | null;
}

/** Locks the floating IP and reads it; undefined: it is gone. The ports are locked before. */
export async function lockForwarder(
  tx: Transaction,
  id: string,
  port_ids: readonly string[],
): Promise<Forwarder | undefined> {
  const [, [found]] = await Promise.all([
    rows(tx, 'select 1 from floatingips where id = $1::uuid for no key update', [id]),
    rows<Forwarder>(
      tx,
      `select f.id, host(f.floating_ip_address) as address, f.floating_network_id as network_id, f.router_id,
         f.fixed_port_id as port_id, (
           select json_build_object('id', o.id, 'address', host(o.floating_ip_address), 'port_id', o.fixed_port_id)
           from floatingips o where o.fixed_port_id = any($2::uuid[]) order by o.id limit 1) as leading
       from floatingips f where f.id = $1::uuid`,
      [id, port_ids],
    ),
  ]);
  return found;
}

/** The ports, locked in order by who changes them without asking more. */
export async function lockPorts(tx: Transaction, ids: readonly string[]): Promise<void> {
  await rows(tx, 'select 1 from ports where id = any($1::uuid[]) order by id for no key update', [ids]);
}

export interface Overlap {
  readonly side: 'external' | 'internal';
  readonly present: string;
  readonly asked: string;
}

const TYPED = Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/** What is there and what is asked for beside it, of the other rows; `same` is what both have alike. */
const overlapping = (side: Overlap['side'], same: string): string => {
  const [start, end] = [`${side}_port_start`, `${side}_port_end`];
  const meets = `w.id <> d.id and w.protocol = d.protocol and ${same} and w.${start} <= d.${end} and w.${end} >= d.${start}`;
  const columns = `w.${start} || ':' || w.${end} as present, d.${start} || ':' || d.${end} as asked`;
  return `(select '${side}' as side, ${columns} from d join port_forwardings w on ${meets} limit 1)
    union all (select '${side}', ${columns} from d join d w on ${meets} limit 1)`;
};

const OVERLAPS = `
  with d as materialized (select * from json_to_recordset($1::json) as d (${TYPED}))
  ${overlapping('external', 'w.floatingip_id = d.floatingip_id')}
  union all
  ${overlapping('internal', 'w.internal_port_id = d.internal_port_id and w.internal_ip_address = d.internal_ip_address')}`;

/** A port that would be forwarded twice if these were written. */
export async function findOverlap(tx: Transaction, asked: readonly ForwardingRow[]): Promise<Overlap | undefined> {
  return (await rows<Overlap>(tx, OVERLAPS, [asked]))[0];
}

export const insertForwardings = (tx: Transaction, forwardings: readonly ForwardingRow[]): Promise<void> =>
  insertRows(tx, 'port_forwardings', COLUMNS, forwardings as readonly (ForwardingRow & Record<string, unknown>)[]);

/** Another revision for all that shows or carries forwardings; a floating IP without a router gets it. */
export async function reviseAround(
  tx: Transaction,
  { id, router_id }: Pick<Forwarder, 'id' | 'router_id'>,
  by: string,
  port_ids: readonly string[],
): Promise<void> {
  await Promise.all([
    reviseRow(tx, 'floatingips', id, { router_id: 'uuid' }, router_id === null ? { router_id: by } : {}),
    bumpRevisions(tx, 'ports', port_ids),
  ]);
}

/** A forwarding that is gone. */
export interface Gone {
  readonly id: string;
  readonly floatingip_id: string;
  readonly router_id: string | null;
}

/** Deletes forwardings, whose floating IPs are locked; one that has none left has no router any more. */
export function deleteForwardings(tx: Transaction, ids: readonly string[]): Promise<readonly Gone[]> {
  return rows<Gone>(
    tx,
    `with gone as (delete from port_forwardings where id = any($1::uuid[]) returning id, floatingip_id),
     was as (select distinct f.id, f.router_id from floatingips f join gone g on g.floatingip_id = f.id),
     freed as (
       update floatingips f set revision_number = f.revision_number + 1, updated_at = now(),
         router_id = case when others.remain then f.router_id end,
         last_known_router_id = case when others.remain then f.last_known_router_id else f.router_id end
       from was cross join lateral (select exists (
         select 1 from port_forwardings w where w.floatingip_id = was.id and w.id <> all($1::uuid[])) as remain) others
       where f.id = was.id)
     select g.id, g.floatingip_id, was.router_id from gone g join was on was.id = g.floatingip_id order by g.id`,
    [ids],
  );
}

/** Locks the floating IPs with forwardings to a port whose addresses are not among those that stay, and gives the forwardings. */
export async function lockLosing(tx: Transaction, port_id: string, staying: readonly string[]): Promise<string[]> {
  const LOST = 'w.internal_port_id = $1::uuid and w.internal_ip_address <> all($2::text[]::inet[])';
  const [, found] = await Promise.all([
    rows(
      tx,
      `select 1 from floatingips where id = any(array(select w.floatingip_id from port_forwardings w where ${LOST}))
       order by id for no key update`,
      [port_id, staying],
    ),
    rows<{ id: string }>(tx, `select w.id from port_forwardings w where ${LOST} order by w.id`, [port_id, staying]),
  ]);
  return found.map(({ id }) => id);
}

/** A subnet among these by whose addresses the router forwards ports. */
export async function forwardedSubnet(
  tx: Transaction,
  router_id: string,
  subnet_ids: readonly string[],
): Promise<string | undefined> {
  const [found] = await rows<{ subnet_id: string }>(
    tx,
    `select a.subnet_id from floatingips f join port_forwardings w on w.floatingip_id = f.id
     join ip_allocations a on a.port_id = w.internal_port_id and a.ip_address = w.internal_ip_address
     where f.router_id = $1::uuid and a.subnet_id = any($2::uuid[]) limit 1`,
    [router_id, subnet_ids],
  );
  return found?.subnet_id;
}
