/** How long to wait before a process that died is started again. */

const FIRST_MS = 100;
const LONGEST_MS = 30_000;
/** A process that was ready this long was healthy: the next death counts as the first again. */
const HEALTHY_MS = 10_000;

export interface BackOff {
  /** The wait after a death: doubles from one to the next, with jitter, and begins anew after a healthy life. */
  next(livedMs: number): number;
}

export function createBackOff(random: () => number = Math.random): BackOff {
  let deaths = 0;
  return {
    next(livedMs) {
      deaths = livedMs >= HEALTHY_MS ? 0 : deaths;
      const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(deaths, 16));
      deaths += 1;
      return longest * (0.5 + random() / 2);
    },
  };
}
