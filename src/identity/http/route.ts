/**
 * What a route of the identity service is: a method, a path, the action that access is asked for, and a handler that gets a
 * `Call` and gives a `Reply`. Handlers see no HTTP framework.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Database } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { TokenClaims } from '../claims.ts';
import type { Login } from '../login.ts';
import type { Passwords } from '../passwords.ts';
import type { Revocations } from '../revocations.ts';
import type { SecretCheck } from '../secret_check.ts';
import type { Tokens } from '../tokens.ts';
import type { AccessTarget, Action } from './access.ts';

export interface IdentityServices {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly passwords: Passwords;
  readonly check: SecretCheck;
  readonly revocations: Revocations;
  readonly tokens: Tokens;
  readonly login: Login;
  readonly publicEndpoint: string | null;
}

/** One request, as handlers see it. */
export interface Call {
  readonly services: IdentityServices;
  /** `http://host:port`, without a path. */
  readonly origin: string;
  /** `http://host:port/identity/v3` */
  readonly base: string;
  /** The whole URL that was asked for. */
  readonly url: string;
  readonly address: string;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  /** A parameter of the path. */
  param(name: string): string;
  /** The parsed JSON body. */
  body(): Promise<unknown>;
  /** Who asks; only public routes are called without. */
  readonly caller: TokenClaims;
  /** Throws ForbiddenAction unless the caller may do the route's action to the target. */
  enforce(target?: AccessTarget): void;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/identity/v3`; a GET is also answered to HEAD. */
  readonly path: string;
  /** `public`: anybody, without a token. */
  readonly action: Action | 'public';
  readonly handler: (call: Call) => Promise<Reply>;
}

export const NO_CONTENT: Reply = { status: 204 };
