/**
 * Sends what transactions have left, in the order of ids, at least once: a row is deleted when the broker has acknowledged
 * it, so a crash anywhere repeats messages and loses none.
 *
 * Several relays: one sends (it holds the LEADER session lock), the others stand by and try the lock. Order for each
 * resource then needs nothing more, where claims with SKIP LOCKED would let two relays overtake each other on one key; and one
 * relay is fast enough, its work being pipelined. PostgreSQL gives the lock back when the sender's session ends, however
 * it ends. Every batch takes the lock again first (session locks nest), so a relay whose session was lost and quietly
 * replaced does not go on as if nothing had happened.
 *
 *   standby ──lock──▶ awake ──nothing left, no writer under way──▶ asleep (holds ASLEEP)
 *      ▲               │  ▲                                          │
 *      └──lock lost────┘  └───────────notified, or a second──────────┘
 *
 * While one batch is with the broker the next is read, where there is more than one. The broker's absence is not an error here:
 * publishing waits for it, and so does the batch.
 */
import { openDatabase } from '#src/db/mod.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Sql } from '#src/lib/database.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { pause } from '#src/lib/pause.ts';
import { ASLEEP, CHANNEL, LEADER } from './locks.ts';
import { renderRows } from './render.ts';
import type { OutboxMessage, OutboxRow, RenderedRow } from './row.ts';
import { Sender } from './sender.ts';
import type { MessageSources } from './sources.ts';
import { Wake } from './wake.ts';

export interface RelayOptions {
  /** Of the database; the relay opens a session of its own, and another to listen. */
  readonly url: string;
  /** Resolves when the broker has the message; called in order, many at once. */
  readonly publish: (message: OutboxMessage) => Promise<void>;
  /** Whom messages are for and what they carry, as far as that is found when they are sent. */
  readonly sources?: MessageSources;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Rows at most in one batch (500). */
  readonly batch?: number;
  /** Messages under way at most (2000). */
  readonly messages?: number;
  /** Looks at least this often, notified or not (1000 ms). */
  readonly pollMs?: number;
  /** How long `stop` lets the batch under way wait for the broker (5000 ms). */
  readonly drainMs?: number;
}

/** Rows with what is sent for each. */
type Batch = [rows: readonly OutboxRow[], rendered: readonly RenderedRow[]];
const NOTHING: Batch = [[], []];
const NO_SOURCES: MessageSources = { audiences: new Map(), readers: new Map(), objects: new Map() };

/** Bytes of payload at most in one batch, beside a first row that is larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** Looks again after this while writers are under way that will not notify: most have nearly ended. */
const WRITERS_MS = { first: 1, next: 3 };
const RELEASE_MS = 1000;
const MEASURE_MS = 5000;
/** Counting stops here: beyond, the age says more. */
const DEPTH_LIMIT = 100_000;
/** What a relay that leaves tells the ones that stand by. */
const LEFT = 'left';
const BACK_OFF = { first: 100, cap: 5000 };

