/** SQL of networks beside their reading: marks of sharing and of being external, and what stands in the way of changes. */
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { newId } from '#src/lib/ids.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** Columns of a network's row that the core writes. */
export const NETWORK_COLUMNS = {
  id: 'uuid',
  project_id: 'text',
  name: 'text',
  description: 'text',
  admin_state_up: 'boolean',
  status: 'text',
  mtu: 'integer',
  availability_zone_hints: 'text[]',
  revision_number: 'integer',
} as const;

/** Ports that are deleted with their network: they were made for it by the server. */
const AUTOMATIC_OWNERS = ['network:dhcp', 'network:distributed'];

/** The first of the zones that no agent for networks is in. */
export async function unknownZone(tx: Transaction, zones: readonly string[]): Promise<string | undefined> {
  if (zones.length === 0) return undefined;
  const [unknown] = await tx<{ zone: string }[]>`
    select zone from jsonb_array_elements_text(${tx.json(zones)}) as r (zone)
    where not exists (
      select 1 from agents a where a.agent_type = 'DHCP agent' and a.availability_zone = r.zone) limit 1`;
  return unknown?.zone;
}

/** Ids are shared with everybody (`*`) for one purpose; the owner of the rule is the network's. */
export async function openToAll(
  tx: Transaction,
  networks: readonly Resource[],
  action: 'access_as_shared' | 'access_as_external',
): Promise<number> {
  if (networks.length === 0) return 0;
  const rows = networks.map((network) => ({
    id: newId(),
    project_id: network['project_id'],
    network_id: network['id'],
  }));
  const inserted = await tx`
    insert into network_rbacs (id, project_id, network_id, action, target_project)
    select id, project_id, network_id, ${action}, '*'
    from jsonb_to_recordset(${tx.json(rows as never)}) as r (id uuid, project_id text, network_id uuid)
    on conflict do nothing`;
  return inserted.count;
}

/** Whether the network is shared with everybody. */
export async function isOpenToAll(tx: Transaction, network_id: string): Promise<boolean> {
  const found = await tx`
    select 1 from network_rbacs
    where network_id = ${network_id} and action = 'access_as_shared' and target_project = '*'`;
  return found.length > 0;
}

export async function closeToAll(tx: Transaction, network_id: string): Promise<void> {
  await tx`
    delete from network_rbacs
    where network_id = ${network_id} and action = 'access_as_shared' and target_project = '*'`;
}

/** Marks networks as external; those whose `is_default` is true as the default, too. */
export async function markExternal(tx: Transaction, networks: readonly Resource[]): Promise<void> {
  if (networks.length === 0) return;
  const rows = networks.map(({ id, is_default = false }) => ({ id, is_default }));
  await tx`
    insert into external_networks (network_id, is_default)
    select id, is_default from jsonb_to_recordset(${tx.json(rows as never)}) as r (id uuid, is_default boolean)
    on conflict (network_id) do nothing`;
}

export async function markDefault(tx: Transaction, network_id: string, is_default: boolean): Promise<void> {
  await tx`update external_networks set is_default = ${is_default} where network_id = ${network_id}`;
}

export async function defaultExternalNetwork(db: Queryable): Promise<string | undefined> {
  const [found] = await db<{ network_id: string }[]>`select network_id from external_networks where is_default`;
  return found?.network_id;
}

/** The network is external no more, to nobody. */
export async function unmarkExternal(tx: Transaction, network_id: string): Promise<void> {
  await Promise.all([
    tx`delete from external_networks where network_id = ${network_id}`,
    tx`delete from network_rbacs where network_id = ${network_id} and action = 'access_as_external'`,
  ]);
}

/** Whether policies make the network external to any project. */
export async function isExternalToAnybody(tx: Transaction, network_id: string): Promise<boolean> {
  const found = await tx`
    select 1 from network_rbacs where network_id = ${network_id} and action = 'access_as_external' limit 1`;
  return found.length > 0;
}

/** Whether the network is the one that routers are put on unless told. */
export async function isDefaultExternal(tx: Transaction, network_id: string): Promise<boolean> {
  const found = await tx`select 1 from external_networks where network_id = ${network_id} and is_default`;
  return found.length > 0;
}

