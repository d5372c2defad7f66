/** Metrics as an argument, with Prometheus' three kinds; `src/telemetry` keeps them and answers scrapes. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels?: Labels, amount?: number): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
}
export interface Histogram {
  /** Seconds, unless the name says otherwise. */
  observe(value: number, labels?: Labels): void;
}

/** What several processes' gauges of one name amount to: their sum unless told. */
export type GaugeMerge = 'sum' | 'max' | 'min' | 'average' | 'first';

/** Names follow Prometheus' rules: `nucleon_http_requests_total`. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[], merge?: GaugeMerge): Gauge;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
}

const nothing = { add: () => {}, set: () => {}, observe: () => {} };

/** Keeps nothing: for tests and tools. */
export const silentMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing };
