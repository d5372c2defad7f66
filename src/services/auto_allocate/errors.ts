/** The errors of topologies (neutron.services.auto_allocate.exceptions). */
import { defineError } from '#src/lib/errors.ts';

export const AutoAllocationFailure = defineError(
  'AutoAllocationFailure',
  409,
  (reason: string) => `Deployment error: ${reason}.`,
);
