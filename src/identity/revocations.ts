/**
 * Which tokens are void before they expire. A revocation names a subject (one token, a user, a project ...) and a time: tokens
 * that concern the subject and were issued at or before that time are void. The list is small, and every process
 * keeps a copy that is at most a second old.
 *
 * A token cannot slip through with rights that are being taken away: who issues holds a shared advisory lock from reading the
 * time to reading the roles, who revokes holds it exclusively from stamping the revocation to its commit. Both
 * times are PostgreSQL's, so clocks of machines need not agree. The same lock makes revision numbers grow in the order of
 * commits, which is what lets a copy ask only for what is new.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Database, Transaction } from '#src/lib/database.ts';
import { LOCKS } from './locks.ts';

/** `audit:<id>` one token · `user:` `project:` `domain:` `role:` `application_credential:` `<id>` · `grant:<user>:<target or system>`. */
export type RevocationSubject = `${
  | 'audit'
  | 'user'
  | 'project'
  | 'domain'
  | 'role'
  | 'application_credential'
  | 'grant'}:${string}`;

export interface Revocations {
  /** Voids tokens of the subjects when the transaction commits. Call it before what it belongs to: it takes the lock. */
  revoke(tx: Transaction, subjects: readonly RevocationSubject[]): Promise<void>;
  /** Call it after a commit that revoked: this process's next look sees it. */
  distrustCopy(): void;
  /** The time (microseconds) for tokens issued in this transaction, before it reads what they will say. */
  issueTime(tx: Transaction): Promise<number>;
  /** As isRevoked, seen by the transaction itself: after issueTime nothing can be revoked until it ends. */
  isRevokedIn(tx: Transaction, subjects: readonly string[], issuedAt: number): Promise<boolean>;
  /** Whether a token with these subjects is void; `fresh` looks into the database even if the copy is young. */
  isRevoked(subjects: readonly string[], issuedAt: number, fresh?: boolean): boolean | Promise<boolean>;
}

/** A copy this old is renewed in the background; one twice as old is waited for. */
const RENEW_MS = 500;
const STALE_MS = 1_000;

export interface RevocationsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** How long tokens can be asked about, expired ones included. */
  readonly keptSeconds: number;
  /** False where a promise must not be shared between requests (isolates). */
  readonly shareQueries: boolean;
}

export function createRevocations({ db, clock, keptSeconds, shareQueries }: RevocationsOptions): Revocations {
  const issuedBefore = new Map<string, number>();
  let revision = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let renewal: Promise<void> | undefined;

  const renew = async (): Promise<void> => {
    const asked = clock.now();
    const rows = await db.sql<{ subject: string; issued_before: string; revision: string }[]>`
      select subject, issued_before, revision from identity_revocations where revision > ${revision} order by revision`;
    for (const row of rows) {
      issuedBefore.set(row.subject, Number(row.issued_before));
      revision = Math.max(revision, Number(row.revision));
    }
    forgetOld(issuedBefore, (asked - keptSeconds * 1000) * 1000);
    readAt = Math.max(readAt, asked);
  };
  const renewShared = (): Promise<void> => {
    if (!shareQueries) return renew();
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  const revokedInCopy = (subjects: readonly string[], issuedAt: number): boolean => {
    if (issuedBefore.size === 0) return false;
    return subjects.some((subject) => {
      const before = issuedBefore.get(subject);
      return before !== undefined && issuedAt <= before;
    });
  };

  return {
    async revoke(tx, subjects) {
      if (subjects.length === 0) return;
      await tx`select pg_advisory_xact_lock(${LOCKS.revocations})`;
      await tx`delete from identity_revocations where expires_at < now()`;
      await tx`
        insert into identity_revocations (subject, issued_before, revision, expires_at)
        select subject, (extract(epoch from clock_timestamp()) * 1000000)::bigint, nextval('identity_revocation_seq'),
          clock_timestamp() + make_interval(secs => ${keptSeconds})
        from unnest(${[...new Set(subjects)]}::text[]) subject
        on conflict (subject) do update set
          issued_before = excluded.issued_before, revision = excluded.revision, expires_at = excluded.expires_at`;
    },
    distrustCopy() {
      readAt = Number.NEGATIVE_INFINITY;
    },
    async issueTime(tx) {
      await tx`select pg_advisory_xact_lock_shared(${LOCKS.revocations})`;
      const [row] = await tx<
        { now: string }[]
      >`select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now`;
      return Number(row?.now);
    },
    async isRevokedIn(tx, subjects, issuedAt) {
      const rows = await tx`
        select from identity_revocations where subject = any(${[...subjects]}::text[]) and issued_before >= ${issuedAt}`;
      return rows.length > 0;
    },
    isRevoked(subjects, issuedAt, fresh = false) {
      const age = clock.now() - readAt;
      if (fresh || age > STALE_MS || age < 0) {
        // A query under way may have begun before what the caller wants to see.
        const renewed = fresh ? renew() : renewShared();
        return renewed.then(() => revokedInCopy(subjects, issuedAt));
      }
      // A failure shows when the copy is too old to be used, not now.
      if (age > RENEW_MS && shareQueries) renewShared().catch(() => {});
      return revokedInCopy(subjects, issuedAt);
    },
  };
}

function forgetOld(issuedBefore: Map<string, number>, limit: number): void {
  if (issuedBefore.size === 0) return;
  for (const [subject, before] of issuedBefore) if (before < limit) issuedBefore.delete(subject);
}