/** Starts a relay; `stop` lets the batch under way end, for some seconds, and gives the lock back. */
export async function startRelay(options: RelayOptions): Promise<Stoppable> {
  const { log, metrics, url } = options;
  const { sql, stop } = openDatabase({ url, applicationName: 'nucleon: outbox relay', poolSize: 1, log, metrics });
  const relay = new Relay(options, sql);
  try {
    const { unlisten } = await sql.listen(CHANNEL, (payload) => relay.notified(payload));
    const running = relay.run();
    const measuring = relay.measure();
    return {
      stop: async () => {
        relay.stop();
        await running;
        await measuring;
        await unlisten().catch(() => {});
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

class Relay {
  readonly #options: RelayOptions;
  readonly #sql: Sql;
  readonly #wake = new Wake();
  readonly #stopping = new AbortController();
  readonly #sender: Sender;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #sent;
  readonly #leads;
  readonly #depth;
  readonly #age;
  #forgetting: Promise<unknown> = Promise.resolve();
  #leading = false;
  #asleep = false;
  /** How long the next wait for writers is. */
  #patience = WRITERS_MS.first;

  constructor(options: RelayOptions, sql: Sql) {
    this.#options = options;
    this.#sql = sql;
    this.#sender = new Sender(options);
    const { metrics } = options;
    this.#sent = metrics.counter('nucleon_outbox_sent_total', 'Notifications that the broker has acknowledged');
    this.#leads = metrics.gauge('nucleon_outbox_leading', 'Whether this relay is the one that sends');
    this.#depth = metrics.gauge('nucleon_outbox_depth', 'Notifications that wait in the outbox', [], 'max');
    this.#age = metrics.gauge('nucleon_outbox_age_seconds', 'Age of the oldest notification that waits', [], 'max');
  }

  stop(): void {
    this.#stopTimer = setTimeout(() => this.#sender.giveUp(), this.#options.drainMs ?? 5000);
    this.#stopping.abort();
    this.#wake.up();
  }

  /** Somebody committed, or the relay that sent is leaving. */
  notified(payload: string): void {
    if (this.#leading || payload === LEFT) this.#wake.up();
  }

  get #batch(): number {
    return this.#options.batch ?? 500;
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async run(): Promise<void> {
    const { log, pollMs = 1000 } = this.#options;
    let backOff = BACK_OFF.first;
    while (!this.#stopped) {
      try {
        const rows = await this.#take([]);
        if (rows === 'standby') await this.#wake.wait(pollMs * (0.5 + Math.random() / 2));
        else if (rows.length > 0) {
          this.#patience = WRITERS_MS.first;
          await this.#sendAll(rows);
        } else await this.#rest(pollMs);
        backOff = BACK_OFF.first;
      } catch (error) {
        if (this.#stopped) break;
        log.error('outbox relay stumbled, trying again', { error, milliseconds: backOff });
        await pause(backOff * (0.5 + Math.random() / 2), this.#stopping.signal);
        backOff = Math.min(backOff * 2, BACK_OFF.cap);
      }
    }
    clearTimeout(this.#stopTimer);
    // The next in line need not wait for its poll.
    const release = this.#sql`select pg_advisory_unlock_all(), pg_notify(${CHANNEL}, ${LEFT})`;
    const leaving = Promise.allSettled([this.#forgetting, release]);
    await Promise.race([leaving, new Promise((resolve) => setTimeout(resolve, RELEASE_MS))]);
    this.#leads.set(0);
  }

  /** The next rows beside those under way, the lock being ours; 'standby' when it is not. */
  async #take(underWay: readonly OutboxRow[]): Promise<readonly OutboxRow[] | 'standby'> {
    const sql = this.#sql;
    if (this.#asleep) {
      this.#asleep = false;
      // Not awaited on its own: it travels with the next two, in this order.
      sql`select pg_advisory_unlock(${ASLEEP})`.catch(() => {});
    }
    const locking = sql<{ leading: boolean }[]>`select pg_try_advisory_lock(${LEADER}) as leading`;
    if (!this.#leading) {
      const [lock] = await locking;
      this.#lead(lock?.leading === true);
      if (!this.#leading) return 'standby';
    }
    const reading = sql<OutboxRow[]>`
      select id, key, host, topic, payload, recipients, reads, object_id from (
        select *, sum(octet_length(payload)) over (order by id) - octet_length(payload) as before from outbox
        where id <> all(${underWay.map(({ id }) => id)}::bigint[]) order by id limit ${this.#batch}
      ) as next
      where before < ${BATCH_BYTES} order by id`;
    const forgetting = this.#forgetting;
    this.#forgetting = Promise.resolve();
    const [[lock], rows] = await Promise.all([locking, reading, forgetting]);
    this.#lead(lock?.leading === true);
    return this.#leading ? rows : 'standby';
  }

  #lead(leading: boolean): void {
    if (leading !== this.#leading) {
      this.#options.log.info(leading ? 'outbox relay sends' : 'outbox relay stands by');
      this.#leading = leading;
      this.#leads.set(leading ? 1 : 0);
    }
  }

  /** Sends these rows, and as long as there is a whole batch of them, those that come next. */
  async #sendAll(rows: readonly OutboxRow[]): Promise<void> {
    const { sources = NO_SOURCES, log } = this.#options;
    const render = (next: readonly OutboxRow[]) => renderRows(this.#sql, next, sources, log);
    let [current, rendered] = [rows, await render(rows)];
    while (current.length > 0) {
      const sending = this.#send(current, rendered);
      const more = current.length === this.#batch && !this.#stopped;
      // The next is told only after this one has ended, and well: what is refused must not be overtaken.
      const [sent, next] = await Promise.allSettled([sending, more ? this.#readAhead(current, render) : NOTHING]);
      if (sent.status === 'rejected') throw sent.reason;
      if (next.status === 'rejected') throw next.reason;
      [current, rendered] = next.value;
    }
  }

  /** The batch behind the one under way, rendered. */
  async #readAhead(
    underWay: readonly OutboxRow[],
    render: (rows: readonly OutboxRow[]) => Promise<readonly RenderedRow[]>,
  ): Promise<Batch> {
    const rows = await this.#take(underWay);
    return rows === 'standby' ? NOTHING : [rows, await render(rows)];
  }

  /** Throws when a row was refused, once those that were not are forgotten. */
  async #send(rows: readonly OutboxRow[], rendered: readonly RenderedRow[]): Promise<void> {
    const { done, errors } = await this.#sender.send(rows, rendered);
    // Awaited with the next reading, which travels right behind it.
    this.#forgetting = this.#sql`delete from outbox where id = any(${done}::bigint[])`;
    this.#forgetting.catch(() => {});
    this.#sent.add({}, done.length);
    if (errors.length > 0) {
      await this.#forgetting;
      throw new Error(`${errors.length} of ${rows.length} notifications not sent`, { cause: errors[0] });
    }
  }

  /** Nothing is left: sleeps until notified, unless writers are under way that saw us awake. */
  async #rest(pollMs: number): Promise<void> {
    // Sent at once; the second sees what was committed before the first had its lock.
    const [[lock], [row]] = await Promise.all([
      this.#sql<{ asleep: boolean }[]>`select pg_try_advisory_lock(${ASLEEP}) as asleep`,
      this.#sql`select 1 from outbox limit 1`,
    ]);
    this.#asleep = lock?.asleep === true;
    if (row !== undefined) return;
    if (this.#asleep) this.#patience = WRITERS_MS.first;
    await this.#wake.wait(this.#asleep ? pollMs : this.#patience);
    if (!this.#asleep) this.#patience = WRITERS_MS.next;
  }

  /** Keeps the gauges of what waits, also while a batch waits for the broker. */
  async measure(): Promise<void> {
    const { signal } = this.#stopping;
    for (; !signal.aborted; await pause(MEASURE_MS, signal)) {
      if (!this.#leading) continue;
      try {
        const [row] = await this.#sql<{ depth: number; age: number }[]>`
          select (select count(*)::int from (select 1 from outbox limit ${DEPTH_LIMIT}) as counted) as depth,
            coalesce((select extract(epoch from now() - created_at)::float from outbox order by id limit 1), 0) as age`;
        if (row === undefined) continue;
        this.#depth.set(row.depth);
        this.#age.set(row.age);
      } catch (error) {
        this.#options.log.debug('outbox not measured', { error });
      }
    }
  }
}
