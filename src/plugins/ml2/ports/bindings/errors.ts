/** What is wrong with a binding of a port (neutron_lib.exceptions). */
import { defineError } from '#src/lib/errors.ts';

export const PortBindingNotFound = defineError(
  'PortBindingNotFound',
  404,
  (portId: string, host: string) => `Binding for port ${portId} for host ${host} could not be found.`,
);
export const PortBindingAlreadyExists = defineError(
  'PortBindingAlreadyExists',
  409,
  (portId: string, host: string) => `Binding for port ${portId} on host ${host} already exists.`,
);
export const PortBindingAlreadyActive = defineError(
  'PortBindingAlreadyActive',
  409,
  (portId: string, host: string) => `Binding for port ${portId} on host ${host} is already active.`,
);
export const PortBindingError = defineError(
  'PortBindingError',
  500,
  (portId: string, host: string) => `Binding for port ${portId} on host ${host} could not be created or updated.`,
);
