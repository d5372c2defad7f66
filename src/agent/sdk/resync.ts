/**
 * Fetching everything anew, when messages may have been missed.
 *
 *   idle ──request──▶ waiting (a while of chance, unless it is the start) ──▶ running ──▶ idle
 *                        ▲ └─ further requests change nothing ─┘                │ └─ requests: once more
 *                        └────────────── back-off ◀──────────────────────failed─┘
 *
 * Chance spreads it: when a broker or a server comes back, a thousand agents do not ask for everything in the same second.
 */
import type { Logger } from '#src/lib/log.ts';
import { pause } from '#src/lib/pause.ts';
import { backOff } from './back_off.ts';

/** `start`: nothing is known yet. `session lost`: the broker had not kept it. The rest is what a report was answered. */
export type ResyncReason = 'start' | 'session lost' | 'new' | 'revived' | 'asked';

export interface ResyncOptions {
  /** Milliseconds over which requests are spread. */
  readonly spread: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const RETRY = { first: 500, cap: 30_000 };

export class Resync {
  readonly #options: ResyncOptions;
  readonly #works: ((reason: ResyncReason) => Promise<void>)[] = [];
  #requested: ResyncReason | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ResyncOptions) {
    this.#options = options;
  }

  /** What is done each time, in this order. It must do no harm when done twice. */
  add(work: (reason: ResyncReason) => Promise<void>): void {
    this.#works.push(work);
  }

  /** Has everything fetched; resolves when a whole run that began later has ended well, or all has stopped. */
  request(reason: ResyncReason): Promise<void> {
    this.#requested ??= reason;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    const { spread, log, signal } = this.#options;
    // Also of no time: the promise of this run must be known before it ends.
    await pause(this.#requested === 'start' ? 0 : Math.random() * spread, signal);
    let failures = 0;
    while (this.#requested !== undefined && !signal.aborted) {
      const reason = this.#requested;
      this.#requested = undefined;
      try {
        for (const work of this.#works) await work(reason);
        failures = 0;
        log.debug('everything was fetched', { reason });
      } catch (error) {
        if (signal.aborted) break;
        this.#requested ??= reason;
        failures += 1;
        log.warn('not everything could be fetched; it is tried again', { reason, failures, error });
        await pause(backOff(failures, RETRY.first, RETRY.cap), signal);
      }
    }
    // In the very turn in which nothing was left: what is requested from then on starts anew.
    this.#running = undefined;
  }
}
