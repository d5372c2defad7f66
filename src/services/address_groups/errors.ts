/** The errors of address groups (neutron_lib.exceptions.address_group). */
import { defineError } from '#src/lib/errors.ts';

export const AddressGroupNotFound = defineError(
  'AddressGroupNotFound',
  404,
  (id: string) => `Address group ${id} could not be found.`,
);
export const AddressGroupInUse = defineError(
  'AddressGroupInUse',
  409,
  (id: string) => `Address group ${id} is in use on one or more security group rules.`,
);
export const AddressesNotFound = defineError(
  'AddressesNotFound',
  404,
  (addresses: readonly string[], id: string) => `Addresses ${addresses.join(', ')} are not in the address group ${id}.`,
);
export const AddressesAlreadyExist = defineError(
  'AddressesAlreadyExist',
  400,
  (addresses: readonly string[], id: string) =>
    `Addresses ${addresses.join(', ')} are already in the address group ${id}.`,
);
export const AddrFormatError = defineError('AddrFormatError', 400, (value: string) => `${value} is no IP network.`);
