/**
 * Slows guessing. Failures are counted in PostgreSQL, so for all workers together, by two subjects: a user from an
 * address (the account stays open to its owner elsewhere), and an address whatever it tries. Some failures are free and are
 * forgotten with time; each further one doubles how long the subject must wait. Unknown users are counted like known ones,
 * so that waiting tells nothing.
 */
import type { Database } from '#src/lib/database.ts';
import { sha256 } from './bytes.ts';
import { TooManyFailures } from './errors.ts';

export interface Attempt {
  /** Whom the login is for, as the caller named them. */
  readonly account: string;
  readonly address: string;
}

export interface Lockout {
  /** Throws TooManyFailures while the account, from this address, or the address must wait. */
  check(attempt: Attempt): Promise<void>;
  failed(attempt: Attempt): Promise<void>;
  succeeded(attempt: Attempt): Promise<void>;
}

export interface LockoutLimits {
  /** Failures without a wait. */
  readonly free: number;
  readonly longestWaitSeconds: number;
  /** One failure is forgotten in this time. */
  readonly forgetSeconds: number;
}

export interface LockoutOptions {
  readonly db: Database;
  readonly account: LockoutLimits;
  readonly address: LockoutLimits;
}

/** Rows that say nothing any more are dropped after this. */
const KEPT_SECONDS = 86_400;

export function createLockout({ db, account, address }: LockoutOptions): Lockout {
  // Hashed: names that people mistyped (passwords among them) do not belong into a table.
  const subjects = async (attempt: Attempt) => ({
    account: await sha256(`account\n${attempt.account}\n${attempt.address}`),
    address: await sha256(`address\n${attempt.address}`),
  });

  // Free failures block until the epoch, not until now: a check that began a moment before must not see a block.
  const count = (subject: string, limits: LockoutLimits) => db.sql`
    insert into identity_login_failures as f (subject, failures, last_failure_at, blocked_until)
    values (${subject}, 1, now(), 'epoch')
    on conflict (subject) do update set (failures, last_failure_at, blocked_until) = (
      select n, now(), case when n <= ${limits.free}::int then 'epoch' else now() + make_interval(secs => least(
        ${limits.longestWaitSeconds}::float8, power(2, least(n - ${limits.free}::int - 1, 30)))) end
      from (select 1 + greatest(0, f.failures
        - floor(extract(epoch from now() - f.last_failure_at) / ${limits.forgetSeconds}::float8)::int) as n) counted)`;

  return {
    async check(attempt) {
      const names = await subjects(attempt);
      const [row] = await db.sql<{ seconds: number | null }[]>`
        select ceil(extract(epoch from max(blocked_until) - now()))::int as seconds
        from identity_login_failures where subject in (${names.account}, ${names.address})`;
      if (row?.seconds != null && row.seconds > 0) throw new TooManyFailures(row.seconds);
    },
    async failed(attempt) {
      const names = await subjects(attempt);
      await Promise.all([
        count(names.account, account),
        count(names.address, address),
        db.sql`delete from identity_login_failures where last_failure_at < now() - make_interval(secs => ${KEPT_SECONDS})`,
      ]);
    },
    async succeeded(attempt) {
      const names = await subjects(attempt);
      await db.sql`delete from identity_login_failures where subject = ${names.account}`;
    },
  };
}
