/** SQL of ports beside their reading. Texts are made once; statements that need no answer of each other are sent at once. */
import { anyOf, type ColumnTypes, Parameters, type Scope } from '#src/db/mod.ts';
import { type AllocationRow, type FixedIp, type IpamSubnet, insertFree, type Place } from '#src/ipam/mod.ts';
import type { Statement, Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { DhcpWords } from '../dhcp/scheduling.ts';
import type { ResourceExtensions } from '../managers/extension.ts';

/** Columns of a port's row that the core writes. */
export const PORT_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  network_id: 'uuid',
  name: 'text',
  description: 'text',
  mac_address: 'macaddr',
  admin_state_up: 'boolean',
  status: 'text',
  device_id: 'text',
  device_owner: 'text',
  revision_number: 'integer',
} as const;

/** The constraint that two ports of a network with one MAC address meet. */
export const MAC_ONCE = 'ports_mac_once';

const BINDING_COLUMNS = { host: 'text', vnic_type: 'text', profile: 'jsonb', vif_type: 'text' } as const;
/** Beside columns: whether the port waits for DHCP. */
const WAITS = { waits_for_dhcp: 'boolean' } as const;

/** Rows of ports, of their bindings, of their addresses and of what they wait for, in one statement: answers which addresses were to be had. */
export function portInserter(columns: ColumnTypes) {
  const names = Object.keys(columns).join(', ');
  const types = Object.entries({ ...columns, ...BINDING_COLUMNS, ...WAITS }).map(([name, type]) => `${name} ${type}`);
  const text = `
    with r as (select * from json_to_recordset($1::json) as r (${types.join(', ')})),
      p as (insert into ports (${names}) select ${names} from r),
      b as (insert into port_bindings (port_id, host, vnic_type, profile, vif_type)
        select id, host, vnic_type, profile, vif_type from r),
      w as (insert into port_provisioning_blocks (port_id, entity) select id, 'DHCP' from r where waits_for_dhcp)
    ${insertFree('$2')}`;
  return async (
    tx: Transaction,
    rows: readonly Readonly<Record<string, unknown>>[],
    addresses: readonly AllocationRow[],
  ): Promise<readonly Place[]> =>
    await tx.unsafe<(Place & Record<string, unknown>)[]>(text, [rows as never, addresses as never], { prepare: true });
}

/** A network as ports need it: what extensions read of it, its subnets, and whether it has DHCP agents. */
export type PortNetwork = Resource &
  DhcpWords & {
    readonly id: string;
    readonly subnets: readonly (IpamSubnet & { readonly enable_dhcp: boolean })[];
  };

/**
 * Networks with their subnets, both kept from being deleted until the transaction ends. Networks that the scope does not
 * show are missing.
 */
export function networkReader(extensions: ResourceExtensions, dhcpColumns: string) {
  const added = Object.entries(extensions.attributes).map(([name, { select }]) => `, ${select} as "${name}"`);
  const read = `
    select n.id, n.project_id${added.join('')}, ${dhcpColumns}, (
      select coalesce(json_agg(q), '[]') from (
        select s.id, s.ip_version, s.cidr, s.ipv6_ra_mode, s.ipv6_address_mode, s.allocation_pools, s.service_types,
          s.enable_dhcp
        from subnets s where s.network_id = n.id order by s.created_at, s.id for key share) q) as subnets
    from networks n${extensions.joins} where`;
  return async (
    tx: Transaction,
    named: readonly string[],
    scope: Scope = () => undefined,
  ): Promise<ReadonlyMap<string, PortNetwork>> => {
    // Callers may write a UUID in ways that PostgreSQL does not read; no network is called so.
    const ids = named.filter(isUuid);
    const [locked, parameters] = [new Parameters(), new Parameters()];
    const lock = `select 1 from networks where ${anyOf('id', 'uuid', ids, locked)} order by id for key share`;
    const conditions = [anyOf('n.id', 'uuid', ids, parameters), scope(parameters)].filter(Boolean).join(' and ');
    // The lock is a statement of its own, so that the reading sees what it waited for.
    const [, rows] = await Promise.all([
      tx.unsafe(lock, locked.values as never[], { prepare: true }),
      tx.unsafe<PortNetwork[]>(`${read} ${conditions}`, parameters.values as never[], { prepare: true }),
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  };
}

/** Keeps the network of a port from being deleted until the transaction ends. */
export async function keepNetworkOf(tx: Transaction, port_id: string): Promise<void> {
  await tx`
    select 1 from networks where id = (select network_id from ports where id = ${port_id}) for key share`;
}

/** Those of the subnets that exist, as far as the scope shows. */
export async function existingSubnets(
  tx: Transaction,
  ids: readonly string[],
  scope: Scope,
): Promise<readonly string[]> {
  const parameters = new Parameters();
  const conditions = [`s.id = any(${parameters.add(ids.filter(isUuid), 'uuid[]')})`, scope(parameters)];
  const rows = await tx.unsafe<{ id: string }[]>(
    `select s.id from subnets s where ${conditions.filter(Boolean).join(' and ')}`,
    parameters.values as never[],
    { prepare: true },
  );
  return rows.map(({ id }) => id);
}

/** The first of these MAC addresses that a port of its network has. */
export async function takenMac(
  tx: { readonly unsafe: Transaction['unsafe'] },
  macs: readonly { readonly network_id: string; readonly mac_address: string }[],
): Promise<{ readonly network_id: string; readonly mac_address: string } | undefined> {
  const rows = await tx.unsafe<{ network_id: string; mac_address: string }[]>(
    `select p.network_id, p.mac_address from ports p
     join json_to_recordset($1::json) as r (network_id uuid, mac_address macaddr)
       on r.network_id = p.network_id and r.mac_address = p.mac_address limit 1`,
    [macs as never],
    { prepare: true },
  );
  return rows[0];
}

/** Puts the addresses that a port keeps in order; those that come are placed behind them. */
export async function orderFixedIps(tx: Transaction, port_id: string, kept: readonly FixedIp[]): Promise<void> {
  if (kept.length === 0) return;
  const places = kept.map((fixed, position) => ({ ...fixed, position }));
  await tx`
    update ip_allocations a set position = r.position
    from jsonb_to_recordset(${tx.json(places as never)}) as r (subnet_id uuid, ip_address inet, position smallint)
    where a.port_id = ${port_id} and a.subnet_id = r.subnet_id and a.ip_address = r.ip_address and a.position <> r.position`;
}

/** Deletes a port; its addresses and bindings go with it. */
export function deletePort(tx: Transaction, id: string): Statement {
  return tx`delete from ports where id = ${id}`;
}
