/** `auth`: learns who asks, and what policy makes of the caller; everything behind it has a context. */
import type { Authenticator } from '#src/lib/auth.ts';
import type { Context } from '#src/lib/context.ts';
import type { Policy } from '#src/lib/policy.ts';
import type { ApiMiddleware } from '../state.ts';

/** What policy says of a caller, by the field of the context that says it. */
const STANDING = [
  ['is_admin', 'context_is_admin'],
  ['is_advsvc', 'context_is_advsvc'],
  ['is_service', 'service_api'],
] as const;

export function authenticate(authenticator: Authenticator, policy: Policy): ApiMiddleware {
  const asked = STANDING.filter(([, rule]) => policy.defines(rule));
  return async (c, next) => {
    const identity = await authenticator.authenticate(c.req.raw.headers, c.env.remote);
    const plain: Context = {
      ...identity,
      request_id: c.get('request_id') ?? `req-${crypto.randomUUID()}`,
      global_request_id: c.get('global_request_id') ?? null,
      is_admin: false,
      is_advsvc: false,
      is_service: false,
    };
    const self = { user_id: plain.user_id, project_id: plain.project_id, tenant_id: plain.project_id };
    const context = { ...plain };
    for (const [field, rule] of asked) context[field] = policy.allows(plain, rule, self);
    c.set('context', context);
    c.env.trace.project_id = context.project_id;
    await next();
  };
}
