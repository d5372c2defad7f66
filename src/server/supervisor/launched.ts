/** A process on its way: what the keeper needs to know of any kind of it, worker, broker or database. */

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Launched {
  readonly pid: number;
  /** Rejects when it ended, said that it cannot work, or took too long, before it was ready. */
  readonly ready: Promise<void>;
  readonly exited: Promise<Exit>;
  /** Asks it to end in order. */
  stop(): void;
  /** Ends it. */
  kill(): void;
}

/** `signal SIGKILL`, `exit code 1` */
export function exitReason({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** What `ready` rejects with when the process itself says why it cannot work: trying again is of no use. */
export class CannotWork extends Error {
  override readonly name = 'CannotWork';
}
