/** SQL of subnets beside their reading. */
import { Parameters, type Scope } from '#src/db/mod.ts';
import type { AllocationPool, FixedIp } from '#src/ipam/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';

/** Columns of a subnet's row that the core writes. */
export const SUBNET_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  network_id: 'uuid',
  name: 'text',
  description: 'text',
  ip_version: 'smallint',
  cidr: 'cidr',
  gateway_ip: 'inet',
  enable_dhcp: 'boolean',
  ipv6_ra_mode: 'text',
  ipv6_address_mode: 'text',
  allocation_pools: 'json',
  dns_nameservers: 'text[]',
  host_routes: 'json',
  service_types: 'text[]',
} as const;

export interface SubnetRow {
  readonly id: string;
  readonly network_id: string;
  readonly cidr: string;
  readonly ip_version: number;
  readonly gateway_ip: string | null;
  readonly enable_dhcp: boolean;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
  readonly allocation_pools: readonly AllocationPool[];
}

export interface ParentNetwork {
  readonly id: string;
  readonly mtu: number;
  /** The networks of the subnets that are there already. */
  readonly cidrs: readonly string[];
}

/**
 * Locks the networks that subnets are made on, in order, and reads what they have; those that the caller does not see are
 * missing. Two statements: the second sees what others committed while the first waited. `update` also waits for
 * port creations under way, so that no port misses its automatic address.
 */
export async function lockParents(
  tx: Transaction,
  named: readonly string[],
  scope: Scope,
  mode: 'no key update' | 'update',
): Promise<ReadonlyMap<string, ParentNetwork>> {
  // Callers may write a UUID in ways that PostgreSQL does not read; no network is called so.
  const ids = named.filter(isUuid);
  const parameters = new Parameters();
  const conditions = [`n.id = any(${parameters.add(ids, 'uuid[]')})`, scope(parameters)].filter(Boolean).join(' and ');
  const [, rows] = await Promise.all([
    tx.unsafe(
      `select n.id from networks n where ${conditions} order by n.id for ${mode}`,
      parameters.values as never[],
      {
        prepare: true,
      },
    ),
    tx.unsafe<ParentNetwork[]>(
      `select n.id, n.mtu, array_to_json(array(select s.cidr::text from subnets s where s.network_id = n.id)) as cidrs
       from networks n where ${conditions}`,
      parameters.values as never[],
      { prepare: true },
    ),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks the network of a subnet: networks are locked before their subnets, by everybody. */
export async function lockNetworkOf(tx: Transaction, subnet_id: string): Promise<void> {
  await tx`
    select 1 from networks where id = (select network_id from subnets where id = ${subnet_id}) for no key update`;
}

/** Ports that form their own address in a new subnet of the network. */
export async function portsOfNetwork(
  tx: Transaction,
  network_id: string,
): Promise<readonly { readonly id: string; readonly mac_address: string; readonly device_owner: string }[]> {
  return await tx<{ id: string; mac_address: string; device_owner: string }[]>`
    select id, mac_address, device_owner from ports where network_id = ${network_id} order by id for no key update`;
}

/** A router's port that has the address, if one has. */
export async function routerPortAt(tx: Transaction, { subnet_id, ip_address }: FixedIp): Promise<string | undefined> {
  const [found] = await tx<{ id: string }[]>`
    select p.id from ip_allocations a join ports p on p.id = a.port_id
    where a.subnet_id = ${subnet_id} and a.ip_address = ${ip_address}::inet
      and p.device_owner in ('network:router_interface', 'network:ha_router_replicated_interface',
        'network:router_interface_distributed') limit 1`;
  return found?.id;
}

/** Ports with addresses in the subnet, and who they were made for. */
export async function portsInSubnet(
  tx: Transaction,
  subnet_id: string,
): Promise<readonly { readonly id: string; readonly project_id: string; readonly device_owner: string }[]> {
  return await tx<{ id: string; project_id: string; device_owner: string }[]>`
    select distinct p.id, p.project_id, p.device_owner
    from ip_allocations a join ports p on p.id = a.port_id where a.subnet_id = ${subnet_id} order by p.id`;
}

export async function deleteSubnet(tx: Transaction, subnet_id: string): Promise<void> {
  await Promise.all([
    tx`delete from ip_allocations where subnet_id = ${subnet_id}`,
    tx`delete from subnets where id = ${subnet_id}`,
  ]);
}
