/**
 * Traces by OpenTelemetry, sent by OTLP over HTTP. Its packages are optional and only loaded when `[tracing] endpoint` is
 * set; otherwise spans cost a function call.
 */
import type { Context as OtelContext, Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api';
import type { Config } from '#src/lib/config.ts';
import type { Stoppable } from '#src/lib/lifetime.ts';
import { type Span, type SpanAttributes, silentTracer, type Tracer } from '#src/lib/tracing.ts';

export interface Tracing extends Stoppable {
  readonly tracer: Tracer;
}

/** Starts tracing as configured; `stop` sends what is left. */
export async function startTracing(config: Config): Promise<Tracing> {
  const endpoint = config.optionalString('tracing', 'endpoint');
  if (endpoint === null || endpoint === '') return { tracer: silentTracer, stop: async () => {} };
  const { api, exporter, resources, sdk } = await loadPackages();
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': config.string('tracing', 'service_name') }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(config.float('tracing', 'sample_ratio')),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url: endpoint }))],
  });
  return {
    tracer: createTracer(api, provider.getTracer('nucleon')),
    stop: () => provider.shutdown(),
  };
}

type Api = typeof import('@opentelemetry/api');

async function loadPackages() {
  try {
    const [api, exporter, resources, sdk] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-base'),
    ]);
    return { api, exporter, resources, sdk };
  } catch (cause) {
    throw new Error(
      '[tracing] endpoint is set, but the OpenTelemetry packages are not installed; install the optional dependencies or unset it.',
      { cause },
    );
  }
}

function createTracer(api: Api, tracer: OtelTracer): Tracer {
  async function run<Result>(
    parent: OtelContext,
    name: string,
    attributes: SpanAttributes,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const span = tracer.startSpan(name, { attributes }, parent);
    try {
      return await work(wrap(span, parent));
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: api.SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  function wrap(span: OtelSpan, parent: OtelContext): Span {
    const { traceId, spanId, traceFlags } = span.spanContext();
    const inside = api.trace.setSpan(parent, span);
    return {
      set: (attributes) => span.setAttributes(attributes),
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      span: (name, attributes, work) => run(inside, name, attributes, work),
    };
  }

  return {
    span: (name, attributes, work, traceparent) => run(remoteParent(api, traceparent), name, attributes, work),
  };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function remoteParent(api: Api, traceparent: string | null | undefined): OtelContext {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return api.ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
