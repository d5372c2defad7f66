/**
 * Transactions of other plugins in which networks, subnets and ports are written by ML2's own verbs: a router and its gateway's
 * port, an interface and its port are there together, or not at all.
 *
 * A verb believes that it has a transaction of its own. It is given one that is part of the joint one: its work runs at once, and
 * its commit is that of the whole, for which it waits there. What it then does (postcommit, binding, after callbacks) comes
 * behind the commit as ever, on the ordinary database.
 *
 *   together: begin → work: verb → verb's work ─ answers ─→ more work → commit → verb goes on → together's answer
 */
import { violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Database, Last, Sql, Transaction, Work } from '#src/lib/database.ts';
import type { Call, JointOptions, JointWork, Plugin, Verb } from '#src/lib/plugin.ts';
import type { Quota } from '#src/lib/quota.ts';
import { networkVerbs } from './networks/service.ts';
import { portVerbs } from './ports/service.ts';
import { MAC_ONCE } from './ports/store.ts';
import type { Ml2 } from './state.ts';
import { subnetVerbs } from './subnets/service.ts';

type Verbs = Readonly<Record<string, Verb>>;

const KINDS: readonly (readonly [names: RegExp, verbs: (ml2: Ml2) => Verbs])[] = [
  [/^[a-z]+_ports?(_bulk)?$/, portVerbs],
  [/^[a-z]+_subnets?(_bulk)?$/, subnetVerbs],
  [/^[a-z]+_networks?(_bulk)?$/, networkVerbs],
];
/** MAC addresses are made up: where one is taken, the whole runs again with others. */
const TRIES = 16;

export function jointTransactions(ml2: Ml2): NonNullable<Plugin['together']> {
  const verbs = new VerbPool(ml2);
  return async (options, work) => {
    for (let tries = 1; ; tries++) {
      const run = new Run(ml2, verbs, options, work);
      try {
        return await run.toTheEnd();
      } catch (error) {
        if (!run.metTakenMac || tries === TRIES) throw error;
      }
    }
  };
}

/** What a verb leans on that differs from call to call. */
type Backing = Pick<Ml2, 'db' | 'quota'>;

/** The verbs over a backing that is changed under them. */
class LentVerbs {
  readonly #ml2: Ml2;
  readonly #tables = new Map<(ml2: Ml2) => Verbs, Verbs>();
  backing: Backing;

  constructor(ml2: Ml2) {
    this.backing = ml2;
    const backing = () => this.backing;
    const db: Database = {
      get sql() {
        return backing().db.sql;
      },
      transaction: (options, work) => backing().db.transaction(options, work),
    };
    this.#ml2 = { ...ml2, db, quota: { ...ml2.quota, charge: (...charge) => backing().quota.charge(...charge) } };
  }

  get(name: string): Verb {
    const kind = KINDS.find(([names]) => names.test(name));
    let verbs = kind === undefined ? {} : this.#tables.get(kind[1]);
    if (kind !== undefined && verbs === undefined) {
      verbs = kind[1](this.#ml2);
      this.#tables.set(kind[1], verbs);
    }
    const verb = verbs?.[name];
    if (verb === undefined) throw new TypeError(`'${name}' is not a verb of networks, subnets or ports`);
    return verb;
  }
}

/** Building verbs takes longer than many a call: they are built once, and lent to one call after the other. */
class VerbPool {
  readonly #ml2: Ml2;
  readonly #free: LentVerbs[] = [];

  constructor(ml2: Ml2) {
    this.#ml2 = ml2;
  }

  /** Calls a verb over the backing, which it has to its very end. */
  async call(name: string, backing: Backing, context: Context, call: Call): Promise<unknown> {
    const lent = this.#free.pop() ?? new LentVerbs(this.#ml2);
    lent.backing = backing;
    try {
      return await lent.get(name)(context, call);
    } finally {
      lent.backing = this.#ml2;
      this.#free.push(lent);
    }
  }
}

class Run<Result> {
  readonly #ml2: Ml2;
  readonly #verbs: VerbPool;
  readonly #options: JointOptions<Result>;
  readonly #work: JointWork<Result>;
  metTakenMac = false;

  constructor(ml2: Ml2, verbs: VerbPool, options: JointOptions<Result>, work: JointWork<Result>) {
    this.#ml2 = ml2;
    this.#verbs = verbs;
    this.#options = options;
    this.#work = work;
  }

