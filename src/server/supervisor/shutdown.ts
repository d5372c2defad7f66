/** How a supervisor is told to stop: by SIGTERM, SIGINT, or because a part that it cannot do without failed. */
import type { ServerProcesses } from '#src/lib/runtime.ts';

export interface Shutdown {
  /** Resolves with the signal that asked for it; rejects when `fail` was called. */
  readonly requested: Promise<string>;
  /** Resolves when it was asked for a second time. */
  readonly hurried: Promise<void>;
  readonly fail: (error: unknown) => void;
}

/** A terminal's Ctrl-C may come twice, from the terminal and through the wrapper: that is one request. */
const ECHO_MS = 1000;

export function createShutdown(processes: ServerProcesses): Shutdown {
  const requested = Promise.withResolvers<string>();
  const hurried = Promise.withResolvers<void>();
  requested.promise.catch(() => {});
  let first: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    processes.onSignal(signal, () => {
      first ??= performance.now();
      requested.resolve(signal);
      if (performance.now() - first > ECHO_MS) hurried.resolve();
    });
  }
  return { requested: requested.promise, hurried: hurried.promise, fail: requested.reject };
}
