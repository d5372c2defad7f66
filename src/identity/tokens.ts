/**
 * Tokens: compact JWS (HS256) over the claims. Verifying one costs a signature the first time a process sees it and a map
 * look-up afterwards; whether it has expired or was revoked is looked at each time.
 */
import { CompactSign, compactVerify } from 'jose';
import type { Authenticator, Identity } from '#src/lib/auth.ts';
import type { Clock } from '#src/lib/clock.ts';
import { HttpServiceUnavailable } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { identityOfClaims, packClaims, subjectsOfClaims, type TokenClaims, unpackClaims } from './claims.ts';
import { Unauthenticated } from './errors.ts';
import type { SigningKeys } from './keys.ts';
import { Lru } from './lru.ts';
import type { Revocations } from './revocations.ts';

/** Services may ask about a token this long after it expired (Keystone's `[token] allow_expired_window`). */
export const EXPIRED_WINDOW_SECONDS = 172_800;

export interface VerifyOptions {
  /** Sees a revocation by another process at once. */
  readonly fresh?: boolean;
  /** Also a token that has expired lately. */
  readonly allowExpired?: boolean;
}

export interface Verified {
  readonly claims: TokenClaims;
  readonly identity: Identity;
}

export interface Tokens {
  sign(claims: TokenClaims): Promise<string>;
  /** What the token says, or undefined for one that is not ours, has expired or is revoked. */
  verify(token: string, options?: VerifyOptions): Promise<Verified | undefined>;
}

export interface TokensOptions {
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  readonly clock: Clock;
}

interface Known extends Verified {
  readonly subjects: readonly string[];
}

const ALGORITHM = 'HS256';
/** Tells our tokens from anything else that a key might sign. */
const TYPE = 'nucleon';
const KNOWN_TOKENS = 8192;
/** Longer text is no token of ours: nothing is computed for it. */
const LONGEST = 16_384;

export function createTokens({ keys, revocations, clock }: TokensOptions): Tokens {
  const known = new Lru<Known>(KNOWN_TOKENS);

  const check = async (token: string): Promise<Known | undefined> => {
    if (token.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    try {
      const { payload } = await compactVerify(
        token,
        async ({ kid, typ }) => {
          const key = kid === undefined || typ !== TYPE ? undefined : await keys.find(kid);
          if (key === undefined) throw new UnknownKey();
          return key.secret;
        },
        { algorithms: [ALGORITHM] },
      );
      const claims = unpackClaims(new TextDecoder().decode(payload));
      const entry = { claims, identity: identityOfClaims(claims), subjects: subjectsOfClaims(claims) };
      known.set(token, entry);
      return entry;
    } catch (error) {
      if (error instanceof UnknownKey || isOfJose(error)) return undefined;
      throw error;
    }
  };

  return {
    async sign(claims) {
      const key = await keys.current();
      return await new CompactSign(new TextEncoder().encode(JSON.stringify(packClaims(claims))))
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .sign(key.secret);
    },
    async verify(token, { fresh = false, allowExpired = false } = {}) {
      const entry = known.get(token) ?? (await check(token));
      if (entry === undefined) return undefined;
      const { issuedAt, expiresAt } = entry.claims;
      const limit = allowExpired ? expiresAt + EXPIRED_WINDOW_SECONDS * 1_000_000 : expiresAt;
      if (clock.now() * 1000 >= limit) return undefined;
      const revoked = revocations.isRevoked(entry.subjects, issuedAt, fresh);
      if (typeof revoked === 'boolean' ? revoked : await revoked) return undefined;
      return entry;
    },
  };
}

class UnknownKey extends Error {}

/** What jose says of a token is about the token; other errors (the database) are not. */
function isOfJose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J');
}

export interface TokenAuthenticatorOptions {
  readonly tokens: Tokens;
  readonly log: Logger;
  /** Told to callers without a valid token. */
  readonly authUri: (headers: Headers) => string;
}

/** The authenticator for `X-Auth-Token`s of our own; with a service's token beside it, a user's may have expired lately. */
export function createTokenAuthenticator({ tokens, log, authUri }: TokenAuthenticatorOptions): Authenticator {
  const verify = async (token: string, options?: VerifyOptions): Promise<Verified | undefined> => {
    try {
      return await tokens.verify(token, options);
    } catch (error) {
      log.error('a token could not be validated', { error });
      throw new HttpServiceUnavailable('The identity service could not validate the token: try again in a moment.');
    }
  };
  return {
    async authenticate(headers) {
      const token = headers.get('X-Auth-Token');
      if (token === null || token === '') throw new Unauthenticated(authUri(headers));
      const serviceToken = headers.get('X-Service-Token');
      let allowExpired = false;
      if (serviceToken !== null) {
        const service = await verify(serviceToken);
        if (service === undefined) throw new Unauthenticated(authUri(headers));
        allowExpired = service.identity.roles.includes('service');
      }
      const verified = await verify(token, { allowExpired });
      if (verified === undefined) throw new Unauthenticated(authUri(headers));
      return verified.identity;
    },
  };
}
