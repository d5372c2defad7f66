/**
 * The callback registry's contract (neutron_lib.callbacks): plugins tell each other of a resource's life without knowing
 * each other. `src/callbacks` implements it.
 *
 *   before_*     outside the transaction; an error aborts the operation
 *   precommit_*  inside it, with `tx`; an error rolls back
 *   after_*      after the commit; an error is logged, the operation stands
 */
import type { Context } from './context.ts';
import type { Transaction } from './database.ts';
import type { Verb } from './plugin.ts';
import type { Notification } from './rpc.ts';

export type CallbackOperation = 'create' | 'update' | 'delete';
export type CallbackEvent = `${'before' | 'precommit' | 'after'}_${CallbackOperation}`;

export interface CallbackPayload<Resource = unknown> {
  readonly context: Context;
  readonly resource_id: string;
  /** What it was (update, delete). */
  readonly original?: Resource;
  /** What it is (create, update). */
  readonly latest?: Resource;
  /** What the caller asked for. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** What else there is to know of the event: of a router's interface its port and subnets. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Only for precommit events. */
  readonly tx?: Transaction;
  /** Precommit events of networks, subnets, ports, segments, routers and floating IPs: leaves messages, which go into the outbox together. */
  readonly notify?: (...notifications: readonly Notification[]) => void;
  /** Precommit events of routers, their interfaces and gateways: the core plugin's verbs, as part of the transaction (`Plugin.together`). */
  readonly verbs?: Readonly<Record<string, Verb>>;
}

export type Callback<Resource = unknown> = (payload: CallbackPayload<Resource>) => Promise<void> | void;

export interface CallbackRegistry {
  /** Lower priority runs first (default 0). Returns the unsubscription. */
  subscribe(resource: string, event: CallbackEvent, callback: Callback, priority?: number): () => void;
  publish(resource: string, event: CallbackEvent, payload: CallbackPayload): Promise<void>;
  /** Whether there are subscribers: what is for them alone need not be read. */
  listens(resource: string, event: CallbackEvent): boolean;
}
