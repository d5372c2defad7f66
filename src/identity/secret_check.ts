/** Compares a secret with its hash: slowly, in turn, and counted against guessing. */
import type { Attempt, Lockout } from './lockout.ts';
import type { Passwords } from './passwords.ts';

/** Whether the secret is right; null for a hash takes as long and is always wrong. Throws TooManyFailures and Busy. */
export type SecretCheck = (attempt: Attempt, secret: string, hash: string | null) => Promise<boolean>;

export function createSecretCheck(passwords: Passwords, lockout: Lockout): SecretCheck {
  return (attempt, secret, hash) =>
    passwords.inTurn(async () => {
      // In turn, not before it: of many guesses at once, those that waited meet the lock that the first ones caused.
      await lockout.check(attempt);
      const right = await passwords.verify(secret, hash);
      await (right ? lockout.succeeded(attempt) : lockout.failed(attempt));
      return right;
    });
}
