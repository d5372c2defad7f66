/**
 * The worker's end: what a process started as `worker <kind>` does. It loads its code at once, waits to be told to start,
 * says when it is ready, and drains when it is told to stop, gets SIGTERM, or has lost its supervisor.
 */
import { systemClock } from '#src/lib/clock.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { isUnavailable } from '#src/lib/unavailable.ts';
import { createMetrics } from '#src/telemetry/mod.ts';
import { configurationOf } from '../configuration.ts';
import { EXIT, messageOf } from '../errors.ts';
import { processLogger } from '../log.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { type ProcessKind, TITLES, type WorkerModules } from './kinds.ts';
import { type DownMessage, decode, encode, type StartMessage, type UpMessage } from './messages.ts';

/** Lives until it is told to end, or its supervisor is gone; resolves with the exit code. */
export async function runWorker(runtime: ServerRuntime, kind: ProcessKind, modules: WorkerModules): Promise<number> {
  const { processes } = runtime;
  const title = TITLES[kind];
  processes.setTitle(title);
  // A terminal sends these to the whole group; it is the supervisor that acts on them.
  processes.onSignal('SIGINT', () => {});
  processes.onSignal('SIGHUP', () => {});
  const ended = Promise.withResolvers<void>();
  processes.onSignal('SIGTERM', ended.resolve);
  const tell = (message: UpMessage) => processes.print(encode(message));

  const loading = modules[kind]();
  loading.then(
    () => tell({ type: 'loaded' }),
    () => {},
  );
  const messages = messagesOf(processes.input);
  const first = await Promise.race([messages.next(), ended.promise]);
  if (first?.value?.type !== 'start') return EXIT.ok;
  const start: StartMessage = first.value;
  const config = await configurationOf(start.configuration);
  const log = processLogger(processes, config, title);
  const metrics = createMetrics({ process: true });
  // postgres.js asks for a new session's types on its own account: a session that is cut then fails nobody's statement.
  processes.onUnhandledRejection((error) => {
    if (!isUnavailable(error)) return false;
    log.warn('a session with a service was lost', { error });
    return true;
  });

  async function obey(): Promise<void> {
    for await (const message of messages) {
      if (message.type === 'stop') return;
      if (message.type === 'measure') {
        tell({ type: 'metrics', number: message.number, snapshot: await metrics.snapshot() });
      }
    }
    log.warn('the supervisor is gone: draining');
  }
  const over = Promise.race([obey(), ended.promise]);
  let worker: RunningWorker | undefined;
  try {
    const environment: WorkerEnvironment = {
      runtime,
      config,
      log,
      metrics,
      clock: systemClock,
      index: start.index,
      listening: start.listening,
      ...(start.pluginWorker === undefined ? {} : { pluginWorker: start.pluginWorker }),
    };
    worker = (await Promise.race([loading.then((module) => module.start(environment)), over])) ?? undefined;
  } catch (error) {
    log.debug('the worker cannot work', { error });
    tell({ type: 'failed', message: messageOf(error) });
    return EXIT.failure;
  }
  // Told to end while it still started: nothing is in flight yet.
  if (worker === undefined) return EXIT.ok;
  tell({ type: 'ready', ownProcesses: worker.ownProcesses ?? [] });
  await over;
  return drain(worker, config.integer('DEFAULT', 'graceful_shutdown_timeout') * 1000, (message, fields) =>
    log.warn(message, fields),
  );
}

async function drain(
  worker: RunningWorker,
  milliseconds: number,
  warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void,
): Promise<number> {
  const late = Promise.withResolvers<number>();
  const timer = milliseconds === 0 ? undefined : setTimeout(() => late.resolve(EXIT.failure), milliseconds);
  const stopped = worker.stop().then(
    () => EXIT.ok,
    (error: unknown) => {
      warn('the worker did not stop cleanly', { error });
      return EXIT.failure;
    },
  );
  const code = await Promise.race([stopped, late.promise]);
  clearTimeout(timer);
  return code;
}

async function* messagesOf(lines: AsyncIterable<string>): AsyncGenerator<DownMessage> {
  for await (const line of lines) {
    const message = decode<DownMessage>(line);
    if (message !== undefined) yield message;
  }
}
