/** Subnets that one router may be on together: none twice, and none whose addresses overlap with another's. */
import { storedCidr } from '#src/ipam/mod.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { overlaps } from '#src/lib/net/mod.ts';
import type { InsideSubnet, RouterPort } from './store.ts';

interface Subnet {
  readonly id: string;
  readonly cidr: string;
}

/** What a subnet has for a prefix until one is delegated to it. */
const PROVISIONAL = '::/64';

/** Throws where the router is on one of the new subnets already, or on one with addresses of theirs. */
export function refuseOverlaps(ports: readonly RouterPort[], added: readonly Subnet[]): void {
  const ids = new Set(added.map(({ id }) => id));
  const present: Subnet[] = [];
  for (const { fixed_ips, outside } of ports) {
    for (const { subnet_id, cidr } of fixed_ips) {
      if (ids.has(subnet_id)) throw new BadRequest('router', `Router already has a port on subnet ${subnet_id}`);
      present.push({ id: subnet_id, cidr });
    }
    present.push(...outside);
  }
  const known = added.filter(({ cidr }) => cidr !== PROVISIONAL);
  for (const old of present) {
    for (const fresh of known) {
      if (!overlaps(storedCidr(old.cidr), storedCidr(fresh.cidr))) continue;
      throw new BadRequest(
        'router',
        `Cidr ${fresh.cidr} of subnet ${fresh.id} overlaps with cidr ${old.cidr} of subnet ${old.id}`,
      );
    }
  }
}

/** Throws for a subnet whose router advertisements come from a router outside. */
export function refuseForeignRouters({ id, ip_version, ipv6_ra_mode, ipv6_address_mode }: InsideSubnet): void {
  if (ip_version === 6 && ipv6_ra_mode === null && ipv6_address_mode !== null) {
    throw new BadRequest(
      'router',
      `IPv6 subnet ${id} configured to receive RAs from an external router cannot be added to Neutron Router`,
    );
  }
}
