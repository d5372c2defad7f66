/** Quotas as plugins see them; `src/quota` holds the engine and its tables. */
import type { Context } from './context.ts';
import type { Transaction } from './database.ts';

/** A countable resource: option `[quotas] quota_<name>` gives its default limit. */
export interface QuotaResource {
  /** `port` */
  readonly name: string;
  /** The limit where nothing is configured; -1 is unlimited. */
  readonly default_limit: number;
  /** The table whose rows count, each with `project_id`: the truth that usage is rebuilt from. */
  readonly table: string;
}

export interface Quota {
  /** Throws OverQuota when the project plainly has no room; a hint before work starts, takes no lock. */
  check(context: Context, project_id: string, deltas: Readonly<Record<string, number>>): Promise<void>;
  /**
   * Counts creations (positive) and deletions (negative) in the transaction that makes them; throws OverQuota when the
   * limit would be exceeded. The arbiter: call it last, its row lock is held until the commit.
   */
  charge(tx: Transaction, project_id: string, deltas: Readonly<Record<string, number>>): Promise<void>;
}
