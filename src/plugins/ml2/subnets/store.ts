/** SQL of subnets beside their reading. */
import { anyOf, Parameters, type Scope } from '#src/db/mod.ts';
import { type AllocationPool, type FixedIp, ROUTER_OWNERS } from '#src/ipam/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { DhcpWords } from '../dhcp/scheduling.ts';
import type { Neighbour } from './affinity.ts';
import type { PortAddress } from './port_addresses.ts';

/** Columns of a subnet's row that the core writes. */
export const SUBNET_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  network_id: 'uuid',
  subnetpool_id: 'uuid',
  prefix_delegated: 'boolean',
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
  readonly service_types: readonly string[];
}

export interface ParentNetwork extends DhcpWords {
  readonly id: string;
  readonly mtu: number;
  /** The subnets that are there already. */
  readonly subnets: readonly Neighbour[];
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
  dhcpColumns: string,
): Promise<ReadonlyMap<string, ParentNetwork>> {
  // Callers may write a UUID in ways that PostgreSQL does not read; no network is called so.
  const ids = named.filter(isUuid);
  const parameters = new Parameters();
  const conditions = [anyOf('n.id', 'uuid', ids, parameters), scope(parameters)].filter(Boolean).join(' and ');
  const [, rows] = await Promise.all([
    tx.unsafe(
      `select n.id from networks n where ${conditions} order by n.id for ${mode}`,
      parameters.values as never[],
      {
        prepare: true,
      },
    ),
    tx.unsafe<ParentNetwork[]>(
      `select n.id, n.mtu, ${dhcpColumns}, coalesce((
         select json_agg(q) from (
           select s.cidr::text as cidr, s.ip_version, s.subnetpool_id, s.prefix_delegated
           from subnets s where s.network_id = n.id) q), '[]') as subnets
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

/** A port that may form an address of its own in a new subnet of its network. */
export interface NetworkPort {
  readonly id: string;
  readonly network_id: string;
  readonly mac_address: string;
  readonly device_owner: string;
}

/** The ports of the networks, locked. */
export async function portsOfNetworks(tx: Transaction, ids: readonly string[]): Promise<readonly NetworkPort[]> {
  return await tx.unsafe<(NetworkPort & Record<string, unknown>)[]>(
    `select id, network_id, mac_address, device_owner from ports
     where network_id = any($1::uuid[]) order by id for no key update`,
    [ids as never],
    { prepare: true },
  );
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

/** Ports that go with a subnet, because the server made them for it. */
const AUTOMATIC_OWNERS: readonly string[] = ['network:dhcp', 'network:distributed'];

/**
 * Whether a port's address keeps the subnet from being deleted. Addresses that ports have formed themselves go with it; a
 * router's never does.
 */
export async function isInUse(tx: Transaction, subnet_id: string, automatic: boolean): Promise<boolean> {
  const [condition, owners] = automatic ? ['= any', ROUTER_OWNERS] : ['<> all', AUTOMATIC_OWNERS];
  const found = await tx.unsafe(
    `select 1 from ip_allocations a join ports p on p.id = a.port_id
     where a.subnet_id = $1::uuid and p.device_owner ${condition}($2::text[]) limit 1`,
    [subnet_id, owners as never],
    { prepare: true },
  );
  return found.length > 0;
}

/** Deletes the subnet with the addresses that ports have in it; the addresses. */
export async function deleteSubnet(tx: Transaction, subnet_id: string): Promise<readonly PortAddress[]> {
  const [released] = await Promise.all([
    tx<PortAddress[]>`
      delete from ip_allocations where subnet_id = ${subnet_id}
      returning port_id, subnet_id, host(ip_address) as ip_address`,
    tx`delete from subnets where id = ${subnet_id}`,
  ]);
  return released;
}
