/**
 * Workers that hold nothing but what the supervisor's tests look at: API workers answer with their pid, the shared periodic
 * worker asks for processes of its own.
 */

import type { WorkerModules } from '#src/server/supervisor/mod.ts';
import type { RunningWorker, WorkerEnvironment, WorkerModule } from '#src/server/worker_contract.ts';

const idle: WorkerModule = { start: async () => ({ stop: async () => {} }) };

async function startApi({ runtime, config, listening, metrics, log }: WorkerEnvironment): Promise<RunningWorker> {
  const requests = metrics.counter('test_requests_total', 'Requests', ['path']);
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/pid': () => new Response(String(runtime.processes.pid)),
    '/quota': () => new Response(String(config.integer('quotas', 'quota_network'))),
    '/slow': async () => {
      log.info('slow request began');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return new Response('slow but whole');
    },
  };
  if (config.string('DEFAULT', 'core_plugin') === 'broken') throw new Error('the core plugin is broken');
  return runtime.network.serveHttp({
    ...listening,
    shared: true,
    handler: (request) => {
      const { pathname } = new URL(request.url);
      requests.add({ path: pathname });
      return answers[pathname]?.() ?? new Response('unknown', { status: 404 });
    },
  });
}

async function startPeriodic({ pluginWorker }: WorkerEnvironment): Promise<RunningWorker> {
  const own = pluginWorker === undefined ? [{ name: 'upkeep', processes: 1 }] : [];
  return { stop: async () => {}, ownProcesses: own };
}

export const testWorkers: WorkerModules = {
  api: async () => ({ start: startApi }),
  rpc: async () => idle,
  reports: async () => idle,
  relay: async () => idle,
  periodic: async () => ({ start: startPeriodic }),
  broker: () => import('#src/server/embedded/broker.ts'),
};
