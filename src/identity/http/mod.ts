/**
 * The Identity v3 service over HTTP: turns a request into a `Call`, finds its route, and answers with what the handler gives or
 * with an error of Keystone's shape. Every route but the public ones needs a token and asks `access.ts` before it does
 * anything.
 */
import { Hono } from 'hono';
import { cleanCopy } from '#src/lib/api/clean.ts';
import { HttpBadRequest, HttpRequestTooLarge, NeutronError } from '#src/lib/errors.ts';
import { isUnavailable } from '#src/lib/unavailable.ts';
import type { TokenClaims } from '../claims.ts';
import { Busy, ForbiddenAction, NotAllowed, Unauthenticated, UnknownPath } from '../errors.ts';
import { mayDo } from './access.ts';
import { applicationCredentialRoutes } from './application_credentials.ts';
import { assignmentRoutes } from './assignments.ts';
import { authRoutes } from './auth.ts';
import { catalogueRoutes } from './catalogue.ts';
import { PREFIX, versionAnswer, versionsAnswer } from './discovery.ts';
import { domainRoutes } from './domains.ts';
import { grantRoutes } from './grants.ts';
import { groupRoutes } from './groups.ts';
import { projectRoutes } from './projects.ts';
import { roleRoutes } from './roles.ts';
import type { Call, IdentityServices, Reply, Route } from './route.ts';
import { userRoutes } from './users.ts';

/** All routes below `/identity/v3`. */
export const ROUTES: readonly Route[] = [
  ...authRoutes,
  ...domainRoutes,
  ...projectRoutes,
  ...userRoutes,
  ...groupRoutes,
  ...roleRoutes,
  ...grantRoutes,
  ...assignmentRoutes,
  ...applicationCredentialRoutes,
  ...catalogueRoutes,
];

type Remote = { readonly address: string };
type Environment = { Bindings: Remote };

/** Keystone's own limit. */
const LONGEST_BODY = 114_688;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** The service as a function from request to response. */
export function createIdentityApp(services: IdentityServices): (request: Request, remote: Remote) => Promise<Response> {
  const app = new Hono<Environment>({ strict: false });
  const originOf = (url: string): string => services.publicEndpoint ?? new URL(url).origin;

  app.get('/identity', ({ req }) => answer(versionsAnswer(originOf(req.url))));
  app.get(PREFIX, ({ req }) => answer(versionAnswer(originOf(req.url))));
  for (const route of ROUTES) {
    app.on(route.method, `${PREFIX}${route.path}`, async ({ req, env }) => {
      const call = await callOf(services, route, originOf(req.url), req.raw, env, (name) => req.param(name) ?? '');
      const reply = await route.handler(call);
      // What may have revoked something must be seen by this process's next look.
      if (route.method !== 'GET') services.revocations.distrustCopy();
      return answer(reply);
    });
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method);
    app.all(`${PREFIX}${path}`, () => {
      const allow = methods.includes('GET') ? ['HEAD', ...methods] : methods;
      return answer({ ...failure(new NotAllowed()), headers: { Allow: allow.join(', ') } });
    });
  }
  app.notFound(() => answer(failure(new UnknownPath())));
  app.onError((error, { req }) => {
    if (isUnavailable(error)) {
      services.log.warn('identity request failed: the database is away', { path: req.path, error });
      return answer(failure(new Busy('The database cannot be reached at the moment: try again.')));
    }
    if (!(error instanceof NeutronError)) {
      services.log.error('identity request failed: internal server error', {
        method: req.method,
        path: req.path,
        error,
        stack: error.stack,
      });
    }
    return answer(failure(error, `${originOf(req.url)}/identity`));
  });
  return async (request, remote) => app.fetch(request, remote);
}

async function callOf(
  services: IdentityServices,
  route: Route,
  origin: string,
  request: Request,
  remote: Remote,
  param: (name: string) => string,
): Promise<Call> {
  const { action } = route;
  // PostgreSQL keeps no such character: nothing is called so, and nothing can be.
  if (/%00/.test(request.url)) throw new HttpBadRequest('The path and the query must hold no null character.');
  let body: Promise<unknown> | undefined;
  const authUri = `${origin}/identity`;
  const caller = action === 'public' ? undefined : await callerOf(services, request.headers, authUri);
  return {
    services,
    origin,
    base: `${origin}${PREFIX}`,
    url: `${origin}${request.url.slice(new URL(request.url).origin.length)}`,
    address: remote.address,
    headers: request.headers,
    query: new URL(request.url).searchParams,
    param: (name) => param(name).normalize(),
    body: () => (body ??= parsedBody(request)),
    get caller() {
      if (caller === undefined) throw new Unauthenticated(authUri);
      return caller;
    },
    enforce(target = {}) {
      if (action === 'public') return;
      if (caller === undefined || !mayDo(action, caller, target)) throw new ForbiddenAction(`identity:${action}`);
    },
  };
}

async function callerOf(services: IdentityServices, headers: Headers, authUri: string): Promise<TokenClaims> {
  const token = headers.get('X-Auth-Token');
  const verified = token === null ? undefined : await services.tokens.verify(token, { fresh: true });
  if (verified === undefined) throw new Unauthenticated(authUri);
  return verified.claims;
}

async function parsedBody(request: Request): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (request.body !== null) {
    const reader = request.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > LONGEST_BODY) {
        await reader.cancel();
        throw new HttpRequestTooLarge(`The request body is longer than ${LONGEST_BODY} bytes.`);
      }
      chunks.push(next.value);
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpBadRequest('The request body is not valid JSON.');
  }
  return cleanCopy('the request body', parsed);
}

function failure(error: Error, authUri?: string): Reply {
  const known = error instanceof NeutronError ? error : undefined;
  const code = known?.status ?? 500;
  const message = known?.message ?? 'An unexpected error prevented the server from fulfilling your request.';
  return {
    status: code,
    body: { error: { code, message, title: TITLES[code] ?? 'Internal Server Error' } },
    headers: {
      ...(code === 401 && authUri !== undefined ? { 'WWW-Authenticate': `Keystone uri="${authUri}"` } : {}),
      ...known?.headers,
    },
  };
}

function answer({ status, body, headers }: Reply): Response {
  const common = { Vary: 'X-Auth-Token', ...headers };
  if (body === undefined) return new Response(null, { status, headers: common });
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...common } });
}
