/** SQL of NDP proxies beside their reading. */
import type { Config } from '#src/lib/config.ts';
import type { Transaction } from '#src/lib/database.ts';
import { enabledSql, scopeOf } from './attributes.ts';

/** The constraint that two of a router for one address meet. */
export const ADDRESS_ONCE = 'ndp_proxies_address_once';

/** Columns of a proxy's row. */
export const COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  name: 'text',
  description: 'text',
  router_id: 'uuid',
  port_id: 'uuid',
  ip_address: 'inet',
} as const;

const rows = <Row>(tx: Transaction, text: string, values: readonly unknown[]): Promise<Row[]> =>
  // A promise of its own: a bare query is sent only when somebody waits for it.
  tx.unsafe(text, values as never[], { prepare: true }).then((found) => found as unknown as Row[]);

export interface Wish {
  readonly router_id: string;
  readonly port_id: string;
}

/** A router and a port inside, as a proxy between them sees them. */
export interface Scene extends Wish {
  readonly enabled: boolean;
  /** The IPv6 address scopes of the networks outside and inside. */
  readonly outside: string | null;
  readonly inside: string | null;
  /** Whether the router has a port on the port's network. */
  readonly connected: boolean;
  /** The port's IPv6 addresses, and whether the router is on their subnets. */
  readonly addresses: readonly { readonly ip_address: string; readonly reached: boolean }[];
}

const onRouter = (condition: string): string => `exists (
  select 1 from router_ports o join ports q on q.id = o.port_id
  join ip_allocations i on i.port_id = q.id where o.router_id = r.id and ${condition})`;

/** Keeps the routers, then the ports, as they are, and reads them; without those that are gone. */
export async function keepScenes(tx: Transaction, config: Config, wishes: readonly Wish[]): Promise<readonly Scene[]> {
  const [, , scenes] = await Promise.all([
    rows(tx, 'select 1 from routers where id = any($1::uuid[]) order by id for share', [
      wishes.map(({ router_id }) => router_id),
    ]),
    rows(tx, 'select 1 from ports where id = any($1::uuid[]) order by id for share', [
      wishes.map(({ port_id }) => port_id),
    ]),
    rows<Scene>(
      tx,
      `select r.id as router_id, p.id as port_id, ${enabledSql(config)} as enabled,
         (select ${scopeOf('y.network_id')} from ports y where y.id = r.gw_port_id) as outside,
         ${scopeOf('p.network_id')} as inside, ${onRouter('q.network_id = p.network_id')} as connected,
         coalesce((
           select json_agg(json_build_object('ip_address', host(a.ip_address),
             'reached', ${onRouter('i.subnet_id = a.subnet_id')}) order by a.position, a.subnet_id)
           from ip_allocations a where a.port_id = p.id and family(a.ip_address) = 6), '[]') as addresses
       from json_to_recordset($1::json) as w (router_id uuid, port_id uuid)
       join routers r on r.id = w.router_id join ports p on p.id = w.port_id`,
      [wishes],
    ),
  ]);
  return scenes;
}

/** A proxy that is gone. */
export interface Gone {
  readonly id: string;
  readonly router_id: string;
}

export async function deleteProxy(tx: Transaction, id: string): Promise<void> {
  await rows(tx, 'delete from ndp_proxies where id = $1::uuid', [id]);
}

/** Deletes the proxies for addresses of a port, which is locked, that are not among those that stay. */
export function deleteLost(tx: Transaction, port_id: string, staying: readonly string[]): Promise<readonly Gone[]> {
  return rows<Gone>(
    tx,
    `delete from ndp_proxies where port_id = $1::uuid and ip_address <> all($2::text[]::inet[]) returning id, router_id`,
    [port_id, staying],
  );
}

/** A subnet among these that the router has proxies for addresses of. */
export async function proxiedSubnet(
  tx: Transaction,
  router_id: string,
  subnet_ids: readonly string[],
): Promise<string | undefined> {
  const [found] = await rows<{ subnet_id: string }>(
    tx,
    `select a.subnet_id from ndp_proxies x join ip_allocations a on a.port_id = x.port_id and a.ip_address = x.ip_address
     where x.router_id = $1::uuid and a.subnet_id = any($2::uuid[]) limit 1`,
    [router_id, subnet_ids],
  );
  return found?.subnet_id;
}

/** Nothing is said any more of whether the router may have proxies. */
export async function forgetAsked(tx: Transaction, router_id: string): Promise<void> {
  await rows(tx, 'update routers set enable_ndp_proxy = null where id = $1::uuid', [router_id]);
}
