/** `auth`: learns who asks, and what policy makes of the caller; everything behind it has a context. */
import type { Authenticator } from '#src/lib/auth.ts';
import type { Policy } from '#src/lib/policy.ts';
import { standing } from '#src/policy/mod.ts';
import type { ApiMiddleware } from '../state.ts';

export function authenticate(authenticator: Authenticator, policy: Policy): ApiMiddleware {
  const complete = standing(policy);
  return async (c, next) => {
    const identity = await authenticator.authenticate(c.req.raw.headers, c.env.remote);
    const context = complete({
      ...identity,
      request_id: c.get('request_id') ?? `req-${crypto.randomUUID()}`,
      global_request_id: c.get('global_request_id') ?? null,
      is_admin: false,
      is_advsvc: false,
      is_service: false,
    });
    c.set('context', context);
    c.env.trace.project_id = context.project_id;
    await next();
  };
}
