/** The verbs of subnets. */
import { bumpRevisions, insertRows, listRows, reviseRow, showRow, showRows } from '#src/db/mod.ts';
import {
  type AllocationPool,
  allocate,
  automaticAddress,
  checkGateway,
  checkGatewayOutsidePools,
  checkPools,
  hasAutomaticAddresses,
  isRouterPort,
  storedCidr,
} from '#src/ipam/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { formatCidr } from '#src/lib/net/mod.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { GatewayIpInUse, NetworkMTUSubnetConflict, SubnetInUse } from '../errors.ts';
import { createLifecycle } from '../lifecycle.ts';
import { MINIMUM_MTU } from '../networks/mtu.ts';
import { networkScope, subnetScope } from '../scope.ts';
import type { Ml2 } from '../state.ts';
import { changes, pick } from '../values.ts';
import { subnetReading } from './reading.ts';
import { checkDhcp, checkIpv6Modes, checkLists, checkOverlap, newAddressing, subnetCidr } from './rules.ts';
import {
  deleteSubnet,
  lockNetworkOf,
  lockParents,
  portsInSubnet,
  portsOfNetwork,
  routerPortAt,
  SUBNET_COLUMNS,
  type SubnetRow,
} from './store.ts';

const CHANGEABLE = ['name', 'description', 'enable_dhcp', 'dns_nameservers', 'host_routes', 'service_types'];
/** Ports that go with the subnet, because the server made them for it. */
const AUTOMATIC_OWNERS: ReadonlySet<string> = new Set(['network:dhcp', 'network:distributed']);

