/**
 * Slows guessing. After a failure the next attempt of the same user from the same address is looked at only after a
 * pause, which doubles with each failure; attempts beside it wait in line, and those for which the line is too long are
 * refused unseen. Others are not slowed: an agent elsewhere cannot be locked out by somebody who guesses at its name.
 */
import type { Clock } from '#src/lib/clock.ts';

export interface ThrottleOptions {
  readonly clock: Clock;
  /** Milliseconds after the first failure. */
  readonly pause: number;
  /** Longest pause, and longest line. */
  readonly maxPause: number;
}

interface Entry {
  failures: number;
  /** When the next attempt may be looked at. */
  next: number;
}

const MAX_ENTRIES = 10_000;

export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Resolves when the attempt may be looked at; false: it is refused unseen. */
  async admit(key: string): Promise<boolean> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return true;
    const { clock, maxPause } = this.#options;
    const now = clock.now();
    const wait = entry.next - now;
    if (wait > maxPause) return false;
    entry.next = Math.max(entry.next, now) + this.#pause(entry.failures);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    return true;
  }

  failed(key: string): void {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    const next = Math.max(this.#entries.get(key)?.next ?? 0, this.#options.clock.now() + this.#pause(failures));
    this.#entries.delete(key);
    this.#entries.set(key, { failures, next });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  succeeded(key: string): void {
    this.#entries.delete(key);
  }

  #pause(failures: number): number {
    return Math.min(this.#options.pause * 2 ** Math.min(failures - 1, 30), this.#options.maxPause);
  }
}
