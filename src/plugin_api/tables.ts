/** Column sets and shared tables for the schema of a plugin from elsewhere: `import { ... } from 'nucleon/plugin/tables'`. */
export { hasId, hasProject, hasStandardAttributes } from '#src/db/columns.ts';
export { networkSegments, networks } from '#src/db/schema/networks.ts';
export { portBindings, ports } from '#src/db/schema/ports.ts';
export { rbacTable } from '#src/db/schema/rbac.ts';
export { subnets } from '#src/db/schema/subnets.ts';
