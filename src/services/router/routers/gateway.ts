/** Gateways as they are asked for: a port of the router on an external network (neutron.db.l3_db, `_validate_gw_info`). */
import type { Context } from '#src/lib/context.ts';
import { BadRequest, NetworkNotFound } from '#src/lib/errors.ts';
import { canonicalIp } from '#src/lib/net/mod.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { GATEWAY, type OutsideNetwork } from './store.ts';

type Verbs = Readonly<Record<string, Verb>>;

export interface AddressRequest {
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
