/**
 * Metrics in Prometheus' kinds, kept in a registry of each process's own. A supervisor takes the snapshots of its workers
 * and merges them into one text: counters and histograms add up, gauges as each was declared.
 */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Json } from '#src/lib/api/attributes.ts';
import type { GaugeMerge, Labels, Metrics } from '#src/lib/metrics.ts';

export interface ProcessMetrics extends Metrics {
  /** All metrics of this process, as Prometheus' text. */
  collect(): Promise<string>;
  /** The same for `mergeMetrics`: plain JSON, to be sent to the supervisor. */
  snapshot(): Promise<Json>;
}

export interface MetricsOptions {
  /** Also memory, CPU and event loop lag of the process; not in an isolate. */
  readonly process?: boolean;
}

type Kept = Counter | Gauge | Histogram;

/** Makes an empty registry. */
export function createMetrics({ process = false }: MetricsOptions = {}): ProcessMetrics {
  const registry = new Registry();
  const kept = new Map<string, Kept>();
  if (process) collectDefaultMetrics({ register: registry });

  function metric<Kind extends Kept>(name: string, kind: new (...parameters: never[]) => Kind, make: () => Kind): Kind {
    const known = kept.get(name);
    if (known instanceof kind) return known;
    if (known)
      throw new Error(`Metric ${name} is asked for as a ${kind.name}, but exists as a ${known.constructor.name}.`);
    const made = make();
    kept.set(name, made);
    return made;
  }
  const common = (name: string, help: string, labels: readonly string[]) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  return {
    counter(name, help, labels = []) {
      const counter = metric(name, Counter, () => new Counter(common(name, help, labels)));
      return { add: (values: Labels = {}, amount = 1) => counter.inc(values, amount) };
    },
    gauge(name, help, labels = [], merge: GaugeMerge = 'sum') {
      const gauge = metric(name, Gauge, () => new Gauge({ ...common(name, help, labels), aggregator: merge }));
      return { set: (value, values: Labels = {}) => gauge.set(values, value) };
    },
    histogram(name, help, labels = [], buckets = DEFAULT_BUCKETS) {
      const make = () => new Histogram({ ...common(name, help, labels), buckets: [...buckets] });
      const histogram = metric(name, Histogram, make);
      return { observe: (value, values: Labels = {}) => histogram.observe(values, value) };
    },
    collect: () => registry.metrics(),
    // Through text, so that what is merged is what a worker could send.
    snapshot: async () => JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Json,
  };
}

/** Seconds: from what a cached answer takes to what a client gives up on. */
const DEFAULT_BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** One text out of the snapshots of several processes. */
export async function mergeMetrics(snapshots: readonly Json[]): Promise<string> {
  const whole = snapshots.filter((snapshot) => Array.isArray(snapshot));
  return AggregatorRegistry.aggregate(whole as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0]).metrics();
}
