/** The outbox relay's process: sends what transactions have left, over one connection to the broker. */
import type { Plugin } from '#src/lib/plugin.ts';
import { type MessageSources, startRelay } from '#src/outbox/mod.ts';
import { notificationPublisher } from '#src/rpc/mod.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { workerBroker } from './broker.ts';
import { workerDatabaseUrl } from './database.ts';
import { workerPlugins } from './plugins.ts';

export async function start(environment: WorkerEnvironment): Promise<RunningWorker> {
  const { config, log, metrics, clock } = environment;
  const { life, plugins } = await workerPlugins(environment, 'outbox relay');
  const stopping = new AbortController();
  life.onStop(() => stopping.abort());
  const { connection, topics } = await workerBroker(environment, 'relay', stopping.signal);
  life.add(connection);
  const publish = notificationPublisher(connection, topics);
  life.add(
    await startRelay({ url: workerDatabaseUrl(config), publish, sources: sourcesOf(plugins), log, metrics, clock }),
  );
  return life;
}

/** What the plugins together know of whom messages are for and what they carry. */
export function sourcesOf(plugins: readonly Plugin[]): MessageSources {
  return {
    audiences: new Map(plugins.flatMap(({ audiences = {} }) => Object.entries(audiences))),
    readers: new Map(plugins.flatMap(({ readers = {} }) => Object.entries(readers))),
    objects: new Map(plugins.flatMap(({ objects = [] }) => objects.map((type) => [type.name, type] as const))),
  };
}
