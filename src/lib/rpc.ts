/**
 * RPC as plugins see it: endpoints they serve, and messages they leave in the outbox. Method names, versions, namespaces
 * and topics are Neutron's; `src/rpc` carries them over MQTT 5, `src/outbox` keeps what a transaction has to say.
 */

import type { Json, JsonObject } from './api/attributes.ts';
import type { Context } from './context.ts';
import type { Queryable, Transaction } from './database.ts';

/** The envelope of a call or cast. */
export interface RpcMessage {
  readonly method: string;
  readonly args: JsonObject;
  /** `1.4`; the endpoint must have the same major and at least this minor. */
  readonly version: string;
  readonly namespace?: string;
  readonly context: JsonObject;
}

/** The answer to a call. */
export type RpcAnswer =
  | { readonly result: Json }
  | { readonly failure: { readonly type: string; readonly message: string } };

/** Who calls: the host is the topic's, not the message's. */
export interface RpcCall {
  readonly context: Context;
  readonly host: string;
}

export type RpcMethod = (call: RpcCall, args: JsonObject) => Promise<Json>;

/** A set of methods under one namespace and version (oslo.messaging's Target). */
export interface RpcEndpoint {
  readonly namespace?: string;
  readonly version: string;
  readonly methods: Readonly<Record<string, RpcMethod>>;
}

/** The endpoints that answer on one topic (`q-plugin`). */
export interface RpcListener {
  readonly topic: string;
  readonly endpoints: readonly RpcEndpoint[];
}

/** Hosts that are concerned with objects, by the object's id; asked when a message is sent, not in the transaction. */
export type Audience = (sql: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;

/** Reads resources that messages carry, by id, when the message is sent; what is gone is missing from the answer. */
export type MessageReader = (sql: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, Json>>;

/** Who is told. An audience is a name in `Plugin.audiences`; the hosts it has when the message is sent are told. */
export type Recipients =
  /** All agents: only what carries no tenant's data. */
  | 'fanout'
  | { readonly host: string }
  | { readonly hosts: readonly string[] }
  | { readonly audience: string; readonly of: readonly string[] };

/** A message of Neutron's to agents. */
export interface MessageNotification {
  /** Several are united: each host is told once. */
  readonly to: Recipients | readonly Recipients[];
  /** Neutron's topic: `q-agent-notifier-port-update`, `dhcp_agent`. */
  readonly topic: string;
  readonly method: string;
  readonly args: JsonObject;
  readonly version: string;
  readonly namespace?: string;
  /** Messages with one key are sent in the order of their commits: `port:<id>`. */
  readonly key: string;
  /**
   * What is read when the message is sent and put into `args`, by path: `{'payload.port': {reader: 'port', id}}`. A
   * reader is a name in `Plugin.readers`. If one of them is gone by then the message is dropped: its deletion is told next.
   */
  readonly reads?: Readonly<Record<string, { readonly reader: string; readonly id: string }>>;
}

/**
 * A versioned object has changed: its newest state is read when this is sent, and pushed to the hosts that its type says are
 * concerned. One that is gone is pushed as deleted, with nothing but its id.
 */
export interface ObjectNotification {
  /** `Port`: the name of a type in `Plugin.objects`. */
  readonly object: string;
  readonly id: string;
  readonly key: string;
  /** Who is told beside those that are concerned with it now: who was concerned before. */
  readonly also?: readonly Exclude<Recipients, 'fanout'>[];
}

/** What is told to agents once the transaction has committed. */
export type Notification = MessageNotification | ObjectNotification;

/** A versioned object's type, as `versionedobjects` of Neutron: what is pushed, pulled and compared after an absence. */
export interface VersionedObjectType {
  /** `Port` */
  readonly name: string;
  /** `1.11` */
  readonly version: string;
  /** The objects' `versioned_object.data` by id. */
  readonly read: (sql: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, JsonObject>>;
  /**
   * The objects that a host is concerned with and whose fields have these values, in the order of ids, from after one on.
   * Throws InvalidInput for fields that it cannot be asked by.
   */
  find(sql: Queryable, host: string, filters: JsonObject, page: ObjectPage): Promise<readonly ObjectRevision[]>;
  /** The hosts that are concerned with objects now: whom a change is pushed to. */
  readonly audience: Audience;
}

export interface ObjectPage {
  /** Ids greater than this. */
  readonly after?: string;
  /** And not greater than this. */
  readonly until?: string;
  readonly limit: number;
}

export interface ObjectRevision {
  readonly id: string;
  readonly revision_number: number;
}

/** Where a transaction leaves its notifications; they go out after the commit, at least once. */
export interface Outbox {
  add(tx: Transaction, context: Context, notifications: readonly Notification[]): Promise<void>;
}

/** What is heard of an agent's process: its retained birth, or the will that the broker publishes when it is gone. */
export interface Presence {
  readonly host: string;
  /** `neutron-openvswitch-agent` */
  readonly binary: string;
  /** Grows with each connection of the process: what carries an older one is old news. */
  readonly epoch: number;
  readonly alive: boolean;
}

/** Told of every birth and will, more than once and on several workers. */
export type PresenceHandler = (presence: Presence) => Promise<void>;
