/** The endpoint that Prometheus scrapes. */
import type { Config } from '#src/lib/config.ts';
import type { Listening, Network } from '#src/lib/runtime.ts';

/** Serves `/metrics` where `[metrics] port` says; null where that is 0. */
export async function serveMetrics(
  network: Network,
  config: Config,
  collect: () => Promise<string>,
): Promise<Listening | null> {
  const port = config.integer('metrics', 'port');
  if (port === 0) return null;
  return network.serveHttp({ host: config.string('metrics', 'host'), port, handler: metricsHandler(collect) });
}

/** Answers a scrape. */
export function metricsHandler(collect: () => Promise<string>): (request: Request) => Promise<Response> {
  return async (request) => {
    if (new URL(request.url).pathname !== '/metrics')
      return new Response('The metrics are at /metrics.\n', { status: 404 });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    return new Response(await collect(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
  };
}
