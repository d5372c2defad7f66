/** The outbox relay's process: sends what transactions have left, over one connection to the broker. */
import { Lifetime } from '#src/lib/lifetime.ts';
import { startRelay } from '#src/outbox/mod.ts';
import { notificationPublisher } from '#src/rpc/mod.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { workerBroker } from './broker.ts';
import { workerDatabaseUrl } from './database.ts';

export async function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  const { config, log, metrics, clock } = environment;
  const life = new Lifetime();
  const stopping = new AbortController();
  life.onStop(() => stopping.abort());
  const { connection, topics } = await workerBroker(environment, 'relay', stopping.signal);
  life.add(connection);
  const publish = notificationPublisher(connection, topics);
  life.add(await startRelay({ url: workerDatabaseUrl(config), publish, log, metrics, clock }));
  return life;
}
