/** A worker's database, from its configuration. */
import { databaseUrl } from '#src/config/mod.ts';
import { openDatabase } from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { WorkerEnvironment } from '../worker_contract.ts';

/** `[database] connection`; throws where it is unset (the supervisor sets it for the embedded PostgreSQL). */
export function workerDatabaseUrl(config: Config): string {
  const url = databaseUrl(config);
  if (url === null) throw new Error('[database] connection is unset: name a PostgreSQL database (postgresql://...)');
  return url;
}

/** Opens the pool; `name` shows in pg_stat_activity. */
export function workerDatabase(environment: WorkerEnvironment, name: string): Database & Stoppable {
  const { config, log, metrics } = environment;
  return openDatabase({
    url: workerDatabaseUrl(config),
    applicationName: `nucleon: ${name}`,
    poolSize: config.integer('database', 'max_pool_size'),
    log,
    metrics,
  });
}
