/**
 * What is to become of a router's gateways, worked out from those that it has and what is asked (neutron.db.l3_extra_gws_db). A
 * request names gateways by their network, and where there are several on one by an address.
 *
 *   one is the gateway that `external_gateway_info` shows: the first that there is, and the first of a list that replaces all
 */
import { canonicalIp } from '#src/lib/net/mod.ts';
import type { AddressRequest, GatewayInfo } from '../routers/gateway.ts';
import type { RouterPort } from '../routers/store.ts';
import { UnableToAddExtraGateways, UnableToMatchGateways, UnableToRemoveGateways } from './errors.ts';

/** A router's gateways, the one that is shown first. */
export interface Present {
  readonly router_id: string;
  readonly gateways: readonly RouterPort[];
}

export interface GatewayPlan {
  readonly remove: readonly RouterPort[];
  readonly update: readonly { readonly port: RouterPort; readonly fixed_ips: readonly AddressRequest[] }[];
  readonly create: readonly GatewayInfo[];
  /** Which is shown then: the first that is created, or the port of this id; undefined: the one that is, or the next. */
  readonly shown?: 'created' | { readonly port_id: string };
}

/** A member could take all addresses of an external network otherwise: such ports count for nobody's quota. */
export const MOST_GATEWAYS = 32;

const UNCHANGED: GatewayPlan = { remove: [], update: [], create: [] };

const addressesIn = ({ external_fixed_ips = [] }: GatewayInfo): readonly string[] =>
  external_fixed_ips.flatMap(({ ip_address }) => (ip_address === undefined ? [] : (canonicalIp(ip_address) ?? [])));

const differ = (a: readonly string[], b: readonly string[]) =>
  a.some((one) => !b.includes(one)) || b.some((one) => !a.includes(one));

/** The addresses that a port is to have where they are others than it has. */
function readdressed(port: RouterPort, info: GatewayInfo): GatewayPlan['update'] {
  const fixed_ips = info.external_fixed_ips ?? [];
  if (fixed_ips.length === 0) return [];
  const same =
    !differ(
      port.fixed_ips.map(({ subnet_id }) => subnet_id),
      fixed_ips.flatMap(({ subnet_id }) => subnet_id ?? []),
    ) &&
    !differ(
      port.fixed_ips.map(({ ip_address }) => ip_address),
      addressesIn(info),
    );
  return same ? [] : [{ port, fixed_ips }];
}

/** `external_gateway_info`: the gateway that is shown stays where it is on its network, and is another one elsewhere. */
export function planShown({ gateways: [current] }: Present, info: GatewayInfo | null): GatewayPlan {
  if (info !== null && current?.network_id === info.network_id) {
    return { ...UNCHANGED, update: readdressed(current, info) };
  }
  const remove = current === undefined ? [] : [current];
  return info === null ? { ...UNCHANGED, remove } : { ...UNCHANGED, remove, create: [info], shown: 'created' };
}

/** `add_external_gateways` */
export function planAdded({ router_id, gateways }: Present, infos: readonly GatewayInfo[]): GatewayPlan {
  refuseTooMany(router_id, gateways.length + infos.length);
  return { ...UNCHANGED, create: infos };
}

/** `update_external_gateways`: these and no others. */
export function planUpdated(present: Present, infos: readonly GatewayInfo[]): GatewayPlan {
  refuseTooMany(present.router_id, infos.length);
  const matched = match(present, infos);
  const stays = new Set([...matched.values()].map(({ id }) => id));
  const [first] = infos;
  const kept = first === undefined ? undefined : matched.get(first);
  const plan = {
    remove: present.gateways.filter(({ id }) => !stays.has(id)),
    update: [...matched].flatMap(([info, port]) => readdressed(port, info)),
    create: infos.filter((info) => !matched.has(info)),
  };
  if (first === undefined) return plan;
  return { ...plan, shown: kept === undefined ? 'created' : { port_id: kept.id } };
}

/** `remove_external_gateways` */
export function planRemoved(present: Present, infos: readonly GatewayInfo[]): GatewayPlan {
  const { router_id, gateways } = present;
  if (infos.length === 0) return UNCHANGED;
  if (gateways.length === 0) {
    throw new UnableToRemoveGateways(router_id, 'the router does not have any external gateways');
  }
  const matched = match(present, infos);
  const missing = infos.filter((info) => !matched.has(info));
  if (missing.length > 0) {
    throw new UnableToMatchGateways(router_id, `it has none on ${missing.map(nameOf).join(', ')}`);
  }
  return { ...UNCHANGED, remove: [...matched.values()] };
}

function nameOf(info: GatewayInfo): string {
  const addresses = addressesIn(info);
  return `network ${info.network_id}${addresses.length === 0 ? '' : ` with addresses ${addresses.join(', ')}`}`;
}

/** The gateways that are named, each by one of the infos: by address first, because what goes without could be any. */
function match({ router_id, gateways }: Present, infos: readonly GatewayInfo[]): ReadonlyMap<GatewayInfo, RouterPort> {
  const matched = new Map<GatewayInfo, RouterPort>();
  const free = (network: string) => {
    const taken = new Set(matched.values());
    return gateways.filter((port) => port.network_id === network && !taken.has(port));
  };
  for (const info of infos) {
    const named = addressesIn(info);
    const port = free(info.network_id).find(({ fixed_ips }) => fixed_ips.some((ip) => named.includes(ip.ip_address)));
    if (port !== undefined) matched.set(info, port);
  }
  for (const info of infos) {
    if (addressesIn(info).length > 0) continue;
    const [port, another] = free(info.network_id);
    if (another !== undefined) {
      throw new UnableToMatchGateways(
        router_id,
        `several are on the network ${info.network_id}, and external_fixed_ips does not say which is meant`,
      );
    }
    if (port !== undefined) matched.set(info, port);
  }
  return matched;
}

function refuseTooMany(router_id: string, count: number): void {
  if (count > MOST_GATEWAYS) {
    throw new UnableToAddExtraGateways(router_id, `a router has at most ${MOST_GATEWAYS} gateways`);
  }
}
