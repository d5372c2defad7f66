/**
 * Interfaces: ports by which a router is on subnets (neutron.db.l3_db, `add_router_interface`). By subnet, a port is made that has
 * the subnet's gateway address; by port, one that is there is taken. IPv6 subnets of one network share a port.
 */
import { reviseRow, showRow } from '#src/db/mod.ts';
import { isUuidLike } from '#src/lib/api/uuid.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest, PortNotFound, SubnetNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import { Messages } from '#src/lib/messages.ts';
import { parseIp } from '#src/lib/net/mod.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import {
  PortInUse,
  RouterInterfaceInUseByFloatingIP,
  RouterInterfaceNotFound,
  RouterInterfaceNotFoundForSubnet,
  RouterNotFound,
  SubnetMismatchForPort,
} from '../errors.ts';
import type { RouterHost } from '../host.ts';
import { routerScope } from '../reading.ts';
import { type Route, refuseWhileRouted } from './routes.ts';
import {
  attachPorts,
  type FreePort,
  floatingIpNeeds,
  INTERFACE_OWNERS,
  type InsideSubnet,
  interfaceOwner,
  lockPort,
  lockRouters,
  type PortAddress,
  portsOf,
  type RouterPort,
  subnetsById,
} from './store.ts';
import { refuseForeignRouters, refuseOverlaps } from './subnets.ts';

type Verbs = Readonly<Record<string, Verb>>;

/** Which interface the body is about. */
interface Named {
  readonly port_id?: string;
  readonly subnet_id?: string;
}

/** A router under its lock. */
interface Locked {
  readonly tx: Transaction;
  readonly verbs: Verbs;
  readonly context: Context;
  readonly router: Resource;
  readonly ports: readonly RouterPort[];
  /** The one that the request names, where the caller sees it. */
  readonly subnet: InsideSubnet | undefined;
}

/** The port that an interface is by now, and its subnets that were asked about. */
interface Interface {
  readonly port: { readonly id: string; readonly project_id: string; readonly network_id: string };
  readonly subnets: readonly { readonly id: string; readonly cidr: string }[];
  /** Whether the port has become the router's with it. */
  readonly added: boolean;
  /** What was sent for it and need not be waited for: if it fails, so does the transaction. */
  readonly underway?: Promise<void>;
}

function idOf(name: 'port_id' | 'subnet_id', value: unknown): string {
  if (!isUuidLike(value)) throw new BadRequest('router', `Invalid input for ${name}: it is to be a UUID`);
  return String(value);
}

function namedIn(body: Resource, removing: boolean): Named {
  const named = (['port_id', 'subnet_id'] as const).filter((name) => Object.hasOwn(body, name));
  if (named.length === 0) throw new BadRequest('router', 'Either subnet_id or port_id must be specified');
  const ids = Object.fromEntries(named.map((name) => [name, idOf(name, body[name])]));
  if (named.length === 2 && !removing) throw new BadRequest('router', 'Cannot specify both subnet-id and port-id');
  return ids;
}

const isIpv6 = ({ ip_address }: { readonly ip_address: string }): boolean => ip_address.includes(':');
const isInside = ({ port_type }: RouterPort): boolean => INTERFACE_OWNERS.includes(port_type);

