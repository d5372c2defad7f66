/**
 * The database as plugins see it: postgres.js' tagged templates (prepared once per connection and text) and one way to
 * write: `transaction`. `src/db` implements it for servers, `src/runtime/workerd` for isolates, where connections
 * belong to a request.
 */
import type { PendingQuery, Sql as PostgresSql, Row, TransactionSql } from 'postgres';

/** What parameters of the tagged templates may be beside postgres.js' own: nothing. */
export type Sql = PostgresSql<Record<string, never>>;
/** The connection that a transaction has; everything that belongs to it goes through here. */
export type Transaction = TransactionSql<Record<string, never>>;
/** A statement that is not sent yet. */
export type Statement = PendingQuery<Row[]>;
/** Either: a query that may run inside or outside a transaction. */
export type Queryable = Sql | Transaction;

export interface TransactionOptions {
  /** For the retry metric and the log: `create_port`. */
  readonly label: string;
}

/**
 * Sends a statement whose answer the work has no use for: COMMIT follows without waiting for it. If it fails, nothing is
 * committed, and what `refusal` makes of its error is thrown. Statements that must hold locks for the shortest time go here.
 */
export type Last = (statement: Statement, refusal?: (error: unknown) => unknown) => void;

/** What a transaction does; statements of it that are sent before it first waits go out together, BEGIN with them. */
export type Work<Result> = (tx: Transaction, last: Last) => Promise<Result>;

export interface Database {
  /** For single statements. */
  readonly sql: Sql;
  /**
   * Runs `work` in one transaction (READ COMMITTED). A serialisation failure (40001) or deadlock (40P01) rolls back and
   * runs it again, a bounded number of times with jitter: `work` has no effect outside the transaction. A statement that
   * fails ends the transaction, even if the work goes on; there are no savepoints.
   */
  transaction<Result>(options: TransactionOptions, work: Work<Result>): Promise<Result>;
}
