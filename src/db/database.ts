/**
 * The pool that a process has, and the one way to write: `transaction`. Statements are prepared once per connection;
 * a transaction that PostgreSQL refuses for concurrency's sake is run again.
 *
 * Isolation is READ COMMITTED: what must be unique is guarded by constraints and what must not change by row locks, so
 * serialisation failures come only from deadlocks and from operators who configure a stricter default.
 */
import postgres from 'postgres';
import type { Database, Sql, Transaction } from '#src/lib/database.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';

export interface DatabaseOptions {
  /** `postgresql://user:password@host:port/name` */
  readonly url: string;
  /** Shown in pg_stat_activity: `nucleon: api worker`. */
  readonly applicationName: string;
  /** Connections at most. */
  readonly poolSize: number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Tries of one transaction in all, before its error goes to the caller. */
const TRIES = 6;
const RETRIED: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** The SQLSTATE of an error from PostgreSQL, if it is one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}

/** The constraint that an error from PostgreSQL names, if any: what stores turn into Neutron's errors. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.constraint_name : undefined;
}

/** Opens the pool; connections are made when they are first needed. */
export function openDatabase(options: DatabaseOptions): Database & Stoppable {
  const statements = options.metrics.counter('nucleon_sql_statements_total', 'SQL statements sent');
  const sql: Sql = postgres(options.url, {
    max: options.poolSize,
    idle_timeout: 300,
    connect_timeout: 10,
    connection: { application_name: options.applicationName },
    onnotice: (notice) => options.log.debug('PostgreSQL notice', { notice: notice['message'] }),
    debug: () => statements.add(),
  });
  return { ...retryingDatabase(sql, options), stop: () => sql.end({ timeout: 5 }) };
}

/** A Database over any client of postgres.js. */
export function retryingDatabase(sql: Sql, options: Pick<DatabaseOptions, 'log' | 'metrics'>): Database {
  const retries = options.metrics.counter('nucleon_transaction_retries_total', 'Transactions run again', ['label']);
  return {
    sql,
    async transaction<Result>(
      { label }: { readonly label: string },
      work: (tx: Transaction) => Promise<Result>,
    ): Promise<Result> {
      for (let attempt = 1; ; attempt++) {
        try {
          // postgres.js types the answer as unwrapped promises; `work` gives none inside.
          return (await sql.begin((tx) => work(tx as Transaction))) as Result;
        } catch (error) {
          if (attempt === TRIES || !RETRIED.has(sqlState(error))) throw error;
          retries.add({ label });
          options.log.debug('transaction runs again', { label, attempt, sqlstate: sqlState(error) });
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** attempt * 5));
        }
      }
    },
  };
}
