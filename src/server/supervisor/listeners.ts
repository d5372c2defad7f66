/**
 * The sockets of the API workers, one for each place in the tree. A worker that is renewed leaves its socket to its
 * successor, with the connections that wait in it. One that dies leaves nobody to accept: its socket is closed with it,
 * so that the kernel gives new connections to the others, and the next one in its place gets a new socket.
 */
import type { HeldListener, ServerProcesses } from '#src/lib/runtime.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export class Listeners {
  readonly #processes: ServerProcesses;
  readonly #held = new Map<string, { readonly listener: HeldListener; users: number }>();

  constructor(processes: ServerProcesses) {
    this.#processes = processes;
  }

  /** Runs `launch` with the socket of this place; the socket is let go when what was launched has ended and nobody else has it. */
  use<Result extends { readonly exited: Promise<unknown> }>(
    index: number,
    { host, port }: Address,
    launch: (listener: HeldListener | undefined) => Result,
  ): Result {
    const key = `${index} ${host} ${port}`;
    const held = this.#held.get(key) ?? this.#hold(key, host, port);
    if (held === undefined) return launch(undefined);
    held.users += 1;
    const launched = launch(held.listener);
    void launched.exited.then(() => {
      held.users -= 1;
      if (held.users > 0) return;
      held.listener.close();
      this.#held.delete(key);
    });
    return launched;
  }

  #hold(key: string, host: string, port: number) {
    const listener = this.#processes.holdListener(host, port);
    if (listener === undefined) return undefined;
    const held = { listener, users: 0 };
    this.#held.set(key, held);
    return held;
  }
}
