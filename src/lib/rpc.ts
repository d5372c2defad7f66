/**
 * RPC as plugins see it: endpoints they serve, and messages they leave in the outbox. Method names, versions, namespaces
 * and topics are Neutron's; `src/rpc` carries them over MQTT 5, `src/outbox` keeps what a transaction has to say.
 */

import type { Json, JsonObject } from './api/attributes.ts';
import type { Context } from './context.ts';
import type { Transaction } from './database.ts';

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

/** What is told to agents once the transaction has committed. */
export interface Notification {
  /** To one host, or to all (`fanout`: only what carries no tenant's data). */
  readonly to: { readonly host: string } | 'fanout';
  /** Neutron's topic: `q-agent-notifier-port-update`, `dhcp_agent`. */
  readonly topic: string;
  readonly method: string;
  readonly args: JsonObject;
  readonly version: string;
  readonly namespace?: string;
  /** Messages with one key are sent in the order of their commits: `port:<id>`. */
  readonly key: string;
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
