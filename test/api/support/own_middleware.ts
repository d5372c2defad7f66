/** A deployment's own middleware, as `[pipeline] api` names it. */
import type { ApiMiddleware, MiddlewareOptions } from '#src/api/mod.ts';

export default function own({ config }: MiddlewareOptions): ApiMiddleware {
  return async (c, next) => {
    await next();
    c.res.headers.set('X-Own', String(config.integer('oslo_middleware', 'max_request_body_size')));
  };
}
