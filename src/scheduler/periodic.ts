/**
 * Periodic work with one runner at a time over all machines. Every machine tries; a row says when the work is due and who has
 * it until when. Time is the database's.
 *
 *   due ──claimed──▶ running, lease renewed ──done or failed──▶ due again an interval after it was claimed
 *    ▲                    │
 *    └──── lease over ────┘   the runner is gone: killed, cut off, or stuck for longer than the lease
 *
 * A runner learns from its next renewal that it was stuck and has lost the work: its signal aborts. Until then two may run, so
 * work is made of transactions that hold locks, as all writes are. A row and not a session lock: nothing is kept open, so that
 * it works through any pooler, and a machine that loses its power is found out as fast as a process that is killed.
 */
import type { Database } from '#src/lib/database.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import { pause } from '#src/lib/pause.ts';
import type { PluginWorker } from '#src/lib/worker.ts';

export interface PeriodicOptions {
  readonly db: Database;
  /** Said in logs and in the process title: `agent liveness`. One name is one work in the whole cluster. */
  readonly name: string;
  /** From the start of one run to that of the next. */
  readonly seconds: number;
  /** The work; what it throws is logged, and the next run still comes. Ends early when the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Called each time that somebody else has the work. */
  readonly idle?: () => void;
  readonly log: Logger;
  /** How long a runner that is gone keeps the others waiting (15). */
  readonly leaseSeconds?: number;
  /** The work goes on until its signal aborts: it is then due at once for somebody else. */
  readonly lasting?: boolean;
}

/** The worker; shares the `periodic worker` process. */
export function periodic(options: PeriodicOptions): PluginWorker {
  return {
    name: options.name,
    processes: 0,
    async start() {
      return new Runner(options);
    },
  };
}

class Runner implements Stoppable {
  readonly #options: PeriodicOptions;
  readonly #lease: number;
  readonly #id = crypto.randomUUID();
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(options: PeriodicOptions) {
    this.#options = options;
    this.#lease = options.leaseSeconds ?? 15;
    this.#ended = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #loop(): Promise<void> {
    const { log, name, seconds } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let wait = seconds;
      try {
        const claim = await this.#claim();
        if (claim === 'mine') wait = await this.#work();
        else wait = claim;
      } catch (error) {
        log.error('periodic work does not know whether it is due', { worker: name, error });
      }
      // Some more, so that those who wait for the same do not all ask at the same moment.
      await pause(Math.min(wait, seconds) * 1000 + Math.random() * 100, signal);
    }
  }

  /** The work, if it is due and nobody has it; otherwise the seconds until it may be. */
  async #claim(): Promise<'mine' | number> {
    const { db, name, seconds, idle } = this.#options;
    const [claim] = await db.sql<{ mine: boolean; others: boolean | null; wait: number | null }[]>`
      with claimed as (
        insert into periodic_work as w (name, due_at, runner, leased_until)
        values (${name}, now(), ${this.#id}, now() + make_interval(secs => ${this.#lease}))
        on conflict (name) do update set runner = excluded.runner, leased_until = excluded.leased_until
        where w.due_at <= now() and w.leased_until <= now()
        returning 1
      )
      select exists (select 1 from claimed) as mine, runner <> ${this.#id} as others,
        extract(epoch from greatest(due_at, leased_until) - now())::float8 as wait
      from (select) one left join periodic_work on name = ${name}`;
    if (claim?.mine === true) return 'mine';
    if (claim?.others === true) idle?.();
    return Math.max(claim?.wait ?? seconds, 0);
  }

  /** Runs it and gives it back; the seconds until it is due again. */
  async #work(): Promise<number> {
    const { db, name, seconds, log, run, lasting = false } = this.#options;
    const lost = new AbortController();
    const renewing = setInterval(() => this.#renew(lost), (this.#lease * 1000) / 3);
    const began = performance.now();
    try {
      await run(AbortSignal.any([this.#stopping.signal, lost.signal]));
    } catch (error) {
      log.error('periodic work failed and will be tried again', { worker: name, error });
    } finally {
      clearInterval(renewing);
    }
    const took = (performance.now() - began) / 1000;
    if (took > seconds && !lasting)
      log.warn('periodic work takes longer than its interval', { worker: name, took, seconds });
    const wait = Math.max(seconds - took, 0);
    await db.sql`
      update periodic_work set due_at = now() + make_interval(secs => ${wait}), leased_until = now()
      where name = ${name} and runner = ${this.#id}`;
    return wait;
  }

  async #renew(lost: AbortController): Promise<void> {
    const { db, name, log } = this.#options;
    try {
      const { count } = await db.sql`
        update periodic_work set leased_until = now() + make_interval(secs => ${this.#lease})
        where name = ${name} and runner = ${this.#id}`;
      if (count > 0) return;
      log.warn('periodic work was taken over: this process was stuck', { worker: name });
      lost.abort();
    } catch (error) {
      log.warn('periodic work could not be kept', { worker: name, error });
    }
  }
}