  async toTheEnd(): Promise<Result> {
    let joint: Joint | undefined;
    const { label, undo } = this.#options;
    try {
      const result = await this.#ml2.db.transaction({ label }, async (tx, last) => {
        // It may run again, after a deadlock.
        joint?.fail(new Error('the transaction runs again'));
        joint = new Joint(this.#ml2, this.#verbs, tx);
        const result = await this.#work(tx, joint.verbs, last);
        joint.count();
        return result;
      });
      await joint?.commit(undo === undefined ? undefined : () => undo(result));
      return result;
    } catch (error) {
      this.metTakenMac = joint?.metTakenMac ?? false;
      joint?.fail(error);
      throw error;
    }
  }
}

/** One attempt at a joint transaction. */
class Joint {
  readonly #ml2: Ml2;
  readonly #pool: VerbPool;
  readonly #tx: Transaction;
  readonly #end = Promise.withResolvers<void>();
  /** The verbs that have begun, to their very end. */
  readonly #calls: Promise<unknown>[] = [];
  /** What has been made and deleted, by project and kind. */
  readonly #counts = new Map<string, Record<string, number>>();
  readonly #quota: Quota;
  #open = true;
  #failure: unknown;
  metTakenMac = false;

  /** The verbs by name. */
  readonly verbs: Verbs = new Proxy<Record<string, Verb>>(
    {},
    { get: (_, name) => (context: Context, call: Call) => this.#call(String(name), context, call) },
  );

  constructor(ml2: Ml2, pool: VerbPool, tx: Transaction) {
    this.#ml2 = ml2;
    this.#pool = pool;
    this.#tx = tx;
    this.#end.promise.catch(() => {});
    this.#quota = {
      ...ml2.quota,
      // Counted at the end, because a project's row stays locked from then on. What is nobody's is not counted.
      charge: async (inner, project, deltas) => {
        if (project === '') return;
        if (!this.#open) return await ml2.quota.count(inner, project, deltas);
        const counts = this.#counts.get(project) ?? {};
        for (const [kind, delta] of Object.entries(deltas)) counts[kind] = (counts[kind] ?? 0) + delta;
        this.#counts.set(project, counts);
      },
    };
  }

  async #call(name: string, context: Context, call: Call): Promise<unknown> {
    const written = Promise.withResolvers<unknown>();
    const backing = { quota: this.#quota, db: this.#database(written.resolve) };
    const end = this.#pool.call(name, backing, context, call);
    end.catch(() => {});
    this.#calls.push(end);
    // What only reads has no transaction, and answers at its end.
    return await Promise.race([end, written.promise.then((result) => answerOf(name, result))]);
  }

  #database(written: (result: unknown) => void): Database {
    const { db } = this.#ml2;
    const isOpen = () => this.#open;
    const inside = this.#tx as unknown as Sql;
    return {
      get sql() {
        return isOpen() ? inside : db.sql;
      },
      transaction: (options, work) => (isOpen() ? this.#join(work, written) : db.transaction(options, work)),
    };
  }

  async #join<Result>(work: Work<Result>, written: (result: unknown) => void): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    let result: Result;
    try {
      result = await work(this.#tx, last);
    } catch (error) {
      this.#failure ??= error;
      this.metTakenMac ||= violatedConstraint(error) === MAC_ONCE;
      throw error;
    }
    written(result);
    await this.#end.promise;
    return result;
  }

  /**
   * Counts for the quotas, with the COMMIT behind it: once for each project, in a fixed order. What is counted for the first time
   * is counted with all that the transaction has made.
   */
  count(): void {
    for (const [project, deltas] of [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      void this.#ml2.quota.count(this.#tx, project, deltas).catch(() => {});
    }
  }

  /** Lets the verbs go on; where one of them fails then, takes back what is not its own. */
  async commit(undo?: () => Promise<void>): Promise<void> {
    this.#open = false;
    this.#end.resolve();
    const failed = (await Promise.allSettled(this.#calls)).find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return;
    await undo?.();
    throw failed.reason;
  }

  fail(error: unknown): void {
    this.#open = false;
    this.#end.reject(error);
  }
}

/** Others follow in the transaction: the statement is sent now, and a failure is the transaction's. */
const last: Last = (statement) => void statement.execute().catch(() => {});

/** What a verb's transaction leaves is what it answers, but that creations are of lists and changes are read by others. */
function answerOf(name: string, result: unknown): unknown {
  if (!name.startsWith('create_')) return undefined;
  return name.endsWith('_bulk') ? result : (result as readonly unknown[])[0];
}
