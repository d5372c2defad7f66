/** The errors of conntrack helpers (neutron.services.conntrack_helper.common.exceptions). */
import { defineError } from '#src/lib/errors.ts';

export const ConntrackHelperNotFound = defineError(
  'ConntrackHelperNotFound',
  404,
  (id: string) => `Conntrack Helper ${id} could not be found.`,
);
export const ConntrackHelperNotAllowed = defineError(
  'ConntrackHelperNotAllowed',
  400,
  (helper: string) =>
    `Conntrack Helper ${helper} is not allowed: [DEFAULT] allowed_conntrack_helpers does not name it.`,
);
export const InvalidProtocolForHelper = defineError(
  'InvalidProtocolForHelper',
  400,
  (helper: string, protocol: string, supported: readonly string[]) =>
    `Conntrack Helper ${helper} does not support: ${protocol}. Supported protocols are: ${supported.join(', ')}`,
);
