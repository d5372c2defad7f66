/** What policy makes of a caller: an administrator, the network's data plane, another service. */
import type { Context } from '#src/lib/context.ts';
import type { Policy } from '#src/lib/policy.ts';

/** By the field of the context that says it. */
const STANDING = [
  ['is_admin', 'context_is_admin'],
  ['is_advsvc', 'context_is_advsvc'],
  ['is_service', 'service_api'],
] as const;

/** Completes the contexts of callers under one policy. */
export function standing(policy: Policy): (plain: Context) => Context {
  const asked = STANDING.filter(([, rule]) => policy.defines(rule));
  return (plain) => {
    const self = { user_id: plain.user_id, project_id: plain.project_id, tenant_id: plain.project_id };
    const context = { ...plain };
    for (const [field, rule] of asked) context[field] = policy.allows(plain, rule, self);
    return context;
  };
}
