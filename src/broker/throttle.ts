/**
 * Slows guessing. Attempts of one user from one address are looked at one after the other; after a failure the next one
 * only after a pause, which doubles with each failure. Attempts for which the line is too long are refused unseen.
 * Others are not slowed: an agent elsewhere cannot be locked out by somebody who guesses at its name.
 */
import type { Clock } from '#src/lib/clock.ts';

export interface ThrottleOptions {
  readonly clock: Clock;
  /** Milliseconds after the first failure. */
  readonly pause: number;
  /** The longest pause, and the longest line. */
  readonly maxPause: number;
}

interface Line {
  failures: number;
  /** When the next attempt may be looked at. */
  next: number;
  waiting: number;
  /** Settles when the attempts so far have been looked at. */
  last: Promise<unknown>;
}

const MAX_LINES = 10_000;

export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Runs `check` when its turn has come; false: it failed, or was not looked at. */
  async attempt(key: string, check: () => Promise<boolean>): Promise<boolean> {
    const line = this.#lines.get(key) ?? { failures: 0, next: 0, waiting: 0, last: Promise.resolve() };
    if (line.waiting * this.#pause(line.failures) > this.#options.maxPause) return false;
    this.#keep(key, line);
    line.waiting += 1;
    const turn = line.last.then(() => this.#turn(line, check));
    line.last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0 && line.failures === 0) this.#lines.delete(key);
    }
  }

  async #turn(line: Line, check: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#options;
    const wait = line.next - clock.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const right = await check();
    line.failures = right ? 0 : line.failures + 1;
    line.next = clock.now() + this.#pause(line.failures);
    return right;
  }

  /** The lines used last are kept. */
  #keep(key: string, line: Line): void {
    this.#lines.delete(key);
    this.#lines.set(key, line);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > MAX_LINES && oldest !== undefined) this.#lines.delete(oldest);
  }

  #pause(failures: number): number {
    if (failures === 0) return 0;
    return Math.min(this.#options.pause * 2 ** Math.min(failures - 1, 30), this.#options.maxPause);
  }
}
