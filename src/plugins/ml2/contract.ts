/**
 * What other plugins use of ML2: the type manager, which chooses and reserves segments from configuration and database alone, and
 * the ports that agents' devices are.
 */
export { createTypeManager, type SegmentPlan, type TypeManager } from './managers/type.ts';
export { checkMtu } from './networks/mtu.ts';
export { type BoundPort, findBoundPorts } from './rpc/device_store.ts';
