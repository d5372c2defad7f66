/** Counts and times each request by its route's template, and writes the access log. */
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { Trace } from './state.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Called when a request arrives; what it gives is called with the answer. */
export type Observer = (request: Request, trace: Trace) => (response: Response) => void;

export function createObserver(parts: {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock: Clock;
}): Observer {
  const requests = parts.metrics.counter('nucleon_http_requests_total', 'Requests answered.', [
    'method',
    'route',
    'status',
  ]);
  const durations = parts.metrics.histogram(
    'nucleon_http_request_duration_seconds',
    'Time to answer a request.',
    ['method', 'route'],
    BUCKETS,
  );
  return (request, trace) => {
    const started = performance.now();
    return (response) => {
      const seconds = (performance.now() - started) / 1000;
      const method = METHODS.has(request.method) ? request.method : 'other';
      requests.add({ method, route: trace.route, status: String(response.status) });
      durations.observe(seconds, { method, route: trace.route });
      parts.log.info('request', {
        request_id: trace.request_id,
        project_id: trace.project_id,
        method,
        url: request.url,
        status: response.status,
        seconds,
      });
    };
  };
}
