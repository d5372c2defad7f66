/**
 * Publishes a batch in its order, with so many messages and bytes under way at once and no more: a row may be for thousands of
 * hosts. A row is done when the broker has acknowledged all its messages, and no row of its key before it has failed: what was
 * refused is sent again, and then what comes behind it must be, so that the last word stays the last.
 */
import type { OutboxMessage, OutboxRow, RenderedRow } from './row.ts';

export interface SenderOptions {
  readonly publish: (message: OutboxMessage) => Promise<void>;
  /** Messages under way at most (2000). */
  readonly messages?: number;
  /** Bytes of payloads under way at most, beside a single one that is larger (8 MiB). */
  readonly bytes?: number;
}

export interface Sent {
  /** Ids of the rows that are done. */
  readonly done: readonly string[];
  readonly errors: readonly unknown[];
}

export class Sender {
  readonly #publish: SenderOptions['publish'];
  readonly #room: { readonly messages: number; readonly bytes: number };
  #messages = 0;
  #bytes = 0;
  /** What `send` waits for, and how it is told that it is so. */
  #waiting: { readonly for: () => boolean; readonly end: () => void } | undefined;
  #over = false;

  constructor({ publish, messages = 2000, bytes = 8 * 1024 * 1024 }: SenderOptions) {
    this.#publish = publish;
    this.#room = { messages, bytes };
  }

  /** Ends what is under way, with what is done until then. */
  giveUp(): void {
    this.#over = true;
    this.#waiting?.end();
  }

  /** Sends the rows as they were rendered; one batch at a time. */
  async send(rows: readonly OutboxRow[], rendered: readonly RenderedRow[]): Promise<Sent> {
    const errors: unknown[] = [];
    const failed = new Set<string>();
    const left = new Map(rows.map(({ id }, index) => [id, rendered[index]!.hosts.length]));
    const one = async ({ id, key }: OutboxRow, message: OutboxMessage): Promise<void> => {
      try {
        await this.#publish(message);
        left.set(id, left.get(id)! - 1);
      } catch (error) {
        errors.push(error);
        failed.add(key);
      }
      this.#messages -= 1;
      this.#bytes -= message.payload.length;
      if (this.#waiting?.for() === true) this.#waiting.end();
    };

    for (const [index, row] of rows.entries()) {
      const { topic, payload, hosts } = rendered[index]!;
      for (const host of hosts) {
        if (!this.#hasRoom(payload.length)) await this.#until(() => this.#hasRoomAgain(payload.length));
        if (this.#over) break;
        if (failed.has(row.key)) continue;
        this.#messages += 1;
        this.#bytes += payload.length;
        void one(row, { host, topic, payload });
      }
    }
    await this.#until(() => this.#messages === 0);
    const blocked = new Set<string>();
    const done = rows.filter(({ id, key }) => {
      if (left.get(id)! > 0) blocked.add(key);
      return !blocked.has(key);
    });
    return { done: done.map(({ id }) => id), errors };
  }

  #hasRoom(bytes: number): boolean {
    return this.#messages === 0 || (this.#messages < this.#room.messages && this.#bytes + bytes <= this.#room.bytes);
  }

  /** Room for many: it is not filled one by one. */
  #hasRoomAgain(bytes: number): boolean {
    return this.#messages <= this.#room.messages / 2 && this.#hasRoom(bytes);
  }

  /** Resolves when it is so, or all is given up. */
  async #until(condition: () => boolean): Promise<void> {
    if (condition() || this.#over) return;
    await new Promise<void>((end) => {
      this.#waiting = { for: condition, end };
    });
    this.#waiting = undefined;
  }
}
