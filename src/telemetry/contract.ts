/** The part of telemetry that needs no host: the log. Code that also runs in isolates imports this, not `mod.ts`. */
export { createLogger, type LoggerOptions, type LogLevel, logSettings } from './logger.ts';
