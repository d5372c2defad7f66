/** SQL of routers beside their reading. Statements that need no answer of each other are sent at once. */
import { Parameters } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { networkVisible, seesAll } from '../reading.ts';

/** Columns of a router's row that this plugin writes. */
export const ROUTER_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  name: 'text',
  description: 'text',
  status: 'text',
  admin_state_up: 'boolean',
  enable_snat: 'boolean',
  routes: 'json',
  revision_number: 'integer',
} as const;

export const GATEWAY = 'network:router_gateway';
export const INTERFACE = 'network:router_interface';
/** The ports by which the agents of a highly available router hear of each other. */
export const HA_PORT = 'network:router_ha_interface';
const REPLICATED = 'network:ha_router_replicated_interface';
const DISTRIBUTED = 'network:router_interface_distributed';
/** Ports by which a router is on a network of a project's. */
export const INTERFACE_OWNERS: readonly string[] = [INTERFACE, REPLICATED, DISTRIBUTED];

/** Which of them the interfaces of a router are. */
export const interfaceOwner = ({ distributed, ha }: Resource): string =>
  distributed === true ? DISTRIBUTED : ha === true ? REPLICATED : INTERFACE;

const rows = <Row>(db: Queryable, text: string, values: readonly unknown[]): Promise<Row[]> =>
  // A promise of its own: a bare query is sent only when somebody waits for it.
  db.unsafe(text, values as never[], { prepare: true }).then((found) => found as unknown as Row[]);

/** Keeps the routers as they are, in order: `share` lets others rely on them, too. */
export async function lockRouters(
  tx: Transaction,
  ids: readonly string[],
  mode: 'no key update' | 'update' | 'share',
): Promise<void> {
  await rows(tx, `select 1 from routers where id = any($1::uuid[]) order by id for ${mode}`, [ids]);
}

export interface PortAddress {
  readonly subnet_id: string;
  readonly ip_address: string;
  /** Of the subnet. */
  readonly cidr: string;
}

/** A port of a router. */
export interface RouterPort {
  readonly id: string;
  readonly network_id: string;
  readonly project_id: string;
  readonly port_type: string;
  readonly fixed_ips: readonly PortAddress[];
  /** All subnets of a gateway's network: what is outside. */
  readonly outside: readonly { readonly id: string; readonly cidr: string }[];
}

const ADDRESSES = `coalesce((select json_agg(json_build_object('subnet_id', a.subnet_id, 'ip_address', host(a.ip_address),
  'cidr', s.cidr::text) order by a.position, a.subnet_id)
  from ip_allocations a cross join lateral (select t.cidr from subnets t where t.id = a.subnet_id limit 1) s
  where a.port_id = p.id), '[]')`;

/** The ports of a router, in the order of their ids; true as long as the router is locked. */
export function portsOf(tx: Transaction, router_id: string): Promise<readonly RouterPort[]> {
  return rows<RouterPort>(
    tx,
    `select p.id, p.network_id, p.project_id, o.port_type, ${ADDRESSES} as fixed_ips,
       case when o.port_type = '${GATEWAY}' then coalesce((
         select json_agg(json_build_object('id', s.id, 'cidr', s.cidr::text)) from subnets s
         where s.network_id = p.network_id), '[]') else '[]' end as outside
     from router_ports o cross join lateral (select * from ports t where t.id = o.port_id limit 1) p
     where o.router_id = $1::uuid order by p.id`,
    [router_id],
  );
}

/** A network that gateways and floating IPs are asked for on. */
export interface OutsideNetwork {
  readonly id: string;
  readonly external: boolean;
  readonly subnets: readonly {
    readonly id: string;
    readonly cidr: string;
    readonly ip_version: number;
    readonly gateway_ip: string | null;
  }[];
}

/** The networks that the caller sees, kept from becoming others than they are; without those that there are not. */
export async function outsideNetworks(
  tx: Transaction,
  context: Context,
  named: readonly string[],
): Promise<ReadonlyMap<string, OutsideNetwork>> {
  const ids = [...new Set(named)].filter(isUuid);
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const among = `n.id = any(${parameters.add(ids, 'uuid[]')})`;
  const visible = networkVisible(context, parameters);
  // Two statements: the second sees what the lock has waited for.
  const [, found] = await Promise.all([
    rows(tx, 'select 1 from networks where id = any($1::uuid[]) order by id for key share', [ids]),
    rows<OutsideNetwork>(
      tx,
      `select n.id, exists (select 1 from external_networks x where x.network_id = n.id) as external, coalesce((
         select json_agg(json_build_object('id', s.id, 'cidr', s.cidr::text, 'ip_version', s.ip_version,
           'gateway_ip', host(s.gateway_ip)) order by s.created_at, s.id)
         from subnets s where s.network_id = n.id), '[]') as subnets
       from networks n where ${among} and ${visible}`,
      parameters.values,
    ),
  ]);
  return new Map(found.map((network) => [network.id, network]));
}

