/** An RPC worker's process: answers agents on every topic that plugins listen on, but for their state reports. */
import type { Plugin } from '#src/lib/plugin.ts';
import type { RpcListener } from '#src/lib/rpc.ts';
import { startRpcServer } from '#src/rpc/mod.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { workerBroker } from './broker.ts';
import { workerPlugins } from './plugins.ts';

export function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  return serveRpc(environment, 'rpc', (plugin) => plugin.rpcListeners?.() ?? []);
}

/** Serves some of the plugins' listeners; what else the worker does with the connection comes from `also`. */
export async function serveRpc(
  environment: WorkerEnvironment,
  name: string,
  listenersOf: (plugin: Plugin) => readonly RpcListener[],
  also?: (
    broker: Awaited<ReturnType<typeof workerBroker>>,
    plugins: readonly Plugin[],
  ) => Promise<{ stop(): Promise<void> }>,
): Promise<RunningWorker> {
  const { log, metrics, clock } = environment;
  const { plugins, life } = await workerPlugins(environment, `${name} worker`);
  const stopping = new AbortController();
  life.onStop(() => stopping.abort());
  const broker = await workerBroker(environment, name, stopping.signal);
  life.add(broker.connection);
  life.add(await startRpcServer({ ...broker, listeners: plugins.flatMap(listenersOf), log, metrics, clock }));
  if (also !== undefined) life.add(await also(broker, plugins));
  return life;
}
