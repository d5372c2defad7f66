/** The middleware that answers: health, versions, the API's description, Identity, extensions and the app itself. */
import type { Authenticator } from '#src/lib/auth.ts';
import { HttpNotFound } from '#src/lib/errors.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import { acceptsJson } from './accept.ts';
import { answerJson, answerText } from './answer.ts';
import { onlyRead } from './methods.ts';
import { openApi, type Source } from './openapi/mod.ts';
import { authenticate } from './pipeline/auth.ts';
import type { Serving } from './pipeline/mod.ts';
import type { ServedExtensions } from './router/extensions.ts';
import type { ApiContext, ApiMiddleware } from './state.ts';
import { API_ROOT, coreResources, extensionList, extensionShow, versions } from './versions.ts';

/** The embedded Identity service, as the API mounts it. */
export interface IdentityService {
  handle(request: Request, remote: { readonly address: string }): Promise<Response>;
}

export interface ServingOptions {
  readonly plugins: readonly Plugin[];
  readonly policy: Policy;
  readonly authenticator: Authenticator;
  readonly identity?: IdentityService;
  readonly extensions: ServedExtensions;
  /** What the API's description is made from. */
  readonly description: Source;
  /** `network_link_prefix`, if configured. */
  readonly linkPrefix: string | null;
  readonly dispatch: (c: ApiContext, path: string) => Promise<Response>;
}

/** The path without the slash or `.json` that may end it. */
function trimmed(path: string): string {
  const bare = path.endsWith('/') ? path.slice(0, -1) : path;
  return bare.endsWith('.json') ? bare.slice(0, -5) : bare;
}

function healthcheck(): ApiMiddleware {
  return async (c, next) => {
    if (c.env.path !== '/healthcheck') return next();
    c.env.trace.route = '/healthcheck';
    onlyRead(c);
    return answerText(c, 200, 'OK');
  };
}

function versionList(): ApiMiddleware {
  return async (c, next) => {
    if (c.env.path !== '/') return next();
    c.env.trace.route = '/';
    onlyRead(c);
    return answerJson(c, 200, versions(c.env.base));
  };
}

const IDENTITY = '/identity';

function identityService(identity: IdentityService | undefined): ApiMiddleware | undefined {
  if (identity === undefined) return undefined;
  return async (c, next) => {
    const { path } = c.env;
    if (path !== IDENTITY && !path.startsWith(`${IDENTITY}/`)) return next();
    c.env.trace.route = IDENTITY;
    return identity.handle(c.req.raw, c.env.remote);
  };
}

const EXTENSIONS = `${API_ROOT}/extensions`;

function extensionCatalogue(served: ServedExtensions): ApiMiddleware {
  const list = extensionList(served);
  return async (c, next) => {
    if (!c.env.path.startsWith(EXTENSIONS)) return next();
    const path = trimmed(c.env.path);
    if (path === EXTENSIONS) {
      c.env.trace.route = EXTENSIONS;
      onlyRead(c);
      return answerJson(c, 200, list);
    }
    const alias = path.slice(EXTENSIONS.length + 1);
    if (path[EXTENSIONS.length] !== '/' || alias.includes('/')) return next();
    c.env.trace.route = `${EXTENSIONS}/{alias}`;
    onlyRead(c);
    const body = extensionShow(served, alias);
    // Neutron answers this one in plain text.
    return body === undefined
      ? answerText(c, 404, `Extension with alias ${alias} does not exist`)
      : answerJson(c, 200, body);
  };
}

function app({ plugins, dispatch }: ServingOptions): ApiMiddleware {
  return async (c) => {
    acceptsJson(c.req.raw.headers);
    const { path } = c.env;
    if (!path.startsWith(`${API_ROOT}/`)) throw new HttpNotFound();
    if (path.length > API_ROOT.length + 1) return dispatch(c, path.slice(API_ROOT.length + 1));
    c.env.trace.route = `${API_ROOT}/`;
    onlyRead(c);
    return answerJson(c, 200, coreResources(plugins, c.env.base));
  };
}

/** Builds them. */
export function createServing(options: ServingOptions): Readonly<Record<Serving, ApiMiddleware | undefined>> {
  return {
    healthcheck: healthcheck(),
    versions: versionList(),
    openapi: openApi(options.description, options.linkPrefix),
    identity: identityService(options.identity),
    auth: authenticate(options.authenticator, options.policy),
    extensions: extensionCatalogue(options.extensions),
    app: app(options),
  };
}
