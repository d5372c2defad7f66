/**
 * `request_id`: each request has an id of ours, which is in every answer and every line logged for it. The id that a caller
 * sends for a chain of requests through several services is kept beside it, if it is one.
 */
import type { ApiMiddleware } from '../state.ts';

const REQUEST_ID = /^req-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function requestId(): ApiMiddleware {
  return async (c, next) => {
    const id = `req-${crypto.randomUUID()}`;
    const sent = c.req.raw.headers.get('x-openstack-request-id');
    c.env.trace.request_id = id;
    c.set('request_id', id);
    c.set('global_request_id', sent !== null && REQUEST_ID.test(sent) ? sent : null);
    await next();
    // Our own answers carry it from the start; those of others get it here.
    if (!c.env.trace.identified) c.res.headers.set('X-Openstack-Request-Id', id);
  };
}
