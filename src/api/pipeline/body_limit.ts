/** `body_limit`: no request body above `[oslo_middleware] max_request_body_size`, whether its length is told or found out. */
import { HttpRequestTooLarge } from '#src/lib/errors.ts';
import type { ApiMiddleware, MiddlewareOptions } from '../state.ts';

/** The body as it comes, cut off with an error once it is too long. */
function limited(request: Request, body: ReadableStream<Uint8Array>, limit: number, tooLarge: () => Error): Request {
  let size = 0;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) controller.error(tooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
  // `duplex` is required with a stream and missing in the DOM's types.
  const init: RequestInit & { readonly duplex: 'half' } = { body: counted, duplex: 'half' };
  return new Request(request, init);
}

export function bodyLimit({ config }: MiddlewareOptions): ApiMiddleware {
  const limit = config.integer('oslo_middleware', 'max_request_body_size');
  const tooLarge = () => new HttpRequestTooLarge(`The request body is too large: at most ${limit} bytes are accepted.`);
  return async (c, next) => {
    const request = c.req.raw;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const length = request.headers.get('content-length');
      if (length !== null) {
        if (Number(length) > limit) throw tooLarge();
      } else if (request.body !== null) {
        c.req.raw = limited(request, request.body, limit, tooLarge);
      }
    }
    await next();
  };
}