export function interfaceVerbs(host: RouterHost): Readonly<Record<string, Verb>> {
  const { acting, callbacks, outbox, reading, together } = host;

  const locked = async (tx: Transaction, context: Context, id: string, subnet_id: string | undefined) => {
    if (!isUuid(id)) throw new RouterNotFound(id);
    const [, router, ports, [subnet]] = await Promise.all([
      lockRouters(tx, [id], 'no key update'),
      showRow(tx, reading.routers, id, undefined, routerScope(context)),
      portsOf(tx, id),
      subnet_id === undefined ? [] : subnetsById(tx, context, [subnet_id]),
    ]);
    if (router === undefined) throw new RouterNotFound(id);
    return { router, ports, subnet };
  };

  /** Runs a change of a router's interfaces, and says what came of it. */
  const change = async (
    operation: 'create' | 'delete',
    context: Context,
    { id = '', body = {} }: Call,
    subnet_id: string | undefined,
    work: (locked: Locked) => Promise<Interface>,
  ): Promise<Resource> => {
    const request = { context, resource_id: id, request: body };
    await callbacks.publish('router_interface', `before_${operation}`, request);
    const { router, metadata, answer } = await together(
      { label: `${operation}_router_interface` },
      async (tx, verbs) => {
        const found = await locked(tx, context, id, subnet_id);
        const { router, ports } = found;
        const { port, subnets, added, underway } = await work({ tx, verbs, context, ...found });
        underway?.catch(() => {});
        const gateway = ports.find((one) => one.id === router['gw_port_id']);
        const metadata = {
          ...{ port, subnets, new_interface: added, cidrs: subnets.map(({ cidr }) => cidr) },
          network_id: gateway?.network_id ?? null,
          gateway_ips: gateway?.fixed_ips.map(({ ip_address }) => ip_address) ?? [],
        };
        reviseRow(tx, 'routers', id, {}, {}).catch(() => {});
        const messages = new Messages();
        await callbacks.publish('router_interface', `precommit_${operation}`, {
          ...{ ...request, latest: router, tx, verbs, notify: messages.notify, metadata },
        });
        // COMMIT goes out with all that is under way.
        messages.send(outbox, tx, context);
        const subnet = operation === 'create' ? subnets.at(-1) : subnets[0];
        const answer = {
          id,
          project_id: port.project_id,
          port_id: port.id,
          network_id: port.network_id,
          subnet_id: subnet?.id,
          subnet_ids: subnets.map((one) => one.id),
        };
        return { router, metadata, answer };
      },
    );
    await callbacks.publish('router_interface', `after_${operation}`, { ...request, latest: router, metadata });
    return answer;
  };

  const addSubnet = async (
    { tx, verbs, context, router, ports, subnet }: Locked,
    subnet_id: string,
  ): Promise<Interface> => {
    if (subnet === undefined) throw new SubnetNotFound(subnet_id);
    const { network_id, gateway_ip } = subnet;
    if (gateway_ip === null) throw new BadRequest('router', 'Subnet for router interface must have a gateway IP');
    if (!context.is_admin && subnet.project_id !== context.project_id && !subnet.shared_by_name) {
      throw new BadRequest(
        'router',
        `Cannot add interface to router because subnet ${subnet_id} is not owned by project making the request`,
      );
    }
    refuseForeignRouters(subnet);
    refuseOverlaps(ports, [subnet]);
    const own = acting.as(context);
    const device_owner = interfaceOwner(router);
    const fixed = { subnet_id, ip_address: gateway_ip };
    const shared =
      subnet.ip_version === 6 && !subnet.prefix_delegated
        ? ports.find(
            (port) => port.port_type === device_owner && port.network_id === network_id && port.fixed_ips.some(isIpv6),
          )
        : undefined;
    if (shared !== undefined) {
      const fixed_ips = [...shared.fixed_ips.map(addressOf), fixed];
      await verbs['update_port']?.(own, { id: shared.id, parents: {}, body: { fixed_ips } });
      return { port: shared, subnets: [subnet], added: false };
    }
    const body = {
      ...{ project_id: router['project_id'], network_id, fixed_ips: [fixed], admin_state_up: true, name: '' },
      ...{ device_id: router['id'], device_owner },
    };
    const port = (await verbs['create_port']?.(own, { parents: {}, body })) as Interface['port'];
    const underway = attachPorts(tx, [{ router_id: String(router['id']), port_id: port.id, port_type: device_owner }]);
    return { port, subnets: [subnet], added: true, underway };
  };

  const addPort = async ({ tx, verbs, context, router, ports }: Locked, port_id: string): Promise<Interface> => {
    const port = await lockPort(tx, context, port_id);
    if (port === undefined) throw new PortNotFound(port_id);
    if (port.device_id !== '') throw new PortInUse(port_id, port.network_id, port.device_id);
    if (port.fixed_ips.length === 0) throw new BadRequest('router', 'Router port must have at least one fixed IP');
    const order = port.fixed_ips.map(({ subnet_id }) => subnet_id);
    const found = await subnetsById(tx, context, order, 'all');
    const subnets = found.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
    for (const subnet of subnets) refuseForeignRouters(subnet);
    if (port.fixed_ips.some(isIpv6)) refuseSecondIpv6Port(ports, port);
    refuseOverlaps(ports, subnets);
    if (subnets.filter(({ ip_version }) => ip_version === 4).length > 1) {
      throw new BadRequest('router', 'Cannot have multiple IPv4 subnets on router port');
    }
    if (!context.is_admin) refuseOutsideOfPools(context, port, subnets);
    const device_owner = interfaceOwner(router);
    const body = { device_id: router['id'], device_owner };
    await verbs['update_port']?.(acting.as(context), { id: port_id, parents: {}, body });
    await attachPorts(tx, [{ router_id: String(router['id']), port_id, port_type: device_owner }]);
    return { port, subnets, added: true };
  };

  /** Throws while floating IPs or routes need the router to be on the subnets. */
  const refuseWhileNeeded = async ({ tx, router }: Locked, leaving: readonly PortAddress[]) => {
    const id = String(router['id']);
    const needed = await floatingIpNeeds(
      tx,
      id,
      leaving.map(({ subnet_id }) => subnet_id),
    );
    if (needed !== undefined) throw new RouterInterfaceInUseByFloatingIP(id, needed);
    refuseWhileRouted(id, router['routes'] as readonly Route[], leaving);
  };

  const removePort = async (locked: Locked, port_id: string, subnet_id: string | undefined): Promise<Interface> => {
    const port = locked.ports.find((candidate) => candidate.id === port_id && isInside(candidate));
    if (port === undefined) throw new RouterInterfaceNotFound(String(locked.router['id']), port_id);
    if (subnet_id !== undefined && !port.fixed_ips.some((fixed) => fixed.subnet_id === subnet_id)) {
      throw new SubnetMismatchForPort(port_id, subnet_id);
    }
    await refuseWhileNeeded(locked, port.fixed_ips);
    await locked.verbs['delete_port']?.(acting.as(locked.context), { id: port_id, parents: {} });
    return { port, subnets: port.fixed_ips.map(subnetOf), added: true };
  };

  const removeSubnet = async (locked: Locked, subnet_id: string): Promise<Interface> => {
    const { verbs, context, router, ports, subnet } = locked;
    if (subnet === undefined) throw new SubnetNotFound(subnet_id);
    const port = ports.find((one) => isInside(one) && one.fixed_ips.some((fixed) => fixed.subnet_id === subnet_id));
    if (port === undefined) throw new RouterInterfaceNotFoundForSubnet(String(router['id']), subnet_id);
    const [leaving, staying] = [true, false].map((leaves) =>
      port.fixed_ips.filter((fixed) => (fixed.subnet_id === subnet_id) === leaves),
    ) as [PortAddress[], PortAddress[]];
    await refuseWhileNeeded(locked, leaving);
    const own = acting.as(context);
    const call = { id: port.id, parents: {} };
    if (staying.length === 0) await verbs['delete_port']?.(own, call);
    else await verbs['update_port']?.(own, { ...call, body: { fixed_ips: staying.map(addressOf) } });
    return { port, subnets: [subnet], added: staying.length === 0 };
  };

  return {
    async add_router_interface(context, call) {
      const { port_id, subnet_id = '' } = namedIn(call.body ?? {}, false);
      const named = port_id === undefined ? subnet_id : undefined;
      return await change('create', context, call, named, (locked) =>
        port_id === undefined ? addSubnet(locked, subnet_id) : addPort(locked, port_id),
      );
    },

    async remove_router_interface(context, call) {
      const { port_id, subnet_id } = namedIn(call.body ?? {}, true);
      const named = port_id === undefined ? subnet_id : undefined;
      return await change('delete', context, call, named, (locked) =>
        port_id === undefined ? removeSubnet(locked, subnet_id ?? '') : removePort(locked, port_id, subnet_id),
      );
    },
  };
}

