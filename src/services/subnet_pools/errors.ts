/** The errors of subnet pools (neutron_lib.exceptions, neutron.extensions.rbac). */
import { defineError } from '#src/lib/errors.ts';

export const EmptySubnetPoolPrefixList = defineError(
  'EmptySubnetPoolPrefixList',
  400,
  () => 'prefixes: a subnet pool has one prefix at least.',
);
export const PrefixVersionMismatch = defineError(
  'PrefixVersionMismatch',
  400,
  () => 'prefixes: the prefixes of a subnet pool are of one IP version.',
);
export const IllegalSubnetPoolPrefixBounds = defineError(
  'IllegalSubnetPoolPrefixBounds',
  400,
  (name: string, value: number, relation: 'less' | 'greater', bound: string, limit: number) =>
    `Illegal prefix bounds: ${name}=${value} must not be ${relation} than ${bound}=${limit}.`,
);
export const IllegalSubnetPoolPrefixUpdate = defineError(
  'IllegalSubnetPoolPrefixUpdate',
  400,
  (reason: string) => `Illegal update to prefixes: ${reason}.`,
);
export const IllegalSubnetPoolUpdate = defineError(
  'IllegalSubnetPoolUpdate',
  400,
  (reason: string) => `Illegal subnet pool update: ${reason}.`,
);
export const IllegalSubnetPoolIpVersionAssociationToAddressScope = defineError(
  'IllegalSubnetPoolIpVersionAssociationToAddressScope',
  400,
  (poolId: string, scopeId: string, version: number) =>
    `Subnet pool ${poolId} cannot be associated with address scope ${scopeId}: the scope's ip_version is ${version}.`,
);
export const AddressScopePrefixConflict = defineError(
  'AddressScopePrefixConflict',
  409,
  () => 'Prefixes of the subnet pool overlap with those of another pool of the address scope.',
);
export const SubnetPoolDeleteError = defineError(
  'SubnetPoolDeleteError',
  400,
  (reason: string) => `Unable to delete subnet pool: ${reason}.`,
);
export const RbacPolicyInitError = defineError(
  'RbacPolicyInitError',
  400,
  (objectId: string, reason: string) => `Failed to create RBAC policy on object ${objectId}: ${reason}.`,
);
