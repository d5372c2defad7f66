/** An API worker's process: answers HTTP on the port that all of its kind share. It needs the database and no broker. */
import { startTracing } from '#src/telemetry/mod.ts';
import { prepareAdminAccount } from '../admin_account.ts';
import { createApi } from '../api_app.ts';
import { readPolicyFiles } from '../policy_files.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { workerPlugins } from './plugins.ts';

export async function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  const { runtime, config, log, metrics, clock, index, listening } = environment;
  const { life, db, ...assembly } = await workerPlugins(environment, 'api worker');
  const tracing = life.add(await startTracing(config));
  const endpoint = endpointOf(listening);
  const api = await createApi({
    assembly,
    config,
    db,
    log,
    metrics,
    clock,
    tracer: tracing.tracer,
    scrypt: runtime.scrypt,
    policyTexts: await readPolicyFiles(runtime.files, config),
    endpoint,
  });
  if (api.identity !== undefined && index === 0) {
    await prepareAdminAccount({ identity: api.identity, files: runtime.files, config, log, endpoint });
  }
  const http = await runtime.network.serveHttp({
    ...listening,
    shared: true,
    handler: (request, remote) => api.fetch(request, remote),
  });
  life.add(http);
  return life;
}

function endpointOf({ host, port }: WorkerEnvironment['listening']): URL {
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}
