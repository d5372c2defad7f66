/**
 * The log: one line for each record, as JSON or as text for a terminal. Promises: a line never breaks into two, writing
 * never throws whatever a field holds, and what is named like a secret, or is a password in a URL, is not written.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { LogFields, Logger } from '#src/lib/log.ts';
import { maskUrlPasswords } from '#src/lib/redact.ts';
import { type LoggableValue, loggable } from './loggable.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  /** Records below it are dropped. */
  readonly level: LogLevel;
  readonly format: 'json' | 'text';
  /** Takes a line without its end. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** What every line carries: `{worker: 'api worker', pid: 7}`. */
  readonly fields?: LogFields;
}

const LEVELS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** What a line says of itself; a field of such a name gets a trailing underscore. */
const OWN: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** Makes a logger. */
export function createLogger({ level, format, write, clock, fields = {} }: LoggerOptions): Logger {
  const line = format === 'json' ? jsonLine : textLine;
  const log = (of: LogLevel) => (message: string, more?: LogFields) => {
    if (LEVELS[of] < LEVELS[level]) return;
    const time = new Date(clock.now()).toISOString();
    write(line(time, of, maskUrlPasswords(message), prepare(more ? { ...fields, ...more } : fields)));
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (more) => createLogger({ level, format, write, clock, fields: { ...fields, ...more } }),
  };
}

/** What the configuration says of the log. */
export function logSettings(config: Config): Pick<LoggerOptions, 'level' | 'format'> {
  return {
    level: config.boolean('DEFAULT', 'debug') ? 'debug' : 'info',
    format: config.boolean('DEFAULT', 'use_json') ? 'json' : 'text',
  };
}

function prepare(fields: LogFields): Readonly<Record<string, LoggableValue>> {
  const prepared: Record<string, LoggableValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) prepared[OWN.has(name) ? `${name}_` : name] = loggable(name, value);
  }
  return prepared;
}

function jsonLine(
  time: string,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, LoggableValue>>,
): string {
  return JSON.stringify({ time, level, message, ...fields });
}

function textLine(
  time: string,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, LoggableValue>>,
): string {
  const parts = [time, level.toUpperCase().padEnd(5), oneLine(message)];
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    parts.push(`${oneLine(name)}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(value)}`);
  }
  return parts.join(' ');
}

/** Control characters would let a caller's text forge lines. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
