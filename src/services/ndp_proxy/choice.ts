/** Which address of a port a proxy is for, if it can be for one (neutron.services.ndp_proxy.plugin, `_check_port`). */
import { BadRequest } from '#src/lib/errors.ts';
import { canonicalIp } from '#src/lib/net/mod.ts';
import { AddressScopeConflict, InvalidAddress, PortUnreachableRouter, RouterNDPProxyNotEnable } from './errors.ts';
import type { Scene } from './store.ts';

/** The address that is asked for, or the first that the router reaches. */
export function addressIn(scene: Scene, asked: string | undefined): string {
  const { router_id, port_id, enabled, connected, addresses, outside, inside } = scene;
  if (!connected) throw new PortUnreachableRouter(port_id, router_id);
  if (!enabled) throw new RouterNDPProxyNotEnable(router_id);
  if (addresses.length === 0) {
    throw new BadRequest('ndp_proxy', `Requested port ${port_id} must allocate one IPv6 address at least`);
  }
  const named = asked === undefined ? undefined : canonicalIp(asked);
  const found =
    asked === undefined
      ? addresses.find(({ reached }) => reached)
      : addresses.find(({ ip_address }) => ip_address === named);
  if (asked === undefined) {
    if (found === undefined) throw new PortUnreachableRouter(port_id, router_id);
  } else if (found === undefined) {
    throw new InvalidAddress(asked, `This address not belong to the port ${port_id}`);
  } else if (!found.reached) {
    throw new InvalidAddress(asked, `This address cannot reach the router ${router_id}`);
  }
  // Packets are not routed between address scopes as they are.
  if (outside !== inside) throw new AddressScopeConflict(outside, inside);
  return found.ip_address;
}
