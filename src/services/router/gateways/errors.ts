/** The errors of several gateways (neutron_lib.exceptions.l3_ext_gw_multihoming, where they have no status: Neutron answers 500). */
import { defineError } from '#src/lib/errors.ts';

export const UnableToAddExtraGateways = defineError(
  'UnableToAddExtraGateways',
  409,
  (id: string, reason: string) => `Unable to add extra gateways to a router ${id}: ${reason}`,
);
export const UnableToRemoveGateways = defineError(
  'UnableToRemoveGateways',
  409,
  (id: string, reason: string) => `Unable to remove extra gateways from a router ${id}: ${reason}`,
);
export const UnableToMatchGateways = defineError(
  'UnableToMatchGateways',
  400,
  (id: string, reason: string) =>
    `Unable to match a requested gateway port to existing gateway ports for router ${id}: ${reason}`,
);
