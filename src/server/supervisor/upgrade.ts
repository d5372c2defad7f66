/** The database's upgrade when a server starts: waits for a database that does not answer yet. */
import { messageOf, StartError, systemCode } from '../errors.ts';
import { type MigrationOptions, upgradeDatabase } from '../migrations.ts';

/** System codes, postgres.js' own and SQLSTATEs (starting up, too many clients) that say "not yet" rather than "never". */
const NOT_YET: ReadonlySet<string | undefined> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P03', '53300'],
]);

const FIRST_WAIT_MS = 250;

export interface UpgradeOptions extends MigrationOptions {
  /** Gives up waiting. */
  readonly signal: AbortSignal;
}

/** Upgrades; tries again as often as `[database] max_retries` says, quickly at first, then every `retry_interval`. */
export async function upgradeWhenItAnswers(options: UpgradeOptions): Promise<void> {
  const { config, log, signal } = options;
  const retries = config.integer('database', 'max_retries');
  const longest = config.integer('database', 'retry_interval') * 1000;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await upgradeDatabase(options);
      return;
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (!NOT_YET.has(systemCode(error)) || (retries >= 0 && attempt >= retries)) {
        throw new StartError(`the database cannot be brought up to date: ${messageOf(error)}`, { cause: error });
      }
      if (signal.aborted) throw error;
      const delay = Math.min(longest, FIRST_WAIT_MS * 2 ** Math.min(attempt, 16));
      log.warn('the database does not answer yet', { reason: messageOf(error), again_ms: delay });
      await pause(delay, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