export function subnetVerbs(ml2: Ml2): Readonly<Record<string, Verb>> {
  const extensions = ml2.extensions.subnets;
  const reading = subnetReading(extensions);
  const columns = { ...SUBNET_COLUMNS, ...extensions.columns };
  const limits = {
    max_dns_nameservers: ml2.config.integer('DEFAULT', 'max_dns_nameservers'),
    max_subnet_host_routes: ml2.config.integer('DEFAULT', 'max_subnet_host_routes'),
  };
  const lifecycle = createLifecycle(ml2, {
    kind: 'subnet',
    table: 'subnets',
    reading,
    scope: subnetScope,
    lockFirst: lockNetworkOf,
    notifications: async () => [],
  });

  const draftOf = (context: Parameters<Verb>[0], body: Resource) => {
    const id = newId<'subnet'>();
    const cidr = subnetCidr(body);
    const modes = {
      ip_version: cidr.version,
      enable_dhcp: body['enable_dhcp'] !== false,
      ipv6_ra_mode: (body['ipv6_ra_mode'] ?? null) as string | null,
      ipv6_address_mode: (body['ipv6_address_mode'] ?? null) as string | null,
    };
    checkDhcp(cidr, modes.enable_dhcp);
    const addressing = newAddressing(cidr, body);
    checkLists(body, limits);
    checkIpv6Modes(cidr, modes);
    const row = {
      id: id as string,
      project_id: String(body['project_id'] ?? context.project_id ?? ''),
      network_id: String(body['network_id']),
      name: body['name'] ?? '',
      description: body['description'] ?? '',
      cidr: formatCidr(cidr),
      ...modes,
      ...addressing,
      dns_nameservers: body['dns_nameservers'] ?? [],
      host_routes: body['host_routes'] ?? [],
      service_types: body['service_types'] ?? [],
      ...extensions.create({ context, body }),
    };
    return { id, body, cidr, row };
  };

  /** Existing ports form their address in a new subnet with automatic addresses. */
  const addAutomaticAddresses = async (tx: Transaction, subnet: SubnetRow) => {
    if (!hasAutomaticAddresses(subnet)) return;
    const ports = (await portsOfNetwork(tx, subnet.network_id)).filter((port) => !isRouterPort(port.device_owner));
    const wants = ports.map((port) => ({
      port_id: port.id,
      network_id: subnet.network_id,
      position: LAST,
      need: { kind: 'exact', subnet_id: subnet.id, ip_address: automaticAddress(subnet, port.mac_address) } as const,
    }));
    await allocate(tx, wants);
    await bumpRevisions(
      tx,
      'ports',
      ports.map(({ id }) => id),
    );
  };

  const create = (context: Parameters<Verb>[0], bodies: readonly Resource[]) => {
    const drafts = bodies.map((body) => draftOf(context, body));
    const networkIds = [...new Set(drafts.map(({ row }) => row.network_id))];
    const write = async (tx: Transaction) => {
      const automatic = drafts.some(({ row }) => hasAutomaticAddresses(row));
      const parents = await lockParents(tx, networkIds, networkScope(context), automatic ? 'update' : 'no key update');
      const cidrs = new Map<string, string[]>();
      for (const { cidr, row } of drafts) {
        const parent = parents.get(row.network_id);
        if (parent === undefined) throw new NetworkNotFound(row.network_id);
        const others = cidrs.get(parent.id) ?? [...parent.cidrs];
        checkOverlap(cidr, others, parent.id);
        cidrs.set(parent.id, [...others, row.cidr]);
        if (parent.mtu < MINIMUM_MTU[cidr.version]) throw new NetworkMTUSubnetConflict(parent.id, parent.mtu);
      }
      await insertRows(
        tx,
        'subnets',
        columns,
        drafts.map(({ row }) => row),
      );
      await bumpRevisions(tx, 'networks', networkIds);
      for (const { row } of drafts) await addAutomaticAddresses(tx, row);
      await extensions.store(tx, context, drafts);
      return await showRows(
        tx,
        reading(context),
        drafts.map(({ id }) => id),
      );
    };
    return lifecycle.create(context, { requests: drafts, write });
  };

  /** Gateway and pools after an update, checked against each other and against routers that use the gateway. */
  const newAddresses = async (tx: Transaction, original: Resource, body: Resource): Promise<Resource> => {
    const cidr = storedCidr(String(original['cidr']));
    const changed = pick(body, ['gateway_ip', 'allocation_pools']);
    const gateway = ('gateway_ip' in changed ? changed : original)['gateway_ip'] as string | null;
    const pools = ({ ...original, ...changed }['allocation_pools'] ?? []) as readonly AllocationPool[];
    if ('allocation_pools' in changed) checkPools(cidr, pools);
    if ('gateway_ip' in changed && gateway !== original['gateway_ip']) {
      if (gateway !== null) checkGateway(cidr, gateway);
      const before = original['gateway_ip'];
      const user =
        typeof before === 'string'
          ? await routerPortAt(tx, { subnet_id: String(original['id']), ip_address: before })
          : undefined;
      if (user !== undefined) throw new GatewayIpInUse(String(before), user);
    }
    if (gateway !== null && Object.keys(changed).length > 0) checkGatewayOutsidePools(gateway, pools);
    return changed;
  };

  return {
    create_subnet: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_subnet_bulk: async (context, { bodies = [] }) => await create(context, bodies),

    async get_subnet(context, { id = '', fields }) {
      const subnet = await showRow(ml2.db.sql, reading(context), id, fields, subnetScope(context));
      if (subnet === undefined) throw reading(context).notFound(id);
      return subnet;
    },

    get_subnets: async (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      await listRows(ml2.db.sql, reading(context), query, subnetScope(context)),

    update_subnet: async (context, call) =>
      await lifecycle.update(context, call, async (tx, original, body) => {
        const subnet = { ...original, ...body } as unknown as SubnetRow;
        const cidr = storedCidr(subnet.cidr);
        if (body['enable_dhcp'] !== undefined) {
          checkDhcp(cidr, subnet.enable_dhcp);
          checkIpv6Modes(cidr, subnet);
        }
        checkLists({ ...original, ...body }, limits);
        const values = changes(original, {
          ...pick(body, CHANGEABLE),
          ...(await newAddresses(tx, original, body)),
          ...extensions.update({ context, body, original }),
        });
        await extensions.store(tx, context, [{ id: subnet.id, body, original }]);
        if (Object.keys(values).length === 0) return false;
        await reviseRow(tx, 'subnets', subnet.id, columns, values);
        await bumpRevisions(tx, 'networks', [subnet.network_id]);
        return true;
      }),

    delete_subnet: async (context, call) =>
      await lifecycle.remove(context, call, async (tx, original) => {
        const subnet = original as unknown as SubnetRow;
        const ports = await portsInSubnet(tx, subnet.id);
        const automatic = hasAutomaticAddresses(subnet);
        const blocks = (owner: string) => !AUTOMATIC_OWNERS.has(owner) && (!automatic || isRouterPort(owner));
        if (ports.some(({ device_owner }) => blocks(device_owner))) throw new SubnetInUse(subnet.id);
        await deleteSubnet(tx, subnet.id);
        await bumpRevisions(
          tx,
          'ports',
          ports.map(({ id }) => id),
        );
        await bumpRevisions(tx, 'networks', [subnet.network_id]);
      }),
  };
}

/** Behind all others in `fixed_ips`. */
const LAST = 2 ** 15 - 1;