const addressOf = ({ subnet_id, ip_address }: PortAddress) => ({ subnet_id, ip_address });
const subnetOf = ({ subnet_id, cidr }: PortAddress) => ({ id: subnet_id, cidr });

/** IPv6 subnets of one network are on one port of the router. */
function refuseSecondIpv6Port(ports: readonly RouterPort[], port: FreePort): void {
  const other = ports.find(({ network_id, fixed_ips }) => network_id === port.network_id && fixed_ips.some(isIpv6));
  if (other === undefined) return;
  throw new BadRequest(
    'router',
    `Router already contains IPv6 port ${other.id} belonging to network id ${other.network_id}. Only one IPv6 port from the same network subnet can be connected to a router`,
  );
}

/** Where the subnet is another project's, only addresses of its pools are taken for routers. */
function refuseOutsideOfPools(context: Context, port: FreePort, subnets: readonly InsideSubnet[]): void {
  for (const { subnet_id, ip_address } of port.fixed_ips) {
    const subnet = subnets.find(({ id }) => id === subnet_id);
    const ip = parseIp(ip_address);
    if (subnet === undefined || ip === null || subnet.project_id === context.project_id) continue;
    const value = (text: string): bigint => parseIp(text)?.value ?? 0n;
    if (subnet.allocation_pools.some(({ start, end }) => value(start) <= ip.value && ip.value <= value(end))) continue;
    throw new BadRequest(
      'router',
      `Cannot add interface to router because specified port ${port.id} has an IP address out of the allocation pool of subnet ${subnet_id}, which is not owned by the project making the request`,
    );
  }
}
