/**
 * Tracing as an argument: a span around a piece of work. There is no ambient "current span": work is given its own span
 * and opens spans below it, so that it is the same on every runtime. `src/telemetry` sends them by OpenTelemetry.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Tracer {
  /**
   * Runs the work in a span; an error that it throws is noted in the span and thrown on. `traceparent` is the caller's
   * W3C header, where the work is begun by a request; one that is malformed counts as absent.
   */
  span<Result>(
    name: string,
    attributes: SpanAttributes,
    work: (span: Span) => Promise<Result>,
    traceparent?: string | null,
  ): Promise<Result>;
}

export interface Span extends Tracer {
  /** Adds attributes that are only known later (the status of the answer). */
  set(attributes: SpanAttributes): void;
  /** The header to send on to others; null when nothing is traced. */
  readonly traceparent: string | null;
}

/** Traces nothing. */
export const silentTracer: Span = {
  span: (_name, _attributes, work) => work(silentTracer),
  set: () => {},
  traceparent: null,
};
