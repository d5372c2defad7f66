/**
 * How subnets are made. The networks they are on are locked first, then the subnet pools they come from, each in order: what is
 * free and what stands beside them cannot change until the commit. However many are made, each table is written once.
 */
import { bumpRevisions, insertRows, showRows } from '#src/db/mod.ts';
import {
  allocate,
  automaticAddress,
  type DrawablePool,
  defaultPool,
  drawPrefix,
  hasAutomaticAddresses,
  isRouterPort,
  lockPools,
  SubnetPoolNotFound,
} from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest, NetworkNotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { type Cidr, formatCidr, type IpVersion } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { NetworkMTUSubnetConflict } from '../errors.ts';
import type { CreateWork, Lifecycle } from '../lifecycle.ts';
import { MINIMUM_MTU } from '../networks/mtu.ts';
import { networkScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { checkAffinity, checkOverlap, type Neighbour } from './affinity.ts';
import { type PortAddress, type PortChange, portAddresses } from './port_addresses.ts';
import type { subnetReading } from './reading.ts';
import { drawnCidr, type Source, sourceOf } from './request.ts';
import {
  type Addressing,
  checkAutomaticAddresses,
  checkDhcp,
  checkIpv6Modes,
  checkLists,
  newAddressing,
  type SubnetLimits,
} from './rules.ts';
import { lockParents, type ParentNetwork, portsOfNetworks, SUBNET_COLUMNS, type SubnetRow } from './store.ts';

/** Behind all others in `fixed_ips`. */
const LAST = 2 ** 15 - 1;

export interface SubnetCreation {
  readonly ml2: Ml2;
  readonly lifecycle: Lifecycle;
  readonly limits: SubnetLimits;
  readonly reading: ReturnType<typeof subnetReading>;
  /** Deletes a subnet that must not stay. */
  readonly undo: CreateWork['undo'];
}

/** Makes the subnets of a request. */
export type SubnetCreator = (context: Context, bodies: readonly Resource[]) => Promise<readonly Resource[]>;

export function subnetCreator({ ml2, lifecycle, limits, reading, undo }: SubnetCreation): SubnetCreator {
  const extensions = ml2.extensions.subnets;
  const columns = { ...SUBNET_COLUMNS, ...extensions.columns };
  const addresses = portAddresses(ml2);
  const delegateByDefault = ml2.config.boolean('DEFAULT', 'ipv6_pd_enabled');

  /** What can be said and checked of a subnet before the database is asked. */
  const draftOf = (context: Context, body: Resource) => {
    const source = sourceOf(body, delegateByDefault);
    const modes = {
      ip_version: body['ip_version'] as IpVersion,
      enable_dhcp: body['enable_dhcp'] !== false,
      ipv6_ra_mode: (body['ipv6_ra_mode'] ?? null) as string | null,
      ipv6_address_mode: (body['ipv6_address_mode'] ?? null) as string | null,
    };
    if (source.cidr !== undefined) {
      checkDhcp(source.cidr, modes.enable_dhcp);
      checkAutomaticAddresses(source.cidr, modes);
    }
    checkLists(body, limits);
    checkIpv6Modes(modes);
    const row = {
      id: newId<'subnet'>() as string,
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      network_id: String(body['network_id']),
      name: body['name'] ?? '',
      description: body['description'] ?? '',
      ...modes,
      dns_nameservers: body['dns_nameservers'] ?? [],
      host_routes: body['host_routes'] ?? [],
      service_types: (body['service_types'] ?? []) as readonly string[],
      ...extensions.create({ context, body }),
    };
    const addressing = source.cidr === undefined ? undefined : newAddressing(source.cidr, body, false);
    return { id: row.id, body, source, addressing, row };
  };

  return async (context, bodies) => {
    const drafts = bodies.map((body) => draftOf(context, body));
    const networkIds = [...new Set(drafts.map(({ row }) => row.network_id))];
    let changes: readonly PortChange[] = [];
    const write: CreateWork['write'] = async (tx, notify) => {
      const automatic = drafts.some(({ row }) => hasAutomaticAddresses(row));
      const mode = automatic ? 'update' : 'no key update';
      const parents = await lockParents(tx, networkIds, networkScope(context), mode, ml2.dhcp.columns);
      for (const { row } of drafts) {
        const parent = parents.get(row.network_id);
        if (parent === undefined) throw new NetworkNotFound(row.network_id);
        if (parent.mtu < MINIMUM_MTU[row.ip_version]) throw new NetworkMTUSubnetConflict(parent.id, parent.mtu);
      }
      const defaults = await defaultPools(
        tx,
        context,
        drafts.map(({ source }) => source),
      );
      const pools = await lockPools(tx, context, poolIds(drafts, defaults, parents));
      const rows = placeAll(drafts, defaults, pools, parents);
      const written = drafts.map(({ id, body }, at) => ({ id, body, row: rows[at]! }));
      const readBack = () =>
        showRows(
          tx,
          reading(context),
          drafts.map(({ id }) => id),
        );
      // Sent at once; the reading is true if nothing had to be written after it.
      const [, , added, stored, read, served] = await Promise.all([
        insertRows(tx, 'subnets', columns, rows),
        bumpRevisions(tx, 'networks', networkIds),
        addAutomaticAddresses(tx, rows),
        extensions.store(tx, context, written),
        readBack(),
        ml2.dhcp.serve(tx, parents.values(), notify),
      ]);
      const created = stored ? read : await readBack();
      ml2.dhcp.tellSubnets(served, created, notify);
      changes = await addresses.added(tx, context, added, notify);
      return created;
    };
    const created = await lifecycle.create(context, { requests: drafts, write, undo });
    await addresses.published(context, changes);
    return created;
  };
}

interface Draft<Row = Omit<NewRow, keyof Placement>> {
  readonly body: Resource;
  readonly source: Source;
  /** Known where the network is. */
  readonly addressing: Addressing | undefined;
  readonly row: Row;
}

/** Where the network of a subnet is, in the end. */
type Placement = Addressing & {
  readonly cidr: string;
  readonly subnetpool_id: string | null;
  readonly prefix_delegated: boolean;
};

type NewRow = SubnetRow & Placement & { readonly project_id: string; readonly ip_version: IpVersion };

/** The default pools that are asked for, by IP version. */
async function defaultPools(
  tx: Transaction,
  context: Context,
  sources: readonly Source[],
): Promise<ReadonlyMap<IpVersion, string>> {
  const versions = new Set(sources.flatMap((source) => (source.kind === 'default pool' ? [source.ip_version] : [])));
  const found = new Map<IpVersion, string>();
  for (const version of versions) {
    const id = await defaultPool(tx, context, version);
    if (id === undefined) throw new BadRequest('subnets', `No default subnetpool found for IPv${version}`);
    found.set(version, id);
  }
  return found;
}

function poolOf(source: Source, defaults: ReadonlyMap<IpVersion, string>): string | undefined {
  if (source.kind === 'pool') return source.subnetpool_id;
  return source.kind === 'default pool' ? defaults.get(source.ip_version) : undefined;
}

/** The pools that are drawn from, and those of the subnets beside: their address scopes must not change meanwhile. */
function poolIds(
  drafts: readonly Draft<unknown>[],
  defaults: ReadonlyMap<IpVersion, string>,
  parents: ReadonlyMap<string, ParentNetwork>,
): readonly string[] {
  const drawn = drafts.flatMap(({ source }) => poolOf(source, defaults) ?? []);
  const beside = [...parents.values()].flatMap(({ subnets }) =>
    subnets.flatMap((subnet) => subnet.subnetpool_id ?? []),
  );
  return [...new Set([...drawn, ...beside])];
}

/** Gives each subnet its network, in the order of the request: those before are beside those after. */
function placeAll<Row extends Omit<NewRow, keyof Placement>>(
  drafts: readonly Draft<Row>[],
  defaults: ReadonlyMap<IpVersion, string>,
  pools: ReadonlyMap<string, DrawablePool>,
  parents: ReadonlyMap<string, ParentNetwork>,
): readonly (Row & Placement)[] {
  const beside = new Map([...parents].map(([id, { subnets }]) => [id, [...subnets]]));
  return drafts.map((draft) => {
    const { row, source, body } = draft;
    const pool = visiblePool(poolOf(source, defaults), pools);
    const cidr = networkOf(draft, pool);
    checkAutomaticAddresses(cidr, row);
    const subnet: Neighbour = {
      cidr: formatCidr(cidr),
      ip_version: row.ip_version,
      subnetpool_id: pool?.id ?? null,
      prefix_delegated: source.kind === 'delegated',
    };
    const neighbours = beside.get(row.network_id) ?? [];
    checkOverlap(cidr, neighbours, row.network_id);
    checkAffinity(subnet, neighbours, pools);
    neighbours.push(subnet);
    const addressing = draft.addressing ?? newAddressing(cidr, body, true);
    return { ...row, ...subnet, ip_version: row.ip_version, ...addressing };
  });
}

function visiblePool(id: string | undefined, pools: ReadonlyMap<string, DrawablePool>): DrawablePool | undefined {
  if (id === undefined) return undefined;
  const pool = pools.get(id);
  if (pool === undefined || !pool.visible) throw new SubnetPoolNotFound(id);
  return pool;
}

function networkOf({ source, body, row }: Draft, pool: DrawablePool | undefined): Cidr {
  if (pool === undefined || source.kind === 'named' || source.kind === 'delegated') {
    if (source.cidr === undefined) throw new TypeError('a subnet has neither a network nor a pool');
    return source.cidr;
  }
  if (pool.ip_version !== row.ip_version) {
    throw new BadRequest(
      'subnets',
      `Cannot allocate IPv${row.ip_version} subnet from IPv${pool.ip_version} subnet pool`,
    );
  }
  const cidr = drawnCidr(body, source, pool.default_prefixlen);
  const { prefixlen } = source;
  return drawPrefix(pool, {
    project_id: row.project_id,
    ...(cidr === undefined ? {} : { cidr }),
    ...(prefixlen === undefined ? {} : { prefixlen }),
  });
}

/** Existing ports form their addresses in the new subnets that have automatic ones, where those are for them: the addresses. */
async function addAutomaticAddresses(tx: Transaction, subnets: readonly SubnetRow[]): Promise<readonly PortAddress[]> {
  const automatic = subnets.filter(hasAutomaticAddresses);
  if (automatic.length === 0) return [];
  const ports = await portsOfNetworks(tx, [...new Set(automatic.map(({ network_id }) => network_id))]);
  const wants = automatic.flatMap((subnet) =>
    ports
      .filter(({ network_id, device_owner }) => {
        const served = subnet.service_types.length === 0 || subnet.service_types.includes(device_owner);
        return network_id === subnet.network_id && served && !isRouterPort(device_owner);
      })
      .map((port) => ({
        port_id: port.id,
        network_id: port.network_id,
        position: LAST,
        need: {
          kind: 'exact',
          subnet_id: subnet.id,
          ip_address: automaticAddress(subnet, port.mac_address),
        } as const,
      })),
  );
  await allocate(tx, wants);
  await bumpRevisions(tx, 'ports', [...new Set(wants.map(({ port_id }) => port_id))]);
  return wants.map(({ port_id, need: { subnet_id, ip_address } }) => ({ port_id, subnet_id, ip_address }));
}
