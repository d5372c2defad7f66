/** `cors`: lets scripts of configured origins use the API from a browser ([cors], as oslo.middleware). */
import { cors } from 'hono/cors';
import type { ApiMiddleware, MiddlewareOptions } from '../state.ts';

export function crossOrigin({ config }: MiddlewareOptions): ApiMiddleware | undefined {
  const allowed = config.list('cors', 'allowed_origin');
  if (allowed.length === 0) return undefined;
  const any = allowed.includes('*');
  const answer = cors({
    origin: (origin) => (any || allowed.includes(origin) ? origin : null),
    allowMethods: [...config.list('cors', 'allow_methods')],
    allowHeaders: [...config.list('cors', 'allow_headers')],
    exposeHeaders: [...config.list('cors', 'expose_headers')],
    maxAge: config.integer('cors', 'max_age'),
    credentials: config.boolean('cors', 'allow_credentials'),
  });
  return (c, next) => {
    const origin = c.req.raw.headers.get('origin');
    return origin !== null && (any || allowed.includes(origin)) ? answer(c, next) : next();
  };
}