/** Whether routers or floating IPs use the network as external. */
export async function hasGatewayPorts(tx: Transaction, network_id: string): Promise<boolean> {
  const found = await tx`
    select 1 from ports where network_id = ${network_id}
      and device_owner in ('network:router_gateway', 'network:floatingip') limit 1`;
  return found.length > 0;
}

/** Whether projects that could no longer see the network have ports or subnets on it. */
export async function hasForeignUsers(tx: Transaction, network_id: string, project_id: string): Promise<boolean> {
  const found = await tx`
    select 1 from (
      select project_id from ports where network_id = ${network_id} and device_owner not like 'network:%'
      union all select project_id from subnets where network_id = ${network_id}
    ) users
    where project_id not in ('', ${project_id}) and not exists (
      select 1 from network_rbacs r
      where r.network_id = ${network_id} and r.action = 'access_as_shared' and r.target_project = users.project_id)
    limit 1`;
  return found.length > 0;
}

/** The network's segments in order, without those that drivers made for a port. */
export async function segmentsOf(tx: Transaction, network_id: string): Promise<readonly Segment[]> {
  return await tx<Segment[]>`
    select id, network_type, physical_network, segmentation_id::float8 as segmentation_id
    from network_segments where network_id = ${network_id} and not is_dynamic order by segment_index`;
}

/** Whether a driver has plugged in a port of the network. */
export async function hasBoundPorts(tx: Transaction, network_id: string): Promise<boolean> {
  const found = await tx`
    select 1 from ports p join port_bindings b on b.port_id = p.id
    where p.network_id = ${network_id} and b.vif_type not in ('unbound', 'binding_failed') limit 1`;
  return found.length > 0;
}

/** Gives each network its own MTU. */
export async function setMtus(
  tx: Transaction,
  mtus: readonly { readonly id: string; readonly mtu: number }[],
): Promise<void> {
  if (mtus.length === 0) return;
  await tx`
    update networks n set mtu = r.mtu from jsonb_to_recordset(${tx.json(mtus as never)}) as r (id uuid, mtu int)
    where n.id = r.id`;
}

/** IP versions of the network's subnets. */
export async function subnetVersions(tx: Transaction, network_id: string): Promise<readonly (4 | 6)[]> {
  const rows = await tx<{ ip_version: 4 | 6 }[]>`
    select distinct ip_version from subnets where network_id = ${network_id}`;
  return rows.map(({ ip_version }) => ip_version);
}

/** Counts by project of what went with the network, for quotas. */
export interface Removed {
  readonly kind: 'port' | 'subnet';
  readonly project_id: string;
  readonly count: number;
}

/**
 * Deletes the network, which is locked, with its subnets and automatic ports; where there are other ports nothing but those, for a
 * transaction that is given up. All is sent at once.
 */
export async function deleteNetwork(
  tx: Transaction,
  network_id: string,
): Promise<{ readonly inTheWay: readonly string[]; readonly removed: readonly Removed[] }> {
  const empty = tx`not exists (select 1 from ports where network_id = ${network_id})`;
  // One statement each: a foreign key is checked at the end of the statement that deletes what it points to.
  const [kept, ports, subnets] = await Promise.all([
    tx<{ id: string }[]>`
      select id from ports where network_id = ${network_id} and device_owner <> all(${AUTOMATIC_OWNERS}) order by id`,
    tx<{ project_id: string }[]>`
      delete from ports where network_id = ${network_id} and device_owner = any(${AUTOMATIC_OWNERS}) returning project_id`,
    tx<{ project_id: string }[]>`
      delete from subnets where network_id = ${network_id} and ${empty} returning project_id`,
    tx`delete from networks where id = ${network_id} and ${empty}`,
  ]);
  const count = (kind: Removed['kind'], rows: readonly { readonly project_id: string }[]): Removed[] =>
    // In a fixed order: each locks a row of its project's quota.
    [...Map.groupBy(rows, (row) => row.project_id)]
      .map(([project_id, group]) => ({ kind, project_id, count: group.length }))
      .toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1));
  return {
    inTheWay: kept.map(({ id }) => id),
    removed: [...count('port', ports), ...count('subnet', subnets)],
  };
}