/** A subnet that a router is to be put on. */
export interface InsideSubnet {
  readonly id: string;
  readonly network_id: string;
  readonly project_id: string;
  readonly cidr: string;
  readonly ip_version: number;
  readonly gateway_ip: string | null;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
  readonly prefix_delegated: boolean;
  readonly allocation_pools: readonly { readonly start: string; readonly end: string }[];
  /** Whether the network is shared with the caller's project by name. */
  readonly shared_by_name: boolean;
}

/** Subnets by id, where the caller sees them: its own, and those of networks that are shared with it. */
export function subnetsById(
  tx: Transaction,
  context: Context,
  ids: readonly string[],
  visible: 'to the caller' | 'all' = 'to the caller',
): Promise<readonly InsideSubnet[]> {
  const parameters = new Parameters();
  const among = `s.id = any(${parameters.add(ids.filter(isUuid), 'uuid[]')})`;
  const project = parameters.add(context.project_id, 'text');
  const scope =
    visible === 'all' || seesAll(context)
      ? 'true'
      : `(s.project_id = ${project} or exists (
          select 1 from network_rbacs v where v.network_id = s.network_id and v.action = 'access_as_shared'
            and v.target_project in (${project}, '*')))`;
  return rows<InsideSubnet>(
    tx,
    `select s.id, s.network_id, s.project_id, s.cidr::text as cidr, s.ip_version, host(s.gateway_ip) as gateway_ip,
       s.ipv6_ra_mode, s.ipv6_address_mode, s.prefix_delegated, s.allocation_pools, exists (
         select 1 from network_rbacs b where b.network_id = s.network_id and b.action = 'access_as_shared'
           and b.target_project = ${project}) as shared_by_name
     from subnets s where ${among} and ${scope} order by s.id`,
    parameters.values,
  );
}

/** A port that is to become a router's. */
export interface FreePort {
  readonly id: string;
  readonly network_id: string;
  readonly project_id: string;
  readonly device_id: string;
  readonly device_owner: string;
  readonly fixed_ips: readonly PortAddress[];
}

/** Of ports that go by `p`. */
export const ownOrOnOwnNetwork = (project: string): string =>
  `(p.project_id = ${project} or exists (select 1 from networks n where n.id = p.network_id and n.project_id = ${project}))`;

/** The port, locked, where the caller sees it: its own, or on its own network. */
export async function lockPort(tx: Transaction, context: Context, id: string): Promise<FreePort | undefined> {
  if (!isUuid(id)) return undefined;
  const parameters = new Parameters();
  const named = `p.id = ${parameters.add(id, 'uuid')}`;
  const scope = seesAll(context) ? 'true' : ownOrOnOwnNetwork(parameters.add(context.project_id, 'text'));
  const [, [port]] = await Promise.all([
    rows(tx, 'select 1 from ports where id = $1::uuid for no key update', [id]),
    rows<FreePort>(
      tx,
      `select p.id, p.network_id, p.project_id, p.device_id, p.device_owner, ${ADDRESSES} as fixed_ips
       from ports p where ${named} and ${scope}`,
      parameters.values,
    ),
  ]);
  return port;
}

/** Gives ports to routers, which have another revision then; a gateway becomes the one that they show. */
export async function attachPorts(
  tx: Transaction,
  ports: readonly {
    readonly router_id: string;
    readonly port_id: string;
    readonly port_type: string;
    /** Of a gateway: false where the router shows another. */
    readonly shown?: boolean;
  }[],
): Promise<void> {
  if (ports.length === 0) return;
  await rows(
    tx,
    `with r as materialized (
       select router_id, port_id, port_type, coalesce(shown, true) as shown
       from json_to_recordset($1::json) as r (router_id uuid, port_id uuid, port_type text, shown boolean)),
     attached as (
       insert into router_ports (router_id, port_id, port_type) select router_id, port_id, port_type from r)
     update routers t set gw_port_id = r.port_id from r
     where t.id = r.router_id and r.port_type = '${GATEWAY}' and r.shown`,
    [ports],
  );
}

/** Whether a floating IP of the router leads to an address in one of the subnets. */
export async function floatingIpNeeds(
  tx: Transaction,
  router_id: string,
  subnet_ids: readonly string[],
): Promise<string | undefined> {
  const [found] = await rows<{ subnet_id: string }>(
    tx,
    `select a.subnet_id from floatingips f
     cross join lateral (
       select t.subnet_id from ip_allocations t
       where t.port_id = f.fixed_port_id and t.ip_address = f.fixed_ip_address limit 1) a
     where f.router_id = $1::uuid and a.subnet_id = any($2::uuid[]) limit 1`,
    [router_id, subnet_ids],
  );
  return found?.subnet_id;
}

/** Whether floating IPs go by the router. */
export async function hasFloatingIps(tx: Transaction, router_id: string): Promise<boolean> {
  const found = await rows(tx, 'select 1 from floatingips where router_id = $1::uuid limit 1', [router_id]);
  return found.length > 0;
}

/** The row is gone when the transaction is; its ports are gone before. */
export async function deleteRouter(tx: Transaction, id: string): Promise<void> {
  await rows(tx, 'delete from routers where id = $1::uuid', [id]);
}
