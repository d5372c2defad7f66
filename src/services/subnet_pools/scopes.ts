/** Which address scope a pool may be in (neutron.db.db_base_plugin_v2, `_validate_address_scope_id`). */
import { AddressScopeNotFound, type Range, rangesMeet } from '#src/ipam/mod.ts';
import type { IpVersion } from '#src/lib/net/mod.ts';
import { AddressScopePrefixConflict, IllegalSubnetPoolIpVersionAssociationToAddressScope } from './errors.ts';
import { readCidrs } from './rules.ts';
import type { LockedScope } from './store.ts';

/** A pool as it is to be. */
export interface ScopedPool {
  readonly id: string;
  readonly ip_version: IpVersion;
  readonly prefixes: readonly string[];
  readonly address_scope_id: string | null;
}

/** Throws unless each pool fits into its scope beside the others: of its IP version, and with addresses of its own. */
export function checkScopes(pools: readonly ScopedPool[], scopes: ReadonlyMap<string, LockedScope>): void {
  const taken = new Map<string, Range[]>();
  for (const { id, ip_version, prefixes, address_scope_id } of pools) {
    if (address_scope_id === null) continue;
    const scope = scopes.get(address_scope_id);
    if (scope === undefined || !scope.visible) throw new AddressScopeNotFound(address_scope_id);
    if (scope.ip_version !== ip_version) {
      throw new IllegalSubnetPoolIpVersionAssociationToAddressScope(id, scope.id, scope.ip_version);
    }
    const others = scope.prefixes.filter(({ subnetpool_id }) => subnetpool_id !== id).map(({ cidr }) => cidr);
    const known = taken.get(scope.id) ?? [...readCidrs(others)];
    const own = readCidrs(prefixes);
    if (rangesMeet(known, own)) throw new AddressScopePrefixConflict();
    taken.set(scope.id, [...known, ...own]);
  }
}
