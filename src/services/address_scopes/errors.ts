/** The errors of address scopes (neutron_lib.exceptions.address_scope). */
import { defineError } from '#src/lib/errors.ts';

export const AddressScopeInUse = defineError(
  'AddressScopeInUse',
  409,
  (id: string) => `Address scope ${id} cannot be deleted: subnet pools are associated with it.`,
);
export const AddressScopeUpdateError = defineError(
  'AddressScopeUpdateError',
  400,
  (id: string, reason: string) => `Address scope ${id} cannot be updated: ${reason}.`,
);
