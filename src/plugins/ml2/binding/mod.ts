/**
 * Port binding (neutron.plugins.ml2.plugin, `_bind_port_if_needed`): mechanism drivers choose, for a port and the host it is to
 * be on, the segments and what is plugged in there.
 *
 *   a transaction makes or changes the port: it has a host and is not bound
 *   → read what drivers need, for all ports at once
 *   → ask the drivers, port by port, while nothing is locked
 *   → a transaction that locks the ports, sees that nothing has changed meanwhile, and writes what was chosen
 *
 * Whoever binds the port first wins: a second binder takes what it finds. Where the host or another input has changed
 * meanwhile, drivers are asked again. Nobody can choose a segment that is gone: the reference of its level decides.
 */
export { type Binder, type BinderHost, createBinder } from './binder.ts';
export { isBound, isDistributed, NOT_BOUND, needsBinding } from './bound.ts';
export type { BindingChoice, BindingFailure, Candidate } from './choice.ts';
export { portPlacement } from './placement.ts';
export { bindOnRevival } from './revival.ts';
export {
  type BindingInput,
  changeBinding,
  revisePorts,
  SEGMENT_GONE,
  type WrittenBinding,
  writeBindings,
} from './store.ts';
export { bindingSweep } from './sweep.ts';
