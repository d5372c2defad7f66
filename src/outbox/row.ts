/** A row of the outbox as the relay reads it, and what becomes of it. */
import type { Recipients } from '#src/lib/rpc.ts';

export interface OutboxRow {
  readonly id: string;
  readonly key: string;
  /**
   * Null: to every agent. Empty: see `recipients`. A relay of a release that does not know those refuses an empty host and
   * leaves the row where it is, where null would make it tell everybody.
   */
  readonly host: string | null;
  /** The topic of a message, or the name of a versioned object's type. */
  readonly topic: string;
  readonly payload: string;
  readonly recipients: readonly Recipients[] | null;
  readonly reads: Readonly<Record<string, { readonly reader: string; readonly id: string }>> | null;
  readonly object_id: string | null;
}

/** The `host` of rows whose recipients are found late. */
export const LATE = '';

/** Whether the row is the message: nothing is left to find. */
export function isDirect({ recipients, reads, object_id }: OutboxRow): boolean {
  return recipients === null && reads === null && object_id === null;
}

/** A row as it is sent: one payload to each of the hosts. */
export interface RenderedRow {
  readonly topic: string;
  readonly payload: string;
  /** Null stands for every agent; none: nobody is concerned. */
  readonly hosts: readonly (string | null)[];
}

/** A message as it is sent. */
export interface OutboxMessage {
  /** Null: to every agent. */
  readonly host: string | null;
  readonly topic: string;
  readonly payload: string;
}
