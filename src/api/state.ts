/** What travels with a request through the pipeline: hono's environment, typed. */
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Context } from '#src/lib/context.ts';
import type { NeutronError } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';

/** Written along the way, read by metrics and the access log when the answer is there. */
export interface Trace {
  /** The template that matched: `/v2.0/networks/{id}`. */
  route: string;
  request_id: string | undefined;
  /** Whether the answer already carries the request's id. */
  identified: boolean;
  project_id: string | null;
}

export interface ApiEnv {
  Bindings: {
    remote: { readonly address: string };
    readonly trace: Trace;
    /** The path as sent, not decoded. */
    readonly path: string;
    /** The query as sent, without the question mark. */
    readonly search: string;
    /** `http://host:9696`, as the client sees it. */
    base: string;
  };
  Variables: {
    request_id: string;
    global_request_id: string | null;
    /** Set by `auth`. */
    context: Context;
    /** Set by `catch_errors`: turns what was thrown into an answer. */
    faults: (error: unknown) => NeutronError;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
export type ApiMiddleware = MiddlewareHandler<ApiEnv>;

/**
 * What a middleware named in the pipeline is built from; a deployment's own module default-exports a function of this. One
 * that has nothing to do as it is configured gives none, and costs requests nothing.
 */
export interface MiddlewareOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
}

export type MiddlewareFactory = (options: MiddlewareOptions) => ApiMiddleware | undefined;
