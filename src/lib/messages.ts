/** What callbacks of one transaction have to say to agents: put into the outbox together, at its end. */
import type { Context } from './context.ts';
import type { Transaction } from './database.ts';
import type { Notification, Outbox } from './rpc.ts';

export class Messages {
  readonly #notifications: Notification[] = [];

  readonly notify = (...notifications: readonly Notification[]): void => {
    this.#notifications.push(...notifications);
  };

  /** Goes out with what is sent next; a failure is the transaction's. */
  send(outbox: Outbox, tx: Transaction, context: Context): void {
    if (this.#notifications.length > 0) outbox.add(tx, context, this.#notifications).catch(() => {});
  }
}
