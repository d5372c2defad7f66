/**
 * Which subnets may stand beside each other on a network (neutron.db.ipam_backend_mixin, `_validate_network_subnetpools`): those
 * of one IP version come from one pool, or from pools of one address scope, or all from none; and none overlap.
 */
import { type DrawablePool, NetworkAddressScopeAffinityError, NetworkSubnetPoolAffinityError } from '#src/ipam/mod.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { type Cidr, formatCidr, overlaps, parseCidr } from '#src/lib/net/mod.ts';
import { PROVISIONAL_PREFIX } from './request.ts';

/** A subnet that the network has, or is about to have. */
export interface Neighbour {
  readonly cidr: string;
  readonly ip_version: number;
  readonly subnetpool_id: string | null;
  readonly prefix_delegated: boolean;
}

/** Throws when the network has a subnet that overlaps; which one is nobody's business. */
export function checkOverlap(cidr: Cidr, neighbours: readonly Neighbour[], network_id: string): void {
  for (const { cidr: other } of neighbours) {
    const taken = parseCidr(other);
    // Until they have their prefix, all delegated subnets are the same.
    if (taken !== null && other !== PROVISIONAL_PREFIX && overlaps(cidr, taken)) {
      throw new InvalidInput(
        `Requested subnet with cidr: ${formatCidr(cidr)} for network: ${network_id} overlaps with another subnet`,
      );
    }
  }
}

/** Throws when the new subnet is of another origin than those of its IP version. `pools`: those of all neighbours, locked. */
export function checkAffinity(
  subnet: Neighbour,
  neighbours: readonly Neighbour[],
  pools: ReadonlyMap<string, DrawablePool>,
): void {
  const beside = neighbours.filter(({ ip_version }) => ip_version === subnet.ip_version);
  const scopeOf = ({ subnetpool_id }: Neighbour) =>
    subnetpool_id === null ? null : (pools.get(subnetpool_id)?.address_scope_id ?? null);
  const scope = beside.map(scopeOf).find((id) => id !== null) ?? null;
  if (scope !== null && (subnet.prefix_delegated || subnet.subnetpool_id !== null)) {
    if (scopeOf(subnet) !== scope) throw new NetworkAddressScopeAffinityError();
    return;
  }
  for (const { subnetpool_id, prefix_delegated } of beside) {
    if (subnetpool_id !== subnet.subnetpool_id || prefix_delegated !== subnet.prefix_delegated) {
      throw new NetworkSubnetPoolAffinityError();
    }
  }
}
