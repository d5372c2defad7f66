/**
 * The contract between the supervisor's worker process and what runs in it. A worker kind is one module,
 * `src/server/workers/<kind>.ts`, that exports `start`; the process loads only the module of its own kind, gives it an
 * environment, and says "ready" to the supervisor once `start` resolves. `stop()` drains: it resolves when what was in
 * flight has ended and nothing is held any more.
 *
 * Where services run embedded, their addresses are in the configuration (`[database] connection`, `[mqtt] url` and its
 * credentials) as if an operator had written them: a worker cannot tell the difference.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';

/** The kinds of worker process, by the name of their module. */
export type WorkerKind = 'api' | 'rpc' | 'reports' | 'relay' | 'periodic';

export interface WorkerEnvironment {
  readonly runtime: ServerRuntime;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** 0, 1, ... among the processes of its kind. */
  readonly index: number;
  /** Where API workers listen, all on one port (`shared: true`). */
  readonly listening: { readonly host: string; readonly port: number };
  /**
   * Periodic workers only: the plugin worker that has this process to itself. Undefined: this is the process that all
   * plugin workers with `processes: 0` share.
   */
  readonly pluginWorker?: string;
}

export interface RunningWorker extends Stoppable {
  /** Said by the shared periodic worker: the plugin workers that want processes of their own; the supervisor starts them. */
  readonly ownProcesses?: readonly { readonly name: string; readonly processes: number }[];
}

export interface WorkerModule {
  /** Rejects with an error that says what is wrong when it cannot work at all (a plugin or an extension is missing). */
  start(environment: WorkerEnvironment): Promise<RunningWorker>;
}
