/** The supervisor's end of a worker process: begins it, tells it to start, to stop and to measure. */
import type { Json } from '#src/lib/api/attributes.ts';
import type { Logger } from '#src/lib/log.ts';
import type { HeldListener, ServerRuntime } from '#src/lib/runtime.ts';
import { type ProcessKind, TITLES } from './kinds.ts';
import { CannotWork, exitReason, type Launched } from './launched.ts';
import { type DownMessage, decode, encode, type StartMessage, type UpMessage } from './messages.ts';

export interface WorkerProcess extends Launched {
  /** Once it is ready: the plugin workers that want processes of their own. */
  readonly ownProcesses: readonly { readonly name: string; readonly processes: number }[];
  /** Resolves when its code is there, or when it has ended. */
  readonly loaded: Promise<void>;
  /** Its metrics, or undefined when it does not answer in time. */
  measure(timeoutMs: number): Promise<Json | undefined>;
}

export interface WorkerLaunchOptions {
  readonly processes: ServerRuntime['processes'];
  readonly kind: ProcessKind;
  /** What it is told; it loads its code while this is still being found out. */
  readonly start: StartMessage | Promise<StartMessage>;
  readonly env: Readonly<Record<string, string>>;
  /** Where it accepts connections, if that is held for it. */
  readonly listener?: HeldListener | undefined;
  readonly log: Logger;
  /** How long it may take from being told to start to being ready. */
  readonly readyMs: number;
}

/** Begins a worker process. */
export function launchWorker({
  processes,
  kind,
  start,
  env,
  listener,
  log,
  readyMs,
}: WorkerLaunchOptions): WorkerProcess {
  const title = TITLES[kind];
  const child = processes.spawnSelf(['worker', kind], { title, env, listener });
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const loaded = Promise.withResolvers<void>();
  const measuring = new Map<number, (snapshot: Json | undefined) => void>();
  let ownProcesses: WorkerProcess['ownProcesses'] = [];
  let measurements = 0;
  const tell = (message: DownMessage) => child.send(encode(message));

  function hear(line: string): void {
    const message = decode<UpMessage>(line);
    switch (message?.type) {
      case 'loaded':
        loaded.resolve();
        return;
      case 'ready':
        ownProcesses = message.ownProcesses;
        ready.resolve();
        return;
      case 'failed':
        ready.reject(new CannotWork(message.message));
        return;
      case 'metrics':
        measuring.get(message.number)?.(message.snapshot);
        measuring.delete(message.number);
        return;
      case undefined:
        log.info('a worker printed', { process: title, pid: child.pid, line });
        return;
      default:
        message satisfies never;
    }
  }
  async function follow(): Promise<void> {
    for await (const line of child.lines) hear(line);
    const exit = await child.exited;
    ready.reject(new Error(`${title} ended before it was ready (${exitReason(exit)})`));
    loaded.resolve();
    for (const answer of measuring.values()) answer(undefined);
  }
  async function begin(): Promise<void> {
    try {
      tell(await start);
    } catch (error) {
      ready.reject(error);
      return;
    }
    const late = () => ready.reject(new Error(`${title} was not ready after ${readyMs / 1000} s`));
    const timer = Number.isFinite(readyMs) ? setTimeout(late, readyMs) : undefined;
    await ready.promise.catch(() => {});
    clearTimeout(timer);
  }
  void follow();
  void begin();
  return {
    pid: child.pid,
    ready: ready.promise,
    loaded: loaded.promise,
    exited: child.exited,
    get ownProcesses() {
      return ownProcesses;
    },
    stop: () => {
      tell({ type: 'stop' });
    },
    kill: () => child.kill('SIGKILL'),
    measure(timeoutMs) {
      measurements += 1;
      const number = measurements;
      const { promise, resolve } = Promise.withResolvers<Json | undefined>();
      const timer = setTimeout(() => {
        measuring.delete(number);
        resolve(undefined);
      }, timeoutMs);
      measuring.set(number, (snapshot) => {
        clearTimeout(timer);
        resolve(snapshot);
      });
      if (!tell({ type: 'measure', number })) measuring.get(number)?.(undefined);
      return promise;
    },
  };
}
