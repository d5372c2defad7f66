/**
 * A reports worker's process: agents' state reports and their presence, and nothing else, so that load there never delays
 * RPC, nor RPC a report.
 */
import { watchPresence } from '#src/rpc/mod.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { serveRpc } from './rpc.ts';

export function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  return serveRpc(
    environment,
    'reports',
    (plugin) => plugin.stateReportListeners?.() ?? [],
    (broker, plugins) =>
      watchPresence({
        ...broker,
        handlers: plugins.flatMap((plugin) => plugin.presence?.() ?? []),
        log: environment.log,
      }),
  );
}
