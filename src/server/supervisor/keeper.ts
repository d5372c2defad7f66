/**
 * Keeps one process of the tree alive. A process that dies is started again with back-off; `replace` puts a new one in
 * its place without a gap.
 *
 *   idle ── start ──▶ running ── it dies ──▶ waiting ── back-off over ──▶ running
 *                        │ replace: a second one starts beside; once it is ready the first is stopped
 *                        └── stop ──▶ stopped (from any state, for good)
 *
 * A process that says at the first start that it cannot work, or dies again and again, rejects `start()`: the server should
 * not come up half. Later the keeper tries for as long as it takes.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Counter, Gauge } from '#src/lib/metrics.ts';
import { messageOf } from '../errors.ts';
import { type BackOff, createBackOff } from './back_off.ts';
import { CannotWork, exitReason, type Launched } from './launched.ts';

export interface KeeperOptions {
  /** `nucleon: api worker` */
  readonly title: string;
  readonly index: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly restarts: Counter;
  readonly running: Gauge;
  readonly backOff?: BackOff;
  /** How often `start()` tries before it gives up (5). */
  readonly attempts?: number;
}

/** How a process is begun; called again for each new life. */
export type Launch<Kind extends Launched> = () => Kind | Promise<Kind>;

const FIRST_START_ATTEMPTS = 5;

export class Keeper<Kind extends Launched = Launched> {
  readonly title: string;
  readonly #options: KeeperOptions;
  readonly #backOff: BackOff;
  #launch: Launch<Kind>;
  #current: Kind | undefined;
  #readyAt = 0;
  /** Ends a pause before its time. */
  #wake: (() => void) | undefined;
  #stopped = false;
  /** Every process of ours that has not ended. */
  readonly #alive = new Set<Kind>();
  /** The tail of the queue of beginnings: one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: KeeperOptions, launch: Launch<Kind>) {
    this.title = options.title;
    this.#options = options;
    this.#launch = launch;
    this.#backOff = options.backOff ?? createBackOff();
  }

  /** The process that is ready and in charge; undefined while there is none. */
  get current(): Kind | undefined {
    return this.#current;
  }

  /** Resolves when the process is ready for the first time. */
  async start(): Promise<void> {
    for (let attempt = 1; !this.#stopped; attempt += 1) {
      try {
        return await this.#inTurn(() => this.#begin());
      } catch (error) {
        if (
          error instanceof CannotWork ||
          attempt === (this.#options.attempts ?? FIRST_START_ATTEMPTS) ||
          this.#stopped
        )
          throw error;
        const delay = this.#backOff.next(0);
        this.#say('process did not start and is tried again', {
          reason: messageOf(error),
          delay_ms: Math.round(delay),
        });
        await this.#pause(delay);
      }
    }
  }

  /** A new process beside the old one; when it is ready the old one is asked to stop, and its end is awaited. */
  async replace(launch: Launch<Kind>, drainMs: number): Promise<void> {
    const before = this.#launch;
    this.#launch = launch;
    let old: Kind | undefined;
    try {
      await this.#inTurn(async () => {
        old = this.#current;
        await this.#begin();
      });
    } catch (error) {
      this.#launch = before;
      throw error;
    }
    if (old !== undefined) await this.#end(old, drainMs);
  }

  /** Ends it for good: asked at first, killed when the time is over. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await Promise.all([...this.#alive].map((launched) => this.#end(launched, drainMs)));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #begin(): Promise<void> {
    const launched = await this.#launch();
    this.#alive.add(launched);
    const ended = launched.exited.then((exit) => {
      this.#alive.delete(launched);
      if (this.#current !== launched) return;
      this.#current = undefined;
      this.#count(0);
      if (!this.#stopped) void this.#again(launched.pid, exitReason(exit));
    });
    try {
      if (this.#stopped) throw new Error(`${this.title} is not started: the server stops`);
      await launched.ready;
      if (!this.#alive.has(launched)) throw new Error(`${this.title} died as soon as it was ready`);
    } catch (error) {
      launched.kill();
      await ended;
      throw error;
    }
    this.#current = launched;
    this.#readyAt = this.#options.clock.now();
    this.#count(1);
  }

  /** Starts it again, until it is ready, replaced or stopped. */
  async #again(deadPid: number, exit: string): Promise<void> {
    let reason = exit;
    let lived = this.#options.clock.now() - this.#readyAt;
    let again = true;
    while (again) {
      const delay = this.#backOff.next(lived);
      this.#say('process died and is started again', { dead_pid: deadPid, reason, delay_ms: Math.round(delay) });
      this.#options.restarts.add({ process: this.title });
      await this.#pause(delay);
      lived = 0;
      again = await this.#inTurn(async () => {
        if (this.#stopped || this.#current !== undefined) return false;
        try {
          await this.#begin();
          this.#options.log.info('process is up again', { process: this.title, index: this.#options.index });
          return false;
        } catch (error) {
          reason = messageOf(error);
          return !this.#stopped;
        }
      });
    }
  }

  async #end(launched: Kind, drainMs: number): Promise<void> {
    launched.stop();
    const late = () => {
      this.#say('process did not end in time and is killed', { pid: launched.pid });
      launched.kill();
    };
    const timer = Number.isFinite(drainMs) ? setTimeout(late, drainMs) : undefined;
    await launched.exited;
    clearTimeout(timer);
  }

  #count(running: 0 | 1): void {
    this.#options.running.set(running, { process: this.title, index: String(this.#options.index) });
  }

  #say(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#options.log.warn(message, { process: this.title, index: this.#options.index, ...fields });
  }

  #pause(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }
}
