/** SQL of floating IPs beside their reading. */
import { Parameters } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { seesAll } from '../reading.ts';
import { GATEWAY, INTERFACE_OWNERS, ownOrOnOwnNetwork } from '../routers/store.ts';

/** The device_owner of the ports that hold floating IPs' addresses. */
export const FLOATING_OWNER = 'network:floatingip';

export const FLOATING_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  description: 'text',
  floating_ip_address: 'inet',
  floating_network_id: 'uuid',
  floating_port_id: 'uuid',
  fixed_port_id: 'uuid',
  fixed_ip_address: 'inet',
  router_id: 'uuid',
  last_known_router_id: 'uuid',
  status: 'text',
  dns_name: 'text',
  dns_domain: 'text',
} as const;

/** The constraint that two floating IPs of a network for one fixed address meet. */
export const FIXED_IP_ONCE = 'floatingips_fixed_ip_once';

const rows = <Row>(db: Queryable, text: string, values: readonly unknown[]): Promise<Row[]> =>
  // A promise of its own: a bare query is sent only when somebody waits for it.
  db.unsafe(text, values as never[], { prepare: true }).then((found) => found as unknown as Row[]);

/** A floating IP that is to lead to a port. */
export interface Wish {
  readonly floatingip_id: string;
  readonly network_id: string;
  readonly port_id: string;
}

/** An IPv4 or IPv6 address of the port, with the router that leads from the external network to it. */
export interface Inside {
  readonly subnet_id: string;
  readonly ip_address: string;
  readonly router_id: string | null;
  /** Whether another floating IP of the network leads to it already. */
  readonly taken: boolean;
}

/** A port as a floating IP sees it; all of it stays true until the transaction ends. */
export interface Target {
  readonly floatingip_id: string;
  readonly port_id: string;
  readonly network_id: string;
  readonly project_id: string;
  readonly device_owner: string;
  readonly addresses: readonly Inside[];
}

const WISHES = 'json_to_recordset($1::json) as w (floatingip_id uuid, network_id uuid, port_id uuid)';
/** The limit keeps PostgreSQL from joining all ports with those of their networks: quadratic, and chosen while there are few. */
const THEIR_PORT = 'cross join lateral (select * from ports y where y.id = w.port_id limit 1) p';
const LISTED = INTERFACE_OWNERS.map((owner) => `'${owner}'`).join(', ');

/**
 * Routers with an interface on the subnet of the address `a` of the port `p`, and a gateway on the wish's network. The limits keep
 * PostgreSQL to this way: by the few router ports of the network inside, however many addresses it has, and gateways there are outside.
 */
const ROUTES = `
  from (
    select q.id from ports q where q.network_id = p.network_id and q.device_owner in (${LISTED}) offset 0) q
  cross join lateral (
    select t.router_id from router_ports t where t.port_id = q.id and t.port_type in (${LISTED}) limit 1) o
  cross join lateral (
    select t.ip_address from ip_allocations t where t.port_id = q.id and t.subnet_id = a.subnet_id limit 1) i
  where w.network_id = any(array(
    select g.network_id from router_ports u
    cross join lateral (select y.network_id from ports y where y.id = u.port_id limit 1) g
    where u.router_id = o.router_id and u.port_type = '${GATEWAY}'))`;

const POSSIBLE = `select o.router_id ${ROUTES}`;

/** The one whose address is the subnet's gateway, or the first. */
const ROUTER = `(select o.router_id ${ROUTES}
  order by i.ip_address is distinct from (select s.gateway_ip from subnets s where s.id = a.subnet_id), o.router_id limit 1)`;

/**
 * The ports of the wishes, where the caller sees them. Routers are kept with the interfaces and gateways they have, then ports
 * with their addresses: what is read then is true to the end. Locking in the order of all who change these; who also changes
 * the ports says so by `mode`.
 */
