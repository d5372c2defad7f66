/** The errors of RBAC policies (neutron.extensions.rbac); RbacPolicyInUse is every plugin's that has objects to share. */
import { defineError } from '#src/lib/errors.ts';

export const RbacPolicyNotFound = defineError(
  'RbacPolicyNotFound',
  404,
  (id: string, objectType = 'unknown') => `RBAC policy of type ${objectType} with ID ${id} not found`,
);
export const DuplicateRbacPolicy = defineError(
  'DuplicateRbacPolicy',
  409,
  () => 'An RBAC policy already exists with those values.',
);
export const InvalidActionForType = defineError(
  'InvalidActionForType',
  400,
  (action: string, objectType: string, valid: readonly string[]) =>
    `Invalid action '${action}' for object type '${objectType}'. Valid actions: ${valid.join(', ')}`,
);
