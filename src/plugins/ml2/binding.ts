/** What the attributes of a port say of its binding. */
import type { Resource } from '#src/lib/plugin.ts';

/** Bindings under which nothing has been plugged yet. */
const NOT_BOUND: ReadonlySet<unknown> = new Set(['unbound', 'binding_failed']);

/** Whether something is plugged in as the port. */
export const isBound = (port: Resource): boolean => !NOT_BOUND.has(port['binding:vif_type']);
