/**
 * HTTP through node:http and @hono/node-server. `stop()` drains so that no client sees a connection reset where another
 * process shares the port: for a moment everything is still answered, but with `Connection: close`, so that clients let
 * go of their connections by themselves; then we stop listening, what is in flight ends, and what is idle is closed.
 */
import http from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { HttpServerOptions, Listening } from '#src/lib/runtime.ts';
import { delay } from './delay.ts';
import { listen } from './listen.ts';

/** Longer than the idle time of usual proxies and clients, so that it is they who close. */
const KEEP_ALIVE_MS = 75_000;
/** How long a client that has a connection open may take to send the request that tells it to close. */
const LINGER_MS = 500;

export async function serveHttp(options: HttpServerOptions): Promise<Listening> {
  const answer = getRequestListener((request, { incoming }) =>
    options.handler(request, { address: incoming.socket.remoteAddress ?? '' }),
  );
  const open = new Set<http.ServerResponse>();
  let draining = false;
  let connections = 0;
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, (request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    if (draining) response.setHeader('connection', 'close');
    void answer(request, response);
  });
  const idle = Promise.withResolvers<void>();
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => {
      connections -= 1;
      if (draining && connections === 0) idle.resolve();
    });
  });
  const port = await listen(server, options);

  async function drain(): Promise<void> {
    draining = true;
    for (const response of open) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    if (connections > 0) await Promise.race([idle.promise, delay(LINGER_MS)]);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await closed;
  }
  let stopping: Promise<void> | undefined;
  return {
    port,
    stop: () => {
      stopping ??= drain();
      return stopping;
    },
  };
}
