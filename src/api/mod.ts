/**
 * The HTTP API: knows no resource by name. From what the loaded plugins declare it generates the router, validation, policy
 * questions and answers, once, at start; a request then goes through the pipeline to a plugin's verb and back.
 *
 *   cors → proxy → request id → catch errors → … → auth → extensions → app: router → controller → plugin → view
 *
 * It runs unchanged on Node, Deno and workerd: one `fetch`, Web APIs only.
 */
import { Hono } from 'hono';
import { createAttributeRules } from '#src/lib/api/rules.ts';
import type { AttributeSettings } from '#src/lib/api/settings.ts';
import type { Authenticator } from '#src/lib/auth.ts';
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import type { Quota } from '#src/lib/quota.ts';
import { silentTracer, type Tracer } from '#src/lib/tracing.ts';
import { answerError } from './answer.ts';
import { createDispatcher } from './controllers/mod.ts';
import { errorBody, toNeutronError } from './faults.ts';
import { createObserver } from './observer.ts';
import { buildPipeline } from './pipeline/mod.ts';
import { maxLimit } from './query/mod.ts';
import { serveExtensions } from './router/extensions.ts';
import { buildResources } from './router/resource.ts';
import { buildRouter } from './router/tree.ts';
import { createServing, type IdentityService } from './serving.ts';
import type { ApiEnv, MiddlewareFactory, Trace } from './state.ts';

export { ApiSetupError } from './errors.ts';
export { loadMiddleware } from './pipeline/mod.ts';
export type { ApiContext, ApiMiddleware, MiddlewareFactory, MiddlewareOptions } from './state.ts';

export interface ApiOptions {
  /** Loaded, in order: of what two add to one resource, the later wins. */
  readonly plugins: readonly Plugin[];
  readonly policy: Policy;
  readonly quota: Quota;
  readonly authenticator: Authenticator;
  /** The embedded Identity service, served below `/identity`. */
  readonly identity?: IdentityService;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** What attribute rules must know of the deployment. */
  readonly settings: AttributeSettings;
  readonly tracer?: Tracer;
  /** What `loadMiddleware` gave: the deployment's own middleware. */
  readonly middleware?: Readonly<Record<string, MiddlewareFactory>>;
}

export interface Api {
  /** Answers one request; never rejects. */
  fetch(request: Request, remote?: { readonly address: string }): Promise<Response>;
}

/** Where the path of a URL begins and ends, without parsing it: `base`, `path` and `search`. */
function split(url: string): { readonly base: string; readonly path: string; readonly search: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start < 0) return { base: url, path: '/', search: '' };
  const hash = url.indexOf('#', start);
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?', start);
  const query = mark < 0 || mark > end ? end : mark;
  return { base: url.slice(0, start), path: url.slice(start, query), search: url.slice(query + 1, end) };
}

const UNKNOWN_REMOTE = { address: 'unknown' };

/** Builds the API. Throws ApiSetupError when plugins or configuration do not fit together. */
export function createApp(options: ApiOptions): Api {
  const { plugins, policy, quota, config, log, clock } = options;
  const extensions = serveExtensions(plugins);
  const resources = buildResources(plugins, extensions, policy, {
    maxLimit: maxLimit(config.string('DEFAULT', 'pagination_max_limit')),
    attributes: createAttributeRules(options.settings),
  });
  const linkPrefix = config.optionalString('DEFAULT', 'network_link_prefix');
  const dispatch = createDispatcher(buildRouter(resources), resources, policy, {
    quota,
    linkPrefix,
  });
  const description = { resources, extensions, policy };
  const serving = createServing({ ...options, extensions, description, linkPrefix, dispatch });
  const pipeline = buildPipeline(config.list('pipeline', 'api'), serving, options.middleware ?? {}, {
    config,
    log,
    clock,
  });

  const app = new Hono<ApiEnv>();
  for (const middleware of pipeline) app.use('*', middleware);
  const faults = (error: unknown) => toNeutronError(error, log, {});
  app.onError((error, c) => answerError(c, (c.get('faults') ?? faults)(error)));

  const answer = async (request: Request, bindings: ApiEnv['Bindings']): Promise<Response> => {
    try {
      return await app.fetch(request, bindings);
    } catch (error) {
      // Only what is thrown and is no Error comes here: hono gives the others to onError.
      return Response.json(errorBody(faults(error)), { status: 500 });
    }
  };
  const observed = createObserver({ ...options, tracer: options.tracer ?? silentTracer });
  return {
    fetch(request, remote = UNKNOWN_REMOTE) {
      const trace: Trace = { route: 'unmatched', request_id: undefined, identified: false, project_id: null };
      return observed(request, trace, () => answer(request, { remote, trace, ...split(request.url) }));
    },
  };
}
