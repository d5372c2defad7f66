/**
 * The embedded identity, put together: an Identity v3 service below `/identity` and the authenticator for its tokens. All that
 * matters is in PostgreSQL, so any number of processes serve one identity; what a process keeps is caches.
 */
import type { Authenticator } from '#src/lib/auth.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Runtime } from '#src/lib/runtime.ts';
import { type AdminAccount, bootstrap } from './bootstrap.ts';
import { createIdentityApp } from './http/mod.ts';
import { createSigningKeys } from './keys.ts';
import { createLockout } from './lockout.ts';
import { createLogin } from './login.ts';
import { createPasswords } from './passwords.ts';
import { createRevocations } from './revocations.ts';
import { createSecretCheck } from './secret_check.ts';
import type { IdentitySettings } from './settings.ts';
import { createTokenAuthenticator, createTokens, EXPIRED_WINDOW_SECONDS } from './tokens.ts';

export interface EmbeddedIdentityOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly scrypt: Runtime['scrypt'];
  readonly settings: IdentitySettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Said in `WWW-Authenticate` where the settings give no public endpoint and the request no host. */
  readonly fallbackEndpoint: string;
  /** True in isolates (workerd), where one request must not wait for what another began. */
  readonly isolated?: boolean;
}

export interface EmbeddedIdentity {
  /** Answers everything at and below `/identity`. */
  handle(request: Request, remote: { readonly address: string }): Promise<Response>;
  readonly authenticator: Authenticator;
  /**
   * Makes what is missing in the database. The password is the administrator's only if this makes the account
   * (`created`): keep it in a file before the call, so that a crash between the two loses nothing.
   */
  bootstrap(adminPassword: string): Promise<AdminAccount>;
  /** For an administrator who lost the password: sets it, enables the account, voids its tokens. */
  resetAdminPassword(adminPassword: string): Promise<void>;
}

/** Hashes at once in a process, and logins waiting for their turn. */
const HASHES = 2;
const WAITING = 64;
/** Failures of one address, for whatever accounts: an office behind one address must not be shut out by a few typing errors. */
const ADDRESS_LIMITS = { free: 100, longestWaitSeconds: 60, forgetSeconds: 6 };
const ACCOUNT_FORGET_SECONDS = 60;
const HOST = /^[\w.:[\]-]+$/;

export function createEmbeddedIdentity(options: EmbeddedIdentityOptions): EmbeddedIdentity {
  const { db, clock, settings, log, metrics } = options;
  const passwords = createPasswords({
    scrypt: options.scrypt,
    logN: settings.passwordHashCost,
    // In an isolate one request must not wait for the turn of another.
    concurrent: options.isolated === true ? Number.POSITIVE_INFINITY : HASHES,
    queued: WAITING,
  });
  const lockout = createLockout({
    db,
    account: {
      free: settings.lockoutAttempts,
      longestWaitSeconds: settings.lockoutSeconds,
      forgetSeconds: ACCOUNT_FORGET_SECONDS,
    },
    address: ADDRESS_LIMITS,
  });
  const check = createSecretCheck(passwords, lockout);
  const keys = createSigningKeys(db, clock);
  const revocations = createRevocations({
    db,
    clock,
    keptSeconds: settings.tokenSeconds + EXPIRED_WINDOW_SECONDS,
    shareQueries: options.isolated !== true,
  });
  const tokens = createTokens({ keys, revocations, clock });
  const login = createLogin({
    db,
    passwords,
    check,
    revocations,
    tokens,
    log,
    metrics,
    tokenSeconds: settings.tokenSeconds,
  });
  const app = createIdentityApp({
    db,
    clock,
    log,
    passwords,
    check,
    revocations,
    tokens,
    login,
    publicEndpoint: settings.publicEndpoint,
  });
  return {
    handle: app,
    authenticator: createTokenAuthenticator({
      tokens,
      log,
      authUri: (headers) => {
        const host = headers.get('Host') ?? '';
        // It is the caller's own text, and goes into a quoted parameter of a header.
        const endpoint = settings.publicEndpoint ?? (HOST.test(host) ? `http://${host}` : options.fallbackEndpoint);
        return `${endpoint}/identity`;
      },
    }),
    async bootstrap(adminPassword) {
      const account = await bootstrap({ db, passwords, log, ...settings }, adminPassword);
      // Made now, so that no worker has to wait for a key or misses one.
      await keys.current();
      return account;
    },
    async resetAdminPassword(adminPassword) {
      const hash = await passwords.hash(adminPassword);
      await db.transaction({ label: 'identity_reset_admin' }, async (tx) => {
        const [user] = await tx<{ id: string }[]>`
          select id from identity_users where domain_id = 'default' and name = ${settings.adminUsername}`;
        if (user === undefined) {
          throw new Error(`there is no user ${settings.adminUsername} in the Default domain: bootstrap makes it`);
        }
        await revocations.revoke(tx, [`user:${user.id}`]);
        await tx`update identity_users set password_hash = ${hash}, enabled = true where id = ${user.id}`;
      });
      revocations.distrustCopy();
    },
  };
}
