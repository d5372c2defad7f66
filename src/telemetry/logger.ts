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
  const { start, field, end } = FORMATS[format];
  const written = (of: LogFields): string => {
    let text = '';
    for (const name of Object.keys(of)) {
      const value = of[name];
      if (value !== undefined) text += field(OWN.has(name) ? `${name}_` : name, loggable(name, value));
    }
    return text;
  };
  const own = written(fields);
  const log =
    (of: LogLevel) =>
    (message: string, more: LogFields = {}) => {
      if (LEVELS[of] < LEVELS[level]) return;
      const head = start(new Date(clock.now()).toISOString(), of, maskUrlPasswords(message));
      const repeats = Object.keys(more).some((name) => Object.hasOwn(fields, name));
      write(head + (repeats ? written({ ...fields, ...more }) : own + written(more)) + end);
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

/** How a line is put together: its start, each field, its end. */
interface Format {
  readonly start: (time: string, level: LogLevel, message: string) => string;
  readonly field: (name: string, value: LoggableValue) => string;
  readonly end: string;
}

const FORMATS: Readonly<Record<LoggerOptions['format'], Format>> = {
  json: {
    start: (time, level, message) => `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)}`,
    field: (name, value) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
    end: '}',
  },
  text: {
    start: (time, level, message) => `${time} ${level.toUpperCase().padEnd(5)} ${oneLine(message)}`,
    field: (name, value) => ` ${oneLine(name)}=${textValue(value)}`,
    end: '',
  },
};

/** Nothing in it needs a look: printable ASCII but blanks, quotes and equals signs. */
const BARE = /^[!#-<>-~]+$/;

function textValue(value: LoggableValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (BARE.test(text)) return text;
  return oneLine(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(value));
}

const PRINTABLE = /^[ -~]*$/;

/** Control characters would let a caller's text forge lines. */
function oneLine(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
