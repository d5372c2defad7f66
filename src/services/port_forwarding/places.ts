/** Which address of which port a forwarding leads to, and by which router (neutron: `_find_a_router_for_fip_port_forwarding`). */
import { PortNotFound } from '#src/lib/errors.ts';
import { canonicalIp, parseIp } from '#src/lib/net/mod.ts';
import { FloatingIPPortAlreadyAssociated, type Target } from '#src/services/router/floatingips/contract.ts';
import { PortHasBindingFloatingIP, refusal } from './errors.ts';
import type { Forwarder } from './store.ts';

export interface Place {
  readonly internal_port_id: string;
  readonly internal_ip_address: string;
  readonly router_id: string;
}

/** What a caller names. */
export interface Wish {
  readonly internal_port_id: string;
  readonly internal_ip_address?: string;
}

/** The address of the port that is asked for, or its first IPv4 address. Throws where none leads there from outside. */
export function placeOf(
  targets: readonly Target[],
  network_id: string,
  { internal_port_id: port_id, internal_ip_address: address }: Wish,
): Place {
  const target = targets.find((candidate) => candidate.port_id === port_id);
  if (target === undefined) throw new PortNotFound(port_id);
  const inside = target.addresses.filter(({ ip_address }) => parseIp(ip_address)?.version === 4);
  if (inside.length === 0) throw refusal(`Requested internal port ${port_id} must allocate an IPv4 address at least`);
  const named = address === undefined ? undefined : canonicalIp(address);
  const found = address === undefined ? inside[0] : inside.find(({ ip_address }) => ip_address === named);
  if (found === undefined) {
    const own = inside.map(({ ip_address }) => ip_address).join(', ');
    throw refusal(`Internal IP address ${address} is not one of the IPv4 addresses of port ${port_id}: ${own}`);
  }
  if (found.router_id === null) {
    throw refusal(
      `External network ${network_id} is not reachable from subnet ${found.subnet_id}: no port forwarding can lead to port ${port_id}`,
    );
  }
  return { internal_port_id: port_id, internal_ip_address: found.ip_address, router_id: found.router_id };
}

/**
 * The router by which a floating IP leads to these places. Throws where the whole of it leads to a port, where it goes by another
 * router, and where a floating IP leads to one of the ports.
 */
export function routerOf(forwarder: Forwarder, places: readonly Place[]): string {
  const { id, address, network_id, router_id, port_id, leading } = forwarder;
  const [first] = places;
  if (port_id !== null) {
    const { internal_port_id = '', internal_ip_address = '' } = first ?? {};
    throw new FloatingIPPortAlreadyAssociated(id, address, internal_port_id, internal_ip_address, network_id);
  }
  const led = places.find(({ internal_port_id }) => internal_port_id === leading?.port_id);
  if (leading !== null && led !== undefined) {
    throw new PortHasBindingFloatingIP(leading, led.internal_port_id, led.internal_ip_address);
  }
  const by = router_id ?? first?.router_id ?? '';
  const other = places.find((place) => place.router_id !== by);
  if (other !== undefined) {
    throw refusal(
      `Floating IP ${id} goes by router ${by}, from which internal port ${other.internal_port_id} cannot be reached`,
    );
  }
  return by;
}
