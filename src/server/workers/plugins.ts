/** A worker's plugins, from its configuration, with the database under them. */
import type { Database } from '#src/lib/database.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import { type Assembly, assemble } from '../assembly.ts';
import { loadModules } from '../registry.ts';
import type { WorkerEnvironment } from '../worker_contract.ts';
import { workerDatabase } from './database.ts';

export interface WorkerPlugins extends Assembly {
  readonly db: Database;
  readonly life: Lifetime;
}

/** Everything between the database and what the worker does with the plugins; `life` ends with the pool. */
export async function workerPlugins(environment: WorkerEnvironment, name: string): Promise<WorkerPlugins> {
  const { config, log, metrics, clock } = environment;
  const life = new Lifetime();
  const db = life.add(workerDatabase(environment, name));
  const modules = await loadModules({ config, log });
  return { ...(await assemble({ modules, config, db, log, metrics, clock })), db, life };
}
