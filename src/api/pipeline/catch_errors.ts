/** `catch_errors`: what is thrown below becomes an answer in Neutron's shape; defects are logged and told to nobody. */
import { toNeutronError } from '../faults.ts';
import type { ApiMiddleware, MiddlewareOptions } from '../state.ts';

export function catchErrors({ log }: MiddlewareOptions): ApiMiddleware {
  return async (c, next) => {
    c.set('faults', (error) =>
      toNeutronError(error, log, {
        request_id: c.env.trace.request_id,
        method: c.req.method,
        route: c.env.trace.route,
      }),
    );
    await next();
  };
}
