/**
 * The pool that a process has, and the one way to write: `transaction`. Statements are prepared once per connection;
 * a transaction that PostgreSQL refuses for concurrency's sake is run again.
 *
 * Isolation is READ COMMITTED: what must be unique is guarded by constraints and what must not change by row locks, so
 * serialisation failures come only from deadlocks and from operators who configure a stricter default.
 */
import postgres from 'postgres';
import type { Database, Sql, Work } from '#src/lib/database.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { watched } from './statements.ts';
import { runTransaction } from './transaction.ts';

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
/** What is under way when the pool is stopped has so long to end. */
const END_SECONDS = 5;
const RETRIED: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/**
 * A plan is made once for each connection and text, maybe while a table is empty: then reading the whole of it looks cheapest, and
 * would stay the plan while the table grows. So an index is used wherever there is one. Compiling a plan (`jit`) takes a hundred
 * times as long as any statement here, and is chosen by estimates that are far off for rows that come as JSON.
 */
const PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' } as const;

/** The SQLSTATE of an error from PostgreSQL, if it is one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}

/** The constraint that an error from PostgreSQL names, if any: what stores turn into Neutron's errors. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.constraint_name : undefined;
}

/** What an error from PostgreSQL says beside its message, if anything. */
export function errorDetail(error: unknown): string {
  return error instanceof postgres.PostgresError ? (error.detail ?? '') : '';
}

/** Opens the pool; connections are made when they are first needed. */
export function openDatabase(options: DatabaseOptions): Database & Stoppable {
  const statements = options.metrics.counter('nucleon_sql_statements_total', 'SQL statements sent');
  const pool = postgres(options.url, {
    max: options.poolSize,
    idle_timeout: 300,
    connect_timeout: 10,
    // Statements that come meanwhile wait for it: the 20 seconds of postgres.js would keep requests as long as that.
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 0.5) * (0.5 + Math.random() / 2),
    connection: { application_name: options.applicationName, ...PLANS },
    onnotice: (notice) => options.log.debug('PostgreSQL notice', { notice: notice['message'] }),
  });
  const database = retryingDatabase(
    watched(pool, (statement, send) => {
      statements.add();
      send(statement);
    }),
    options,
  );
  const running = new Set<Promise<unknown>>();
  return {
    sql: database.sql,
    transaction(how, work) {
      const run = database.transaction(how, work);
      running.add(run);
      run.catch(() => {}).finally(() => running.delete(run));
      return run;
    },
    async stop() {
      // The pool would wait for a connection that is reserved now even after it comes back.
      await withinSeconds(END_SECONDS, Promise.allSettled(running));
      await pool.end({ timeout: END_SECONDS });
    },
  };
}

/** Waits for the promise, but no longer than that. */
async function withinSeconds(seconds: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** A Database over any client of postgres.js. */
export function retryingDatabase(sql: Sql, options: Pick<DatabaseOptions, 'log' | 'metrics'>): Database {
  const retries = options.metrics.counter('nucleon_transaction_retries_total', 'Transactions run again', ['label']);
  return {
    sql,
    async transaction<Result>({ label }: { readonly label: string }, work: Work<Result>): Promise<Result> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(sql, work);
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
