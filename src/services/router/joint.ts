/**
 * Transactions of service plugins in which routers are written together with networks, subnets and ports: a project's whole topology
 * is there at once, or not at all. They stand on the core plugin's (`src/plugins/ml2/joint.ts`) and do for the verbs of routers what
 * those do for its own: a verb's work runs at once, it waits for the commit of the whole, and goes on behind it.
 */
import type { Context } from '#src/lib/context.ts';
import type { Database, Sql } from '#src/lib/database.ts';
import type { Call, JointWork, Plugin, Verb } from '#src/lib/plugin.ts';
import type { RouterHost } from './host.ts';

type Verbs = Readonly<Record<string, Verb>>;
type Inside = Parameters<JointWork<unknown>>;

/** The verbs that take part, and what they answer, from what their work leaves. */
const ANSWERS: Readonly<Record<string, (left: Readonly<Record<string, unknown>>) => unknown>> = {
  create_router: ({ routers }) => (routers as readonly unknown[])[0],
  add_router_interface: ({ answer }) => answer,
  remove_router_interface: ({ answer }) => answer,
  delete_router: () => undefined,
};

/** `Plugin.together` of the router plugin. Each verb is made anew for its call: such transactions are rare. */
export function routerTransactions(
  host: RouterHost,
  verbsOf: (host: RouterHost) => Verbs,
): NonNullable<Plugin['together']> {
  return async (options, work) => {
    const { undo } = options;
    let joined: JoinedRouters | undefined;
    try {
      const result = await host.together(options, async (...inside) => {
        // It may run again, after a deadlock.
        joined?.fail(new Error('the transaction runs again'));
        joined = new JoinedRouters(host, verbsOf, inside);
        const [tx, , last] = inside;
        const result = await work(tx, joined.verbs, last);
        joined.count();
        return result;
      });
      await joined?.commit(undo === undefined ? undefined : () => undo(result));
      return result;
    } catch (error) {
      joined?.fail(error);
      throw error;
    }
  };
}

/** The verbs of routers in one attempt at a joint transaction. */
class JoinedRouters {
  readonly #host: RouterHost;
  readonly #verbsOf: (host: RouterHost) => Verbs;
  readonly #inside: Inside;
  readonly #end = Promise.withResolvers<void>();
  readonly #calls: Promise<unknown>[] = [];
  readonly #counts = new Map<string, Record<string, number>>();
  #open = true;

  /** By name, with those of networks, subnets and ports. */
  readonly verbs: Verbs;

  constructor(host: RouterHost, verbsOf: (host: RouterHost) => Verbs, inside: Inside) {
    this.#host = host;
    this.#verbsOf = verbsOf;
    this.#inside = inside;
    this.#end.promise.catch(() => {});
    const [, core] = inside;
    const own = Object.fromEntries(
      Object.keys(ANSWERS).map((name): [string, Verb] => [name, (context, call) => this.#call(name, context, call)]),
    );
    this.verbs = new Proxy(own, { get: (_, name) => own[String(name)] ?? core[String(name)] });
  }

  async #call(name: string, context: Context, call: Call): Promise<unknown> {
    const written = Promise.withResolvers<unknown>();
    const verb = this.#verbsOf(this.#joinedHost(written.resolve))[name];
    if (verb === undefined) throw new TypeError(`'${name}' is not a verb of routers`);
    const end = verb(context, call);
    end.catch(() => {});
    this.#calls.push(end);
    return await Promise.race([
      end,
      written.promise.then((left) => ANSWERS[name]?.(left as Readonly<Record<string, unknown>>)),
    ]);
  }

  #joinedHost(written: (left: unknown) => void): RouterHost {
    const host = this.#host;
    const [tx] = this.#inside;
    const isOpen = () => this.#open;
    const db: Database = {
      get sql() {
        return isOpen() ? (tx as unknown as Sql) : host.db.sql;
      },
      transaction: (options, work) => host.db.transaction(options, work),
    };
    const together: RouterHost['together'] = async (_, work) => {
      const left = await work(...this.#inside);
      written(left);
      await this.#end.promise;
      return left;
    };
    // Counted at the end, because a project's row stays locked from then on.
    const charge: RouterHost['quota']['charge'] = async (_, project, deltas) => {
      const counts = this.#counts.get(project) ?? {};
      for (const [kind, delta] of Object.entries(deltas)) counts[kind] = (counts[kind] ?? 0) + delta;
      this.#counts.set(project, counts);
    };
    return { ...host, db, together, quota: { ...host.quota, charge } };
  }

  /** Counts for the quotas, with the COMMIT behind it. */
  count(): void {
    const [tx] = this.#inside;
    for (const [project, deltas] of [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      void this.#host.quota.count(tx, project, deltas).catch(() => {});
    }
  }

  /** Lets the verbs go on; where one of them fails then, takes everything back. */
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
