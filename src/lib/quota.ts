/** Quotas as plugins see them; `src/quota` holds the engine and its tables. */
import type { Context } from './context.ts';
import type { Last, Transaction } from './database.ts';

/** A countable resource: option `[quotas] quota_<name>` gives its default limit. */
export interface QuotaResource {
  /** `port` */
  readonly name: string;
  /** The limit where nothing is configured; -1 is unlimited. */
  readonly default_limit: number;
  /** The table whose rows count, each with `project_id`: the truth that usage is rebuilt from. */
  readonly table: string;
  /**
   * For rows that come and go with others, where nobody could count them down: counted anew at each question, over all of these
   * tables in place of `table`. Read when all plugins are there.
   */
  readonly tables?: readonly string[];
}

export interface Quota {
  /** Throws OverQuota when the project plainly has no room, as of a second ago; a hint before work starts, takes no lock. */
  check(context: Context, project_id: string, deltas: Readonly<Record<string, number>>): Promise<void>;
  /**
   * Counts creations (positive) and deletions (negative) in the transaction that makes them; throws OverQuota when the
   * limit would be exceeded. The arbiter: call it last, its row lock is held until the commit. With `last` of the transaction
   * it goes out with the COMMIT: then nothing else may follow.
   */
  charge(tx: Transaction, project_id: string, deltas: Readonly<Record<string, number>>, last?: Last): Promise<void>;
  /** Counts as `charge` does and refuses nothing: for objects that the server makes for itself. */
  count(tx: Transaction, project_id: string, deltas: Readonly<Record<string, number>>): Promise<void>;
}

/** Limits by resource name. */
export type Limits = Readonly<Record<string, number>>;

export interface QuotaDetail {
  readonly limit: number;
  readonly used: number;
  /** Reservations are a thing of another quota driver: always 0. */
  readonly reserved: number;
}

/** The engine, with what the quotas API reads and writes. */
export interface QuotaEngine extends Quota {
  /** Names of the counted resources, in the order of their declaration. */
  resourceNames(): readonly string[];
  defaults(): Limits;
  getQuota(project_id: string): Promise<Limits>;
  /** Projects that have limits of their own, by id. */
  listQuotas(): Promise<readonly { readonly project_id: string; readonly limits: Limits }[]>;
  setQuota(project_id: string, limits: Limits): Promise<void>;
  /** Back to the defaults; throws TenantQuotaNotFound where no limit was set. */
  deleteQuota(project_id: string): Promise<void>;
  details(project_id: string): Promise<Readonly<Record<string, QuotaDetail>>>;
  /** Counts all objects again; answers how many usage rows were wrong. */
  rebuild(): Promise<number>;
}
