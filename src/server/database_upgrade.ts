/** The database's state and its upgrade: what a server does when it starts, and `nucleon db`. */
import { databaseUrl } from '#src/config/mod.ts';
import { type MigrationState, migrate, migrationState, openDatabase } from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { Files } from '#src/lib/runtime.ts';
import { messageOf, StartError, systemCode } from './errors.ts';
import { migrationSets } from './migrations.ts';
import { loadModules } from './registry.ts';

export interface UpgradeOptions {
  readonly files: Files;
  readonly config: Config;
  readonly log: Logger;
}

/** Brings the database up to date; says what was applied. Waits for a database that does not answer yet. */
export async function upgradeDatabase(options: UpgradeOptions): Promise<readonly string[]> {
  const sets = await migrationSets(options.files, await loadModules(options));
  return withDatabase(options, async ({ sql }) => {
    await untilItAnswers(options, () => sql`select 1`);
    const applied = await migrate(sql, sets);
    if (applied.length > 0) options.log.info('the database was brought up to date', { applied });
    return applied;
  });
}

/** What is applied and what is not; changes nothing. */
export async function databaseState(options: UpgradeOptions): Promise<readonly MigrationState[]> {
  const sets = await migrationSets(options.files, await loadModules(options));
  return withDatabase(options, ({ sql }) => migrationState(sql, sets));
}

async function withDatabase<Result>(
  { config, log }: UpgradeOptions,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(config);
  if (url === null) throw new StartError('no database is named: set [database] connection');
  const options = { url, applicationName: 'nucleon: migrations', poolSize: 1, log, metrics: silentMetrics };
  const database = openDatabase(options);
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

/** System codes, postgres.js' own and SQLSTATEs (starting up, too many clients) that say "not yet" rather than "never". */
const NOT_YET: ReadonlySet<string | undefined> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P03', '53300'],
]);

/** Asks again as `[database] max_retries` and `retry_interval` say, quickly at first. */
async function untilItAnswers({ config, log }: UpgradeOptions, ask: () => Promise<unknown>): Promise<void> {
  const retries = config.integer('database', 'max_retries');
  const longest = config.integer('database', 'retry_interval') * 1000;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!NOT_YET.has(systemCode(error)) || (retries >= 0 && attempt >= retries)) {
        throw new StartError(`the database of [database] connection cannot be used: ${messageOf(error)}`, {
          cause: error,
        });
      }
      const delay = Math.min(longest, 250 * 2 ** Math.min(attempt, 16));
      log.warn('the database does not answer yet', { reason: messageOf(error), again_ms: delay });
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
