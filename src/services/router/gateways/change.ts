/**
 * Carries out what is to become of a router's gateways, under the router's lock and in the transaction of their ports: all of it is
 * done or nothing (neutron.db.l3_db, `_update_router_gw_info`; l3_extra_gws_db).
 */
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { RouterExternalGatewayInUseByFloatingIp } from '../errors.ts';
import type { RouterHost } from '../host.ts';
import { checkedNetwork, type GatewayInfo, gatewayPort } from '../routers/gateway.ts';
import { attachPorts, GATEWAY, type OutsideNetwork, outsideNetworks, type RouterPort } from '../routers/store.ts';
import { refuseOverlaps } from '../routers/subnets.ts';
import type { GatewayPlan, Present } from './plan.ts';
import { neededNetwork, showGateway } from './store.ts';

/** The transaction that a change is part of: what callbacks in it are given. */
export interface JointChange {
  readonly tx: Transaction;
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly notify: (...notifications: readonly Notification[]) => void;
}

/** What has become of a router's gateways, for those who are told. */
export interface GatewayChange {
  readonly deleted: readonly RouterPort[];
  readonly created: readonly Resource[];
  readonly updated: readonly RouterPort[];
  /** Whether another one is shown. */
  readonly turned: boolean;
}

type Host = Pick<RouterHost, 'acting' | 'callbacks'>;

/** A router's gateways as they are, the one that is shown first. */
export function presentGateways(router: Resource, ports: readonly RouterPort[]): Present {
  const gateways = ports.filter(({ port_type }) => port_type === GATEWAY);
  const shown = gateways.filter(({ id }) => id === router['gw_port_id']);
  return { router_id: String(router['id']), gateways: [...new Set([...shown, ...gateways])] };
}

/** The networks of gateways that are asked for, each one on which the caller may have such. */
export async function askedNetworks(
  { tx, verbs }: JointChange,
  context: Context,
  infos: readonly GatewayInfo[],
): Promise<ReadonlyMap<string, OutsideNetwork>> {
  const named = infos.map(({ network_id }) => network_id);
  const networks = await outsideNetworks(tx, context, named);
  for (const info of infos) await checkedNetwork(verbs, context, networks, info);
  return networks;
}

/** Gives the locked router, which has these ports, the gateways that are planned on these networks. */
export async function carryOut(
  { acting, callbacks }: Host,
  joint: JointChange,
  context: Context,
  router: Resource,
  ports: readonly RouterPort[],
  { remove, update, create, shown }: GatewayPlan,
  networks: ReadonlyMap<string, OutsideNetwork>,
): Promise<GatewayChange> {
  const { tx, verbs } = joint;
  const id = String(router['id']);
  const own = acting.as(context);
  const { gateways } = presentGateways(router, ports);
  const staying = gateways.filter((port) => !remove.includes(port));
  const reached = new Set([...staying, ...create].map(({ network_id }) => network_id));
  const left = remove.map(({ network_id }) => network_id).filter((network_id) => !reached.has(network_id));
  const needed = left.length === 0 ? undefined : await neededNetwork(tx, id, left);
  if (needed !== undefined) throw new RouterExternalGatewayInUseByFloatingIp(id, needed);

  for (const port of remove) {
    const new_network_id = create[0]?.network_id ?? staying[0]?.network_id ?? null;
    const metadata = { network_id: port.network_id, new_network_id, port };
    await callbacks.publish('router_gateway', 'precommit_delete', {
      ...{ context, resource_id: id, original: router, metadata, ...joint },
    });
    await verbs['delete_port']?.(own, { id: port.id, parents: {} });
  }
  for (const { port, fixed_ips } of update) {
    await verbs['update_port']?.(own, { id: port.id, parents: {}, body: { fixed_ips } });
  }

  refuseOutsideOverlaps(
    ports.filter((port) => !remove.includes(port)),
    create,
    networks,
  );
  const first = staying.length === 0 || shown === 'created';
  const created = await createPorts(joint, own, id, create, first);
  const turned = turnedTo(router['gw_port_id'], staying, first && created.length > 0, shown);
  if (turned !== undefined) await showGateway(tx, id, turned);
  for (const port of created) {
    await callbacks.publish('router_gateway', 'precommit_create', {
      ...{ context, resource_id: id, latest: router, ...joint },
      metadata: { port, network_id: port['network_id'] },
    });
  }
  return { deleted: remove, created, updated: update.map(({ port }) => port), turned: turned !== undefined };
}

/** Several gateways may be on one network; else what is outside must not overlap, nor with what is inside. */
function refuseOutsideOverlaps(
  ports: readonly RouterPort[],
  create: readonly GatewayInfo[],
  networks: ReadonlyMap<string, OutsideNetwork>,
): void {
  const present = [...ports];
  for (const { network_id } of create) {
    const subnets = networks.get(network_id)?.subnets ?? [];
    refuseOverlaps(
      present.filter((port) => port.port_type !== GATEWAY || port.network_id !== network_id),
      subnets,
    );
    present.push({ id: '', network_id, project_id: '', port_type: GATEWAY, fixed_ips: [], outside: subnets });
  }
}

/** `first`: the first of them is the gateway that is shown. */
async function createPorts(
  { tx, verbs }: JointChange,
  own: Context,
  router_id: string,
  create: readonly GatewayInfo[],
  first: boolean,
): Promise<readonly Resource[]> {
  if (create.length === 0) return [];
  const bodies = create.map((info) => gatewayPort(router_id, info));
  const created = (await verbs['create_port_bulk']?.(own, { parents: {}, bodies })) as readonly Resource[];
  await attachPorts(
    tx,
    created.map(({ id }, at) => ({
      ...{ router_id, port_id: String(id), port_type: GATEWAY, shown: first && at === 0 },
    })),
  );
  return created;
}

/** The port that is there already and is shown from now on; undefined: that is not for it to say. */
function turnedTo(
  current: unknown,
  staying: readonly RouterPort[],
  replaced: boolean,
  shown: GatewayPlan['shown'],
): string | undefined {
  if (replaced) return undefined;
  const wanted = typeof shown === 'object' ? shown.port_id : staying[0]?.id;
  return wanted === current ? undefined : wanted;
}
