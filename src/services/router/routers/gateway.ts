/**
 * Gateways: a port of the router on an external network (neutron.db.l3_db, `_update_router_gw_info`). Everything happens under
 * the router's lock and in the transaction of its port, so that a gateway is there with all that belongs to it or not at all.
 */
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest, NetworkNotFound } from '#src/lib/errors.ts';
import { canonicalIp } from '#src/lib/net/mod.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { RouterExternalGatewayInUseByFloatingIp } from '../errors.ts';
import type { RouterHost } from '../host.ts';
import {
  attachPorts,
  GATEWAY,
  hasFloatingIps,
  type OutsideNetwork,
  outsideNetworks,
  type RouterPort,
} from './store.ts';
import { refuseOverlaps } from './subnets.ts';

type Verbs = Readonly<Record<string, Verb>>;

interface AddressRequest {
  readonly subnet_id?: string;
  readonly ip_address?: string;
}

/** `external_gateway_info` as callers write it. */
export interface GatewayInfo {
  readonly network_id: string;
  readonly external_fixed_ips?: readonly AddressRequest[];
  readonly enable_snat?: boolean;
}

/** Null: no gateway. Undefined: nothing was said. An empty object says as much as null. */
export function gatewayInfoOf(body: Resource): GatewayInfo | null | undefined {
  const info = body['external_gateway_info'] as GatewayInfo | null | undefined;
  return info === undefined || info?.network_id !== undefined ? info : null;
}

/** A network on which the caller may have gateways, with the addresses asked for as far as they can be told wrong here. */
export async function checkedNetwork(
  verbs: Verbs,
  context: Context,
  networks: ReadonlyMap<string, OutsideNetwork>,
  { network_id, external_fixed_ips = [] }: GatewayInfo,
): Promise<OutsideNetwork> {
  const network = networks.get(network_id);
  if (network === undefined) throw new NetworkNotFound(network_id);
  if (!network.external) throw new BadRequest('router', `Network ${network_id} is not an external network`);
  for (const { subnet_id, ip_address } of external_fixed_ips) {
    const address = ip_address === undefined ? null : canonicalIp(ip_address);
    if (address !== null && network.subnets.some(({ gateway_ip }) => gateway_ip === address)) {
      throw new BadRequest('router', `External IP ${address} is the same as the gateway IP`);
    }
    await refuseUnseenSubnet(verbs, context, network, subnet_id);
  }
  return network;
}

/** Ports are made with all rights: a subnet elsewhere that the caller does not see must be as one that there is not. */
export async function refuseUnseenSubnet(
  verbs: Verbs,
  context: Context,
  network: OutsideNetwork,
  subnet_id: string | undefined | null,
): Promise<void> {
  if (subnet_id === undefined || subnet_id === null || network.subnets.some(({ id }) => id === subnet_id)) return;
  await verbs['get_subnet']?.(context, { id: subnet_id, parents: {}, fields: ['id'] });
}

/** The body of a gateway's port: of no project, because it is the cloud's. */
export const gatewayPort = (router_id: string, { network_id, external_fixed_ips = [] }: GatewayInfo): Resource => ({
  project_id: '',
  network_id,
  device_id: router_id,
  device_owner: GATEWAY,
  admin_state_up: true,
  name: '',
  ...(external_fixed_ips.length === 0 ? {} : { fixed_ips: external_fixed_ips }),
});

/** What becomes of a router's gateway, for those who are told. */
export interface GatewayChange {
  readonly deleted?: RouterPort;
  readonly created?: Resource;
  readonly updated?: RouterPort;
}

const addressesDiffer = (current: RouterPort, wanted: readonly AddressRequest[]): boolean => {
  if (wanted.length === 0) return false;
  const differ = (a: readonly string[], b: readonly string[]) =>
    a.some((one) => !b.includes(one)) || b.some((one) => !a.includes(one));
  const subnets = wanted.flatMap(({ subnet_id }) => subnet_id ?? []);
  const addresses = wanted.flatMap(({ ip_address }) =>
    ip_address === undefined ? [] : (canonicalIp(ip_address) ?? []),
  );
  return (
    differ(
      current.fixed_ips.map(({ subnet_id }) => subnet_id),
      subnets,
    ) ||
    differ(
      current.fixed_ips.map(({ ip_address }) => ip_address),
      addresses,
    )
  );
};

/** The transaction that a change is part of: what callbacks in it are given. */
export interface JointChange {
  readonly tx: Transaction;
  readonly verbs: Verbs;
  readonly notify: (...notifications: readonly Notification[]) => void;
}

/** Gives the locked router the gateway that is asked for. */
export async function changeGateway(
  { acting, callbacks }: Pick<RouterHost, 'acting' | 'callbacks'>,
  joint: JointChange,
  context: Context,
  router: Resource,
  ports: readonly RouterPort[],
  info: GatewayInfo | null,
): Promise<GatewayChange> {
  const { tx, verbs } = joint;
  const id = String(router['id']);
  const own = acting.as(context);
  const current = ports.find((port) => port.id === router['gw_port_id']);
  const network =
    info === null
      ? undefined
      : await checkedNetwork(verbs, context, await outsideNetworks(tx, context, [info.network_id]), info);

  if (info !== null && current?.network_id === info.network_id) {
    const fixed_ips = info.external_fixed_ips ?? [];
    if (!addressesDiffer(current, fixed_ips)) return {};
    await verbs['update_port']?.(own, { id: current.id, parents: {}, body: { fixed_ips } });
    return { updated: current };
  }
  if (current !== undefined) {
    if (await hasFloatingIps(tx, id)) throw new RouterExternalGatewayInUseByFloatingIp(id, current.network_id);
    const metadata = { network_id: current.network_id, new_network_id: info?.network_id ?? null, port: current };
    await callbacks.publish('router_gateway', 'precommit_delete', {
      ...{ context, resource_id: id, original: router, metadata, ...joint },
    });
    await verbs['delete_port']?.(own, { id: current.id, parents: {} });
  }
  if (info === null || network === undefined) return current === undefined ? {} : { deleted: current };
  refuseOverlaps(
    ports.filter((port) => port !== current),
    network.subnets,
  );
  const created = (await verbs['create_port']?.(own, { parents: {}, body: gatewayPort(id, info) })) as Resource;
  await attachPorts(tx, [{ router_id: id, port_id: String(created['id']), port_type: GATEWAY }]);
  await callbacks.publish('router_gateway', 'precommit_create', {
    ...{ context, resource_id: id, latest: router, ...joint },
    metadata: { port: created, network_id: info.network_id },
  });
  return current === undefined ? { created } : { created, deleted: current };
}

/** What those are told who follow gateways: of a router, or of nothing where its gateway has stayed. */
export function gatewayEvents(change: GatewayChange) {
  const { deleted, created, updated } = change;
  return [
    ...(deleted === undefined
      ? []
      : [
          {
            event: 'after_delete' as const,
            metadata: {
              network_id: deleted.network_id,
              new_network_id: created?.['network_id'] ?? null,
              gateway_ips: deleted.fixed_ips.map(({ ip_address }) => ip_address),
            },
          },
        ]),
    ...(created === undefined
      ? []
      : [
          {
            event: 'after_create' as const,
            metadata: {
              network_id: created['network_id'],
              gateway_ips: (created['fixed_ips'] as readonly { readonly ip_address: string }[]).map(
                ({ ip_address }) => ip_address,
              ),
            },
          },
        ]),
    ...(updated === undefined
      ? []
      : [{ event: 'after_update' as const, metadata: { network_id: updated.network_id } }]),
  ];
}
