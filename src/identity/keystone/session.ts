/**
 * A service user's session: calls another service of the cloud with a token of its own, which is renewed in time or when it is
 * refused, at the endpoint that Keystone's catalogue names. Who calls decides what to do when it fails: nothing is tried
 * again here but a login whose token was refused. Neither a password nor a token is in any error.
 */
import * as v from 'valibot';
import type { Clock } from '#src/lib/clock.ts';
import type { ServiceSettings } from '../settings.ts';
import { loginOf, tokensUrl } from './login.ts';

export interface ServiceSession {
  /** Sends a request to the service; `path` is what follows its endpoint. Throws when nobody answers. */
  request(path: string, init: RequestInit): Promise<Response>;
}

export interface ServiceSessionOptions {
  readonly settings: ServiceSettings;
  /** `compute`: the service's type in the catalogue. */
  readonly serviceType: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

interface Login {
  readonly token: string;
  readonly endpoint: string;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

/** Renewed this long before it expires, so that it never expires under way. */
const MARGIN_MS = 60_000;

const Body = v.object({
  token: v.object({
    expires_at: v.string(),
    catalog: v.optional(
      v.array(
        v.object({
          type: v.string(),
          endpoints: v.array(
            v.object({
              interface: v.string(),
              url: v.string(),
              region_id: v.nullish(v.string()),
              region: v.nullish(v.string()),
            }),
          ),
        }),
      ),
      [],
    ),
  }),
});

/** The session; logs in when it is first used. */
export function createServiceSession(options: ServiceSessionOptions): ServiceSession {
  const { settings, serviceType, clock } = options;
  const url = tokensUrl(settings.authUrl);
  const loginBody = JSON.stringify(loginOf(settings.credentials));
  let current: Login | undefined;

  const send = (to: string, { signal, ...init }: RequestInit): Promise<Response> => {
    const timeout = AbortSignal.timeout(settings.timeoutSeconds * 1000);
    // Not followed, so that no secret goes elsewhere.
    return options.fetch(to, {
      ...init,
      redirect: 'manual',
      signal: signal == null ? timeout : AbortSignal.any([signal, timeout]),
    });
  };

  const endpointIn = (body: unknown): Pick<Login, 'endpoint' | 'renewAt'> => {
    const parsed = v.safeParse(Body, body);
    if (!parsed.success) throw new Error(`${url} answered with something that is no token`);
    const { expires_at, catalog } = parsed.output.token;
    const { region, interface: wanted } = settings;
    const endpoints = catalog.filter(({ type }) => type === serviceType).flatMap(({ endpoints }) => endpoints);
    const found = endpoints.find(
      (endpoint) =>
        endpoint.interface === wanted && (region === null || (endpoint.region_id ?? endpoint.region) === region),
    );
    if (found === undefined) {
      const where = region === null ? 'any region' : `region ${region}`;
      throw new Error(
        `the catalogue of ${url} has no ${wanted} endpoint of a service of type '${serviceType}' in ${where}`,
      );
    }
    return { endpoint: found.url.replace(/\/+$/, ''), renewAt: Date.parse(expires_at) - MARGIN_MS };
  };

  const logIn = async (signal: AbortSignal | null | undefined): Promise<Login> => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await send(url, {
      method: 'POST',
      headers,
      body: loginBody,
      ...(signal == null ? {} : { signal }),
    });
    const token = response.headers.get('X-Subject-Token');
    if (response.status !== 201 || token === null) {
      await response.body?.cancel();
      throw new Error(`${url} refused the login with ${response.status}`);
    }
    return { token, ...endpointIn(await response.json()) };
  };

  return {
    async request(path, init) {
      for (let attempt = 0; ; attempt++) {
        if (current === undefined || clock.now() >= current.renewAt) current = await logIn(init.signal);
        const headers = new Headers(init.headers);
        headers.set('X-Auth-Token', current.token);
        const response = await send(`${current.endpoint}${path}`, { ...init, headers });
        if (response.status !== 401) return response;
        current = undefined;
        if (attempt > 0) return response;
        await response.body?.cancel();
      }
    },
  };
}
