/** How long is waited before the next try, with chance in it: many agents do not do things in step. */

/** Grows with the number of failures from `first` to `cap`; half of it is chance. */
export function backOff(failures: number, first: number, cap: number): number {
  return Math.min(first * 2 ** Math.min(failures, 20), cap) * (0.5 + Math.random() / 2);
}
