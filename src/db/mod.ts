/**
 * PostgreSQL: the pool and its transactions, migrations, and the list statement. Schemas import `columns.ts` and the tables of
 * `schema/` beside this face: those load drizzle, which no serving process needs.
 */
export { AGENTS_FROM, agentTable, aliveSql } from './agents.ts';
export { joinExtensions, type ResourceExtensions } from './attribute_extensions.ts';
export {
  type DatabaseOptions,
  errorDetail,
  openDatabase,
  retryingDatabase,
  sqlState,
  violatedConstraint,
} from './database.ts';
export {
  type AttributeSql,
  anyOf,
  listRows,
  type Scope,
  type SqlType,
  showItem,
  showRow,
  showRows,
  substringPattern,
  type TableSql,
} from './list.ts';
export {
  type Migration,
  type MigrationSet,
  type MigrationState,
  migrate,
  migrationState,
  readMigrations,
} from './migrate.ts';
export {
  audienceOf,
  hostsById,
  nestedObject,
  nestedObjects,
  type ObjectData,
  objectData,
  objectType,
  standardFields,
} from './object_type.ts';
export { isPreparable } from './preparable.ts';
export { refuseWhileUsed, type TakenBack } from './shares.ts';
export { apiTime, Parameters, quotedJson } from './sql_text.ts';
export { standardAttributes } from './standard_attributes.ts';
export { bumpRevisions, type ColumnTypes, insertRows, lockRow, reviseRow } from './write.ts';
