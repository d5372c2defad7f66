/**
 * Structured logging as an argument. `src/telemetry` writes it; secrets never enter a field (a field named like one is
 * redacted by the writer as a last line of defence).
 */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line also carries these fields. */
  child(fields: LogFields): Logger;
}

const nothing = () => {};

/** Says nothing: for tests and for tools whose output is their answer. */
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
