/**
 * The keys that tokens are signed with, kept in PostgreSQL so that every worker signs and verifies alike. The first to need
 * one makes it; the newest signs. A key is replaced when it is a month old and dropped when nothing that it signed can
 * still be asked about.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import { base64url, fromBase64url, newHexId, randomBytes } from './bytes.ts';
import { LOCKS } from './locks.ts';

export interface SigningKey {
  readonly kid: string;
  readonly secret: CryptoKey;
}

export interface SigningKeys {
  /** The key to sign with. */
  current(): Promise<SigningKey>;
  /** The key of this id, or undefined; an unknown id costs a look into the database at most once a second. */
  find(kid: string): Promise<SigningKey | undefined>;
}

const ROTATION_DAYS = 30;
/** Longer than any token lives, the window for expired tokens included. */
const KEPT_DAYS = 2 * ROTATION_DAYS;
/** A key that another worker may not have read yet does not sign while there is an older one. */
const SETTLED_SECONDS = 5;
const RELOAD_MS = 60_000;
const UNKNOWN_RELOAD_MS = 1_000;

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', fromBase64url(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

export function createSigningKeys(db: Database, clock: Clock): SigningKeys {
  let keys = new Map<string, SigningKey>();
  let signer: SigningKey | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;

  const load = async (): Promise<boolean> => {
    const rows = await db.sql<{ kid: string; secret: string; fresh: boolean }[]>`
      select kid, secret, created_at > now() - make_interval(days => ${ROTATION_DAYS}) as fresh
      from identity_signing_keys
      order by created_at < now() - make_interval(secs => ${SETTLED_SECONDS}) desc, created_at desc, kid`;
    const loaded = new Map<string, SigningKey>();
    for (const { kid, secret } of rows) {
      loaded.set(kid, keys.get(kid) ?? { kid, secret: await importKey(secret) });
    }
    keys = loaded;
    signer = rows[0] === undefined ? undefined : loaded.get(rows[0].kid);
    loadedAt = clock.now();
    return rows[0]?.fresh ?? false;
  };

  const rotate = (): Promise<void> =>
    db.transaction({ label: 'identity_rotate_keys' }, async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCKS.keys})`;
      await tx`delete from identity_signing_keys where created_at < now() - make_interval(days => ${KEPT_DAYS})`;
      await tx`
        insert into identity_signing_keys (kid, secret)
        select ${newHexId()}, ${base64url(randomBytes(32))}
        where not exists (
          select from identity_signing_keys where created_at > now() - make_interval(days => ${ROTATION_DAYS}))`;
    });

  return {
    async current() {
      if (signer === undefined || clock.now() - loadedAt > RELOAD_MS) {
        if (!(await load())) {
          await rotate();
          await load();
        }
      }
      if (signer === undefined) throw new Error('no signing key is in the database though one was just made');
      return signer;
    },
    async find(kid) {
      const known = keys.get(kid);
      if (known !== undefined || clock.now() - loadedAt < UNKNOWN_RELOAD_MS) return known;
      await load();
      return keys.get(kid);
    },
  };
}
