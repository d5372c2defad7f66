/**
 * Talks to Keystone as the service user: keeps a token of its own, renews it in time or when it is refused, and asks about other
 * people's. Requests that Keystone could not answer are tried again, a few times and not for long.
 */
import type { Clock } from '#src/lib/clock.ts';
import { HttpServiceUnavailable } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { KeystoneSettings } from '../settings.ts';
import { loginOf, tokensUrl } from './login.ts';
import { type KeystoneToken, parseKeystoneToken } from './token.ts';

export interface KeystoneClient {
  /** What the token is, or undefined if Keystone does not accept it. Throws HttpServiceUnavailable. */
  validate(token: string, allowExpired: boolean): Promise<KeystoneToken | undefined>;
}

export interface KeystoneClientOptions {
  readonly settings: KeystoneSettings;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Logger;
  readonly isolated?: boolean;
}

interface OwnToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

/** Renewed this long before it expires, so that it never expires under way. */
const MARGIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
/** No token of any Keystone is longer; what is longer is not sent on. */
const LONGEST_TOKEN = 16_384;

export function createKeystoneClient(options: KeystoneClientOptions): KeystoneClient {
  const { settings, clock, log } = options;
  const url = tokensUrl(settings.authUrl);
  const loginBody = JSON.stringify(loginOf(settings.credentials));
  let own: OwnToken | undefined;
  let login: Promise<OwnToken> | undefined;

  const unavailable = (reason: string, cause?: unknown): Error => {
    log.error('a token could not be validated', { keystone: url, reason, error: cause });
    return new HttpServiceUnavailable('The identity service cannot validate tokens at the moment: try again later.');
  };

  /** The response, unless Keystone could not be reached or could not answer, again and again. */
  const request = async (
    path: string,
    init: RequestInit,
  ): Promise<{ status: number; headers: Headers; body: unknown }> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const signal = AbortSignal.timeout(settings.timeoutSeconds * 1000);
        // Not followed, so that no secret goes elsewhere; its status is then none that we take. (workerd knows no 'error'.)
        const response = await options.fetch(path, { ...init, signal, redirect: 'manual' });
        const text = await response.text();
        if (response.status < 500 && response.status !== 429) {
          const json = response.headers.get('Content-Type')?.startsWith('application/json') === true && text !== '';
          return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : null };
        }
        if (attempt >= settings.retries) throw unavailable(`Keystone answered ${response.status}`);
      } catch (error) {
        if (error instanceof HttpServiceUnavailable) throw error;
        if (attempt >= settings.retries) throw unavailable('no answer', error);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random())));
    }
  };

  const logIn = async (): Promise<OwnToken> => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await request(url, { method: 'POST', headers, body: loginBody });
    const token = response.headers.get('X-Subject-Token');
    if (response.status !== 201 || token === null) {
      throw unavailable(`Keystone refused the login of [keystone_authtoken] with ${response.status}`);
    }
    own = { token, renewAt: parsed(response.body).expiresAt - MARGIN_MS };
    return own;
  };
  const parsed = (body: unknown): KeystoneToken => {
    try {
      return parseKeystoneToken(body);
    } catch (error) {
      throw unavailable('Keystone answered with something that is no token', error);
    }
  };
  const ownToken = (): OwnToken | Promise<OwnToken> => {
    if (own !== undefined && clock.now() < own.renewAt) return own;
    if (options.isolated === true) return logIn();
    login ??= logIn().finally(() => {
      login = undefined;
    });
    return login;
  };

  return {
    async validate(token, allowExpired) {
      if (token.length > LONGEST_TOKEN || /[^\x21-\x7e]/.test(token)) return undefined;
      for (let attempt = 0; ; attempt++) {
        const service = await ownToken();
        const headers = { 'X-Auth-Token': service.token, 'X-Subject-Token': token };
        const response = await request(`${url}?nocatalog${allowExpired ? '&allow_expired=1' : ''}`, { headers });
        if (response.status === 200) return parsed(response.body);
        if (response.status === 404) return undefined;
        // 401 is about our own token: it may have been revoked.
        if (response.status !== 401 || attempt > 0) {
          throw unavailable(`Keystone answered ${response.status} when asked about a token`);
        }
        if (own === service) own = undefined;
      }
    },
  };
}
