/** Counts, times and traces each request by its route's template, and writes the access log. */
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Tracer } from '#src/lib/tracing.ts';
import type { Trace } from './state.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Runs what answers a request, and tells of it. */
export type Observer = (request: Request, trace: Trace, answer: () => Promise<Response>) => Promise<Response>;

export function createObserver(parts: {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly tracer: Tracer;
}): Observer {
  const { metrics, log, tracer } = parts;
  const labels = ['method', 'route', 'status'];
  const requests = metrics.counter('nucleon_http_requests_total', 'Requests answered.', labels);
  const durations = metrics.histogram(
    'nucleon_http_request_duration_seconds',
    'Time to answer a request.',
    ['method', 'route'],
    BUCKETS,
  );

  return (request, trace, answer) => {
    const started = performance.now();
    const method = METHODS.has(request.method) ? request.method : 'other';
    return tracer.span(
      `HTTP ${method}`,
      { 'http.request.method': method },
      async (span) => {
        const response = await answer();
        const { status } = response;
        const { route, request_id, project_id } = trace;
        span.set({ 'http.route': route, 'http.response.status_code': status });
        const seconds = (performance.now() - started) / 1000;
        requests.add({ method, route, status: String(status) });
        durations.observe(seconds, { method, route });
        log.info('request', { request_id, project_id, method, url: request.url, status, seconds });
        return response;
      },
      request.headers.get('traceparent'),
    );
  };
}
