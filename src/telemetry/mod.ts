/** Seeing inside: the log, metrics for Prometheus, and optional traces. */
export { createLogger, type LoggerOptions, type LogLevel, logSettings } from './logger.ts';
export { createMetrics, type MetricsOptions, mergeMetrics, type ProcessMetrics } from './metrics.ts';
export { metricsHandler, serveMetrics } from './metrics_server.ts';
export { startTracing, type Tracing } from './tracing.ts';
