/**
 * `auth_strategy = keystone`: tokens are shown to a real Keystone, and what it says of them is believed for a while. What a
 * caller may do ends when Keystone says so, at the latest when that while has passed. Keystone's troubles are never
 * taken for the caller's: they give 503, not 401.
 */
import type { Authenticator, Identity } from '#src/lib/auth.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import { sha256 } from '../bytes.ts';
import { Unauthenticated } from '../errors.ts';
import { Lru } from '../lru.ts';
import type { KeystoneSettings } from '../settings.ts';
import { createKeystoneClient } from './client.ts';
import type { KeystoneToken } from './token.ts';

export interface KeystoneOptions {
  readonly settings: KeystoneSettings;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** True in isolates (workerd), where one request must not wait for what another began. */
  readonly isolated?: boolean;
}

/** What is known of a token until a time; undefined: Keystone does not know it. */
interface Known {
  readonly token: KeystoneToken | undefined;
  readonly until: number;
}

const KNOWN_TOKENS = 10_000;
/** How long Keystone is not asked again about a token that it refused. */
const REFUSED_MS = 5_000;

/** The authenticator that asks Keystone. */
export function createKeystone(options: KeystoneOptions): Authenticator {
  const { settings, clock, log } = options;
  const client = createKeystoneClient(options);
  // Keyed by hash: a dump of the memory gives no tokens away.
  const known = new Lru<Known>(KNOWN_TOKENS);
  const asked = new Map<string, Promise<KeystoneToken | undefined>>();
  const validations = options.metrics.counter('nucleon_keystone_validations_total', 'Tokens validated', ['result']);

  const ask = async (key: string, token: string, allowExpired: boolean): Promise<KeystoneToken | undefined> => {
    const validated = await client.validate(token, allowExpired);
    const now = clock.now();
    const until =
      validated === undefined ? now + REFUSED_MS : Math.min(now + settings.cacheSeconds * 1000, validated.expiresAt);
    if (settings.cacheSeconds > 0) known.set(key, { token: validated, until });
    validations.add({ result: validated === undefined ? 'refused' : 'accepted' });
    return validated;
  };

  const validate = async (token: string, allowExpired: boolean): Promise<KeystoneToken | undefined> => {
    const key = `${await sha256(token)}${allowExpired ? '+' : ''}`;
    const entry = known.get(key);
    if (entry !== undefined && clock.now() < entry.until) {
      validations.add({ result: 'cached' });
      return entry.token;
    }
    if (options.isolated === true) return ask(key, token, allowExpired);
    let answer = asked.get(key);
    if (answer === undefined) {
      answer = ask(key, token, allowExpired).finally(() => asked.delete(key));
      asked.set(key, answer);
    }
    return answer;
  };

  const isService = (token: KeystoneToken): boolean =>
    !settings.serviceTokenRolesRequired ||
    settings.serviceTokenRoles.some((role) => token.identity.roles.includes(role.toLowerCase()));

  return {
    async authenticate(headers): Promise<Identity> {
      const unauthenticated = new Unauthenticated(settings.wwwAuthenticateUri);
      const token = headers.get('X-Auth-Token');
      if (token === null || token === '') throw unauthenticated;
      const serviceToken = headers.get('X-Service-Token');
      let allowExpired = false;
      if (serviceToken !== null && serviceToken !== '') {
        const service = await validate(serviceToken, false);
        if (service === undefined) {
          log.info('refused: the service token is not valid');
          throw unauthenticated;
        }
        allowExpired = isService(service);
      }
      const validated = await validate(token, allowExpired);
      if (validated === undefined) throw unauthenticated;
      return validated.identity;
    },
  };
}
