/**
 * A periodic worker's process: the background work that plugins add. Those that want processes of their own are named to
 * the supervisor, which starts one for each; the rest share one process.
 */
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { workerPlugins } from './plugins.ts';

export async function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  const { plugins, life } = await workerPlugins(environment, 'periodic worker');
  const workers = plugins.flatMap((plugin) => plugin.workers?.() ?? []);
  const own = environment.pluginWorker;
  const mine = workers.filter(({ name, processes }) => (own === undefined ? processes === 0 : name === own));
  for (const worker of mine) {
    life.add(await worker.start());
    environment.log.info('periodic work begins', { worker: worker.name });
  }
  const ownProcesses = workers
    .filter(({ processes }) => own === undefined && processes > 0)
    .map(({ name, processes }) => ({ name, processes }));
  return { stop: () => life.stop(), ownProcesses };
}
