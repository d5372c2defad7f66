/**
 * Password hashes: `scrypt$<logN>$<r>$<p>$<salt>$<key>` (base64url), so that the cost can grow without losing anybody. The hash is
 * computed off the event loop by the runtime; how many run at once is bounded, and so is the queue before them, so that a
 * flood of logins costs the callers time and the server no memory.
 */
import type { Runtime } from '#src/lib/runtime.ts';
import { base64url, equalBytes, fromBase64url, randomBytes } from './bytes.ts';
import { Busy } from './errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long whether there is a hash to compare with or not. */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether the hash was made with other parameters than today's. */
  outdated(hash: string): boolean;
  /** Holds one of the places for hashing while `work` runs: what is checked before the hash cannot be outrun. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface PasswordsOptions {
  readonly scrypt: Runtime['scrypt'];
  /** N is 2 to the power of this. */
  readonly logN: number;
  readonly concurrent: number;
  readonly queued: number;
}

const BLOCK_SIZE = 8;
const PARALLELISM = 1;
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;
/** A bound on what a hash from the database may ask for: 2^20 needs a gigabyte. */
const HASH = /^scrypt\$(1\d|20)\$(\d{1,2})\$(\d)\$([\w-]{22})\$([\w-]{43})$/;

export function createPasswords(options: PasswordsOptions): Passwords {
  const turns = createTurns(options.concurrent, options.queued);
  const derive = (password: string, salt: Uint8Array, logN: number, r: number, p: number) =>
    options.scrypt(password, salt, { logN, r, p, length: KEY_LENGTH });

  return {
    async hash(password) {
      const salt = randomBytes(SALT_LENGTH);
      const key = await turns(() => derive(password, salt, options.logN, BLOCK_SIZE, PARALLELISM));
      return `scrypt$${options.logN}$${BLOCK_SIZE}$${PARALLELISM}$${base64url(salt)}$${base64url(key)}`;
    },
    async verify(password, hash) {
      const parts = hash === null ? null : HASH.exec(hash);
      if (parts === null) {
        await derive(password, new Uint8Array(SALT_LENGTH), options.logN, BLOCK_SIZE, PARALLELISM);
        return false;
      }
      const [, logN, r, p, salt, key] = parts;
      const derived = await derive(password, fromBase64url(salt!), Number(logN), Number(r), Number(p));
      return equalBytes(derived, fromBase64url(key!));
    },
    outdated: (hash) => !hash.startsWith(`scrypt$${options.logN}$${BLOCK_SIZE}$${PARALLELISM}$`),
    inTurn: turns,
  };
}

/** Lets so many works run at once and so many wait; throws Busy beyond. */
function createTurns(concurrent: number, queued: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= concurrent) {
      if (waiting.length >= queued) throw new Busy('Too many logins are being checked: try again in a moment.');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      // The place goes from hand to hand: `running` stays while somebody waits.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
