/** MTU of networks: between what the subnets' IP versions need and what the segments carry. */
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import { NetworkMTUSubnetConflict } from '../errors.ts';
import type { TypeManager } from '../managers/type.ts';
import { segmentsOf, subnetVersions } from './store.ts';

/** The least MTU that an IP version needs of its links (RFC 791, RFC 8200). */
export const MINIMUM_MTU: Readonly<Record<4 | 6, number>> = { 4: 68, 6: 1280 };
/** What the column holds; what the segments carry is known only when they are reserved. */
export const LARGEST_MTU = 2 ** 31 - 1;

export function checkMtu(requested: number, maximum: number): void {
  if (requested > maximum && maximum > 0) throw new InvalidInput(`Requested MTU is too big, maximum is ${maximum}`);
}

/** The MTU that a network is to have: what is asked for if it can be, the greatest possible for 0. */
export async function newMtu(
  tx: Transaction,
  types: TypeManager,
  network_id: string,
  requested: number,
): Promise<number> {
  const maximum = types.maximumMtu(await segmentsOf(tx, network_id));
  checkMtu(requested, maximum);
  const mtu = requested === 0 ? maximum : requested;
  for (const version of await subnetVersions(tx, network_id)) {
    if (mtu < MINIMUM_MTU[version]) throw new NetworkMTUSubnetConflict(network_id, mtu);
  }
  return mtu;
}
