/**
 * The database as plugins see it: postgres.js' tagged templates (prepared once per connection and text) and one way to
 * write: `transaction`. `src/db` implements it for servers, `src/runtime/workerd` for isolates, where connections
 * belong to a request.
 */
import type { Sql as PostgresSql, TransactionSql } from 'postgres';

/** What parameters of the tagged templates may be beside postgres.js' own: nothing. */
export type Sql = PostgresSql<Record<string, never>>;
/** The connection that a transaction has; everything that belongs to it goes through here. */
export type Transaction = TransactionSql<Record<string, never>>;
/** Either: a query that may run inside or outside a transaction. */
export type Queryable = Sql | Transaction;

export interface TransactionOptions {
  /** For the retry metric and the log: `create_port`. */
  readonly label: string;
}

export interface Database {
  /** For single statements. */
  readonly sql: Sql;
  /**
   * Runs `work` in one transaction (READ COMMITTED). A serialisation failure (40001) or deadlock (40P01) rolls back and
   * runs it again, a bounded number of times with jitter: `work` has no effect outside the transaction.
   */
  transaction<Result>(options: TransactionOptions, work: (tx: Transaction) => Promise<Result>): Promise<Result>;
}
