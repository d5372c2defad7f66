/**
 * A backlog that cannot grow without bound: names gather while work is under way, each once, and the next batch takes all of
 * them. Work that fails is tried again with the same names and what came meanwhile, so it must read the newest state itself.
 */
import type { Logger } from '#src/lib/log.ts';
import { pause } from '#src/lib/pause.ts';
import { backOff } from './back_off.ts';

export interface GatheringOptions {
  /** Said in the log: `wiring of ports`. */
  readonly name: string;
  /** One batch after the other. */
  readonly work: (names: readonly string[]) => Promise<void>;
  /** Names in a batch (100). */
  readonly limit?: number;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface Gathering {
  add(names: Iterable<string>): void;
  /** Resolves when nothing is left to do, or all has ended. */
  settled(): Promise<void>;
}

const RETRY = { first: 500, cap: 30_000 };

/** Starts with nothing to do. */
export function gather({ name, work, limit = 100, log, signal }: GatheringOptions): Gathering {
  const waiting = new Set<string>();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // Messages that arrive together make one batch.
    await undefined;
    let failures = 0;
    while (waiting.size > 0 && !signal.aborted) {
      const batch = [...waiting].slice(0, limit);
      for (const one of batch) waiting.delete(one);
      try {
        await work(batch);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        for (const one of batch) waiting.add(one);
        failures += 1;
        log.warn(`${name} failed; it is tried again`, { count: batch.length, failures, error });
        await pause(backOff(failures, RETRY.first, RETRY.cap), signal);
      }
    }
    // In the very turn in which nothing was left: what is added from then on starts anew.
    running = undefined;
  }

  return {
    add(names) {
      for (const one of names) waiting.add(one);
      if (waiting.size === 0) return;
      running ??= run();
    },
    async settled() {
      while (running !== undefined) await running;
    },
  };
}
