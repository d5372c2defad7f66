/** The migrations of a server: Nucleon's own, then those of foreign plugins that keep tables. */
import { databaseUrl } from '#src/config/mod.ts';
import {
  type MigrationSet,
  type MigrationState,
  migrate,
  migrationState,
  openDatabase,
  readMigrations,
} from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Sql } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { Files } from '#src/lib/runtime.ts';
import { StartError } from './errors.ts';
import { type LoadedModule, loadForeignModules } from './registry.ts';

export interface MigrationOptions {
  readonly files: Files;
  readonly config: Config;
  readonly log: Logger;
}

const OWN = new URL('../../drizzle/', import.meta.url);

/** Reads them all, in the order of application. */
async function migrationSets(files: Files, modules: readonly LoadedModule[]): Promise<readonly MigrationSet[]> {
  const reader = {
    list: (url: URL) => files.list(decodeURIComponent(url.pathname)),
    read: (url: URL) => files.read(decodeURIComponent(url.pathname)),
  };
  const folders = modules.flatMap(({ module }) => module.migrations ?? []);
  return Promise.all(
    [{ name: 'nucleon', folder: OWN }, ...folders].map(({ name, folder }) => readMigrations(name, folder, reader)),
  );
}

async function withDatabase<Result>(
  { files, config, log }: MigrationOptions,
  work: (sql: Sql, sets: readonly MigrationSet[]) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(config);
  if (url === null) throw new StartError('[database] connection is unset: there is no database to migrate');
  const sets = await migrationSets(files, await loadForeignModules({ config }));
  const db = openDatabase({ url, applicationName: 'nucleon: migration', poolSize: 1, log, metrics: silentMetrics });
  try {
    return await work(db.sql, sets);
  } finally {
    await db.stop();
  }
}

/**
 * Applies what is missing and says what was applied. A database of a newer release is gone on with: a cluster is rolled one
 * server after the other, and a release only adds what the one before can live with.
 */
export function upgradeDatabase(options: MigrationOptions): Promise<readonly string[]> {
  return withDatabase(options, async (sql, sets) => {
    const newer = (await migrationState(sql, sets)).flatMap(({ set, unknown }) =>
      unknown.map((name) => `${set}/${name}`),
    );
    if (newer.length > 0) {
      options.log.warn('the database is of a newer release: going on, as long as that is the next one', { newer });
    }
    const applied = await migrate(sql, sets);
    if (applied.length > 0) options.log.info('the database was brought up to date', { applied });
    return applied;
  });
}

/** What is applied and what is not; changes nothing. */
export function databaseState(options: MigrationOptions): Promise<readonly MigrationState[]> {
  return withDatabase(options, migrationState);
}
