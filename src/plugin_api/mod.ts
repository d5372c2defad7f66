/**
 * What a plugin from elsewhere builds on: `import { ... } from 'nucleon/plugin'`. Only what stands here is kept stable for
 * plugins outside this repository; docs/adding_a_plugin.md walks through one. The declarations of shared tables, for the
 * plugin's own schema, are in `tables.ts`: they load drizzle, which no serving process needs.
 */
export {
  apiTime,
  insertRows,
  listRows,
  quotedJson,
  refuseWhileUsed,
  reviseRow,
  type Scope,
  showRow,
  showRows,
  standardAttributes,
  type TableSql,
  violatedConstraint,
} from '#src/db/mod.ts';
export {
  ATTR_NOT_SPECIFIED,
  type AttributeMap,
  type AttributeSpec,
  type Converter,
  type Json,
  type JsonObject,
  type Validator,
} from '#src/lib/api/attributes.ts';
export type {
  ActionDefinition,
  ExtensionDefinition,
  Operation,
  ResourceDefinition,
} from '#src/lib/api/definition.ts';
export type { Filter, ListQuery, Sort, TextForm } from '#src/lib/api/query.ts';
export { listOf, objectOf, orNull, type Schema } from '#src/lib/api/schema.ts';
export type { Callback, CallbackEvent, CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
export type { Clock } from '#src/lib/clock.ts';
export type { Config, OptionSpec } from '#src/lib/config.ts';
export { adminContext, type Context, elevated } from '#src/lib/context.ts';
export type { Database, Queryable, Sql, Transaction } from '#src/lib/database.ts';
export * from '#src/lib/errors.ts';
export { type Id, isUuid, type NetworkId, newId, type PortId, type ProjectId, type SubnetId } from '#src/lib/ids.ts';
export type { Stoppable } from '#src/lib/lifetime.ts';
export type { Logger } from '#src/lib/log.ts';
export type { Metrics } from '#src/lib/metrics.ts';
export type {
  Call,
  Plugin,
  PluginDirectory,
  PluginHost,
  PluginModule,
  RbacObjectType,
  Resource,
  ResourceList,
  Verb,
} from '#src/lib/plugin.ts';
export { WrittenItem } from '#src/lib/plugin.ts';
export type { PolicyDefault } from '#src/lib/policy.ts';
export type { Quota, QuotaResource } from '#src/lib/quota.ts';
export type {
  Audience,
  MessageReader,
  Notification,
  ObjectPage,
  Outbox,
  PresenceHandler,
  Recipients,
  RpcCall,
  RpcEndpoint,
  RpcListener,
  RpcMethod,
  VersionedObjectType,
} from '#src/lib/rpc.ts';
export type { PluginWorker } from '#src/lib/worker.ts';
export {
  ADMIN,
  ADMIN_OR_NETWORK_OWNER_MEMBER,
  ADMIN_OR_NETWORK_OWNER_READER,
  ADMIN_OR_PROJECT_MEMBER,
  ADMIN_OR_PROJECT_READER,
  ADMIN_OR_SERVICE,
  NETWORK_OWNER_MEMBER,
  NETWORK_OWNER_READER,
  type PolicyTable,
  PROJECT_MEMBER,
  PROJECT_READER,
  projectPolicies,
  SERVICE,
} from '#src/policy/mod.ts';
