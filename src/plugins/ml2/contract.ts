/** What other plugins use of ML2: the type manager, which chooses and reserves segments from configuration and database alone. */
export { createTypeManager, type SegmentPlan, type TypeManager } from './managers/type.ts';
export { checkMtu } from './networks/mtu.ts';