export async function targets(
  tx: Transaction,
  context: Context,
  wishes: readonly Wish[],
  mode: 'share' | 'no key update' = 'share',
): Promise<readonly Target[]> {
  if (wishes.length === 0) return [];
  const parameters = new Parameters();
  parameters.add(wishes);
  const scope = seesAll(context) ? 'true' : ownOrOnOwnNetwork(parameters.add(context.project_id, 'text'));
  const [locked, , found] = await Promise.all([
    rows<{ id: string }>(
      tx,
      `select r.id from routers r where r.id = any(array(
         select x.router_id from ${WISHES} ${THEIR_PORT}
         cross join lateral (select t.subnet_id from ip_allocations t where t.port_id = p.id offset 0) a
         cross join lateral (${POSSIBLE}) x)) order by r.id for share`,
      [wishes],
    ),
    rows(tx, `select 1 from ports where id = any(array(select w.port_id from ${WISHES})) order by id for ${mode}`, [
      wishes,
    ]),
    rows<Target>(
      tx,
      `select w.floatingip_id, p.id as port_id, p.network_id, p.project_id, p.device_owner, coalesce((
         select json_agg(json_build_object('subnet_id', a.subnet_id, 'ip_address', host(a.ip_address),
           'router_id', ${ROUTER}, 'taken', exists (
             select 1 from floatingips f where f.floating_network_id = w.network_id and f.fixed_port_id = p.id
               and f.fixed_ip_address = a.ip_address and f.id <> w.floatingip_id))
           order by a.position, a.subnet_id)
         from ip_allocations a where a.port_id = p.id), '[]') as addresses
       from ${WISHES} ${THEIR_PORT} where ${scope}`,
      parameters.values,
    ),
  ]);
  const kept = new Set(locked.map(({ id }) => id));
  const all = found.flatMap(({ addresses }) => addresses.flatMap(({ router_id }) => router_id ?? []));
  // An interface has come between the statements: its router is kept in the next round.
  return all.every((router) => kept.has(router)) ? found : await targets(tx, context, wishes, mode);
}

/** New floating IPs, and their ports, whose status says nothing. */
export async function insertFloatingIps(
  tx: Transaction,
  columns: Readonly<Record<string, string>>,
  floatingips: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const names = Object.keys(columns).join(', ');
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  await rows(
    tx,
    `with r as (select * from json_to_recordset($1::json) as r (${typed.join(', ')})),
       p as (update ports t set status = 'N/A' from r where t.id = r.floating_port_id)
     insert into floatingips (${names}) select ${names} from r`,
    [floatingips],
  );
}

/** A floating IP that has been taken off its port. */
export interface Released {
  readonly id: string;
  readonly project_id: string;
  readonly router_id: string | null;
}

/** Takes all floating IPs off the port, which is locked. */
export function releaseFrom(tx: Transaction, port_id: string): Promise<Released[]> {
  return rows<Released>(
    tx,
    `update floatingips f set fixed_port_id = null, fixed_ip_address = null, router_id = null,
       last_known_router_id = o.router_id, revision_number = f.revision_number + 1, updated_at = now()
     from (select id, router_id from floatingips where fixed_port_id = $1::uuid order by id for no key update) o
     where f.id = o.id returning f.id, f.project_id, o.router_id`,
    [port_id],
  );
}

/** Addresses of the port that floating IPs lead to. */
export async function addressesWithFloatingIps(tx: Transaction, port_id: string): Promise<readonly string[]> {
  const found = await rows<{ address: string }>(
    tx,
    'select host(fixed_ip_address) as address from floatingips where fixed_port_id = $1::uuid',
    [port_id],
  );
  return found.map(({ address }) => address);
}

/**
 * Deletes those of a network's floating IPs that lead nowhere, with their ports; how many of which project. The network is
 * locked. Floating IPs come first, as for who deletes one.
 */
export async function deleteIdle(
  tx: Transaction,
  network_id: string,
): Promise<readonly { readonly project_id: string; readonly count: number }[]> {
  return await rows<{ project_id: string; count: number }>(
    tx,
    `with f as (
       select id, project_id, floating_port_id from floatingips
       where floating_network_id = $1::uuid and fixed_port_id is null and router_id is null order by id for update),
     p as (delete from ports where id in (select floating_port_id from f))
     select project_id, count(*)::int as count from f group by project_id order by project_id`,
    [network_id],
  );
}
