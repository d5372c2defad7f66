/**
 * The HTTP pipeline: middleware by name, in the order of `[pipeline] api`, as api-paste.ini has it. A name that is none of
 * ours is a module specifier of a deployment's own middleware, loaded beforehand (`loadMiddleware`), because the app itself
 * is built at once.
 */
import type { Config } from '#src/lib/config.ts';
import { nearest } from '#src/lib/nearest.ts';
import { ApiSetupError } from '../errors.ts';
import type { ApiMiddleware, MiddlewareFactory, MiddlewareOptions } from '../state.ts';
import { bodyLimit } from './body_limit.ts';
import { catchErrors } from './catch_errors.ts';
import { crossOrigin } from './cors.ts';
import { proxyHeaders } from './proxy.ts';
import { rateLimit } from './rate_limit.ts';
import { requestId } from './request_id.ts';

/** Middleware that needs nothing but the configuration; the app adds those that serve something. */
export const STANDARD: Readonly<Record<string, MiddlewareFactory>> = {
  cors: crossOrigin,
  http_proxy_to_wsgi: proxyHeaders,
  request_id: requestId,
  catch_errors: catchErrors,
  body_limit: bodyLimit,
  rate_limit: rateLimit,
};

/** Names that `createApp` itself gives a meaning. */
export const SERVING = ['healthcheck', 'versions', 'openapi', 'identity', 'auth', 'extensions', 'app'] as const;
export type Serving = (typeof SERVING)[number];

function unknownName(name: string): ApiSetupError {
  const known = [...Object.keys(STANDARD), ...SERVING];
  const close = nearest(name, known);
  return new ApiSetupError(
    `[pipeline] api names '${name}', which is no middleware: known are ${known.join(', ')}` +
      `${close === undefined ? '' : ` (did you mean '${close}'?)`}; a middleware of your own is named by its module's specifier`,
  );
}

function isKnown(name: string): boolean {
  return Object.hasOwn(STANDARD, name) || SERVING.some((serving) => serving === name);
}

/** Imports the modules that the pipeline names; call it before `createApp` and give it what comes out. */
export async function loadMiddleware(config: Config): Promise<Readonly<Record<string, MiddlewareFactory>>> {
  const loaded: Record<string, MiddlewareFactory> = {};
  for (const name of config.list('pipeline', 'api')) {
    if (isKnown(name)) continue;
    if (!/[/.:@]/.test(name)) throw unknownName(name);
    let module: { readonly default?: unknown };
    try {
      module = await import(name.startsWith('/') ? new URL(`file://${name}`).href : name);
    } catch (cause) {
      throw new ApiSetupError(`the middleware module '${name}' of [pipeline] api cannot be loaded`, { cause });
    }
    if (typeof module.default !== 'function') {
      throw new ApiSetupError(
        `the middleware module '${name}' of [pipeline] api has no default export of the form (options) => middleware`,
      );
    }
    loaded[name] = module.default as MiddlewareFactory;
  }
  return loaded;
}

/** Builds the pipeline in the configured order. */
export function buildPipeline(
  names: readonly string[],
  serving: Readonly<Record<Serving, ApiMiddleware | undefined>>,
  loaded: Readonly<Record<string, MiddlewareFactory>>,
  options: MiddlewareOptions,
): readonly ApiMiddleware[] {
  if (!names.includes('app')) {
    throw new ApiSetupError(`[pipeline] api does not name 'app', so that nothing would be served: put it last`);
  }
  const built = names.map((name) => {
    const factory = Object.hasOwn(STANDARD, name) ? STANDARD[name] : loaded[name];
    if (factory !== undefined) return factory(options);
    const ours = SERVING.find((candidate) => candidate === name);
    if (ours === undefined) throw unknownName(name);
    return serving[ours];
  });
  return built.filter((middleware) => middleware !== undefined);
}
