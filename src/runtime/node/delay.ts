/** Time that passes, where a condition to wait for needs a bound. */
export const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
