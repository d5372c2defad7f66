/**
 * HTTP through Deno.serve (twice as fast here as node:http). `stop()` drains as src/runtime/node/http.ts does: first
 * `Connection: close` on all answers while still listening, then a shutdown that waits for what is in flight.
 */
import type { HttpServerOptions, Listening } from '#src/lib/runtime.ts';
import { delay } from '../node/delay.ts';
import { deno } from './deno.ts';
import { distribute, steerToNewest } from './steer.ts';

const LINGER_MS = 500;

export async function serveHttp({ handler, host, port, shared = false }: HttpServerOptions): Promise<Listening> {
  let draining = false;
  let served = 0;
  const server = serve();

  function serve() {
    try {
      return deno.serve({ hostname: host, port, reusePort: shared, onListen: () => {} }, async (request, info) => {
        served += 1;
        const response = await handler(request, { address: info.remoteAddr.hostname });
        return draining ? closing(response) : response;
      });
    } catch (error) {
      throw error instanceof Error && error.name === 'AddrInUse' ? Object.assign(error, { code: 'EADDRINUSE' }) : error;
    }
  }
  if (shared) distribute(server.addr.port);
  async function drain(): Promise<void> {
    draining = true;
    if (shared) steerToNewest(server.addr.port);
    if (served > 0) await delay(LINGER_MS);
    await server.shutdown();
  }
  let stopping: Promise<void> | undefined;
  return {
    port: server.addr.port,
    stop: () => {
      stopping ??= drain();
      return stopping;
    },
  };
}

function closing(response: Response): Response {
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set('connection', 'close');
  return new Response(body, { status, statusText, headers });
}
