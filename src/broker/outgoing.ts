/**
 * What a connection is still to be sent: gathered while the packets of one read are handled, then handed to the kernel in
 * one piece.
 */
import type { Connection } from '#src/lib/runtime.ts';

export class Outgoing {
  readonly #connection: Connection;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Bytes written and not yet taken by the kernel. */
  get backlog(): number {
    return this.#bytes + this.#connection.buffered;
  }

  write(bytes: Uint8Array): void {
    if (this.#parts.length === 0) queueMicrotask(() => this.flush());
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
  }

  flush(): void {
    const [first, ...more] = this.#parts;
    if (first === undefined) return;
    const bytes = more.length === 0 ? first : join(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    this.#connection.write(bytes);
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
