/** What the attributes of a port say of its binding. */
import type { Resource } from '#src/lib/plugin.ts';
import { DISTRIBUTED } from '../owners.ts';

/** Bindings under which nothing has been plugged yet. */
export const NOT_BOUND: ReadonlySet<unknown> = new Set(['unbound', 'binding_failed']);

/** Whether something is plugged in as the port. */
export const isBound = (port: Resource): boolean => !NOT_BOUND.has(port['binding:vif_type']);

/** Whether it is bound to no host, but has replicas on those of its router. */
export const isDistributed = (port: Resource): boolean => port['device_owner'] === DISTRIBUTED;

/** Whether drivers are to be asked: the port has a host, and no binding there yet. */
export const needsBinding = (port: Resource): boolean => (port['binding:host_id'] ?? '') !== '' && !isBound(port);
