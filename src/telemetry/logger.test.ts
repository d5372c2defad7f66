import { describe, expect, test } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { LogFields } from '#src/lib/log.ts';
import { createLogger, type LoggerOptions, logSettings } from './mod.ts';

function logged(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const log = createLogger({ level: 'info', format: 'json', clock: { now: () => 0 }, ...options, write });
  return { log, lines };
}

/** The fields as a JSON line has them. */
function written(fields: LogFields): Record<string, unknown> {
  const { log, lines } = logged();
  log.info('m', fields);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

describe('createLogger() writes', () => {
  test('a JSON object a line, with the fields of its ancestors', () => {
    const { log, lines } = logged({ fields: { worker: 'api worker' } });
    log.child({ request_id: 'req-1' }).warn('slow', { seconds: 2.5, worker: 'other', ignored: undefined });
    expect(lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"slow","worker":"other","request_id":"req-1","seconds":2.5}',
    ]);
  });
  test('text with fields in the same order', () => {
    const { log, lines } = logged({ format: 'text' });
    log.info('port created', { request_id: 'req-1', name: 'a b', ids: ['x'], empty: '' });
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z INFO  port created request_id=req-1 name="a b" ids="["x"]" empty=""'.replace(
        '"["x"]"',
        '["x"]',
      ),
    ]);
  });
  test.each([
    ['debug', ['d', 'i', 'w', 'e']],
    ['info', ['i', 'w', 'e']],
    ['warn', ['w', 'e']],
    ['error', ['e']],
  ] as const)('from level %s: %j', (level, messages) => {
    const { log, lines } = logged({ level });
    log.debug('d');
    log.info('i');
    log.warn('w');
    log.error('e');
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(messages);
  });
  test('one line, whatever a caller puts in', () => {
    const { log, lines } = logged({ format: 'text' });
    log.info('a\nb\u001b[31m', { name: 'c\nd', 'e\nf': 1 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/\p{Cc}/u);
  });
  test('its own names first: a field cannot pass for them', () => {
    expect(written({ level: 'x', message: 'y' })).toMatchObject({
      level: 'info',
      level_: 'x',
      message: 'm',
      message_: 'y',
    });
  });
});

describe('createLogger() does not write', () => {
  test.each([
    'password',
    'admin_password',
    'token',
    'X-Auth-Token',
    'client_secret',
    'Authorization',
    'api_key',
    'Set-Cookie',
  ])('a field named %s, at any depth', (name) => {
    const line = JSON.stringify(
      written({ [name]: 'hunter2', deep: [{ [name]: { a: 'hunter2' } }], map: new Map([[name, 'hunter2']]) }),
    );
    expect(line).not.toContain('hunter2');
    expect(line).toContain('***');
  });
  test('passwords in URLs, in messages, fields and errors', () => {
    const url = 'postgresql://me:hunter2@h/d';
    const { log, lines } = logged();
    log.error(`cannot reach ${url}`, {
      url,
      error: new Error(url, { cause: new Error(url) }),
      many: 'http://a:p@ss@h/ mqtt://b:hunter2@h',
    });
    expect(lines[0]).not.toMatch(/hunter2|p@ss/);
    expect(lines[0]).toContain('postgresql://me:***@h/d');
  });
});

describe('createLogger() never throws, but for', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  test.each<[string, unknown, unknown]>([
    ['a circle, cuts it', circle, { self: { self: { self: { self: { self: { self: '[...]' } } } } } }],
    ['a big integer, writes digits', 12n, '12'],
    ['no number, writes its name', Number.NaN, 'NaN'],
    ['bytes, counts them', new Uint8Array(3), '[3 bytes]'],
    ['a date, writes it', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['no date, says so', new Date(Number.NaN), 'Invalid Date'],
    ['a set, lists it', new Set([1]), [1]],
    ['a function, names it', function work() {}, '[function work]'],
    ['a long list, shortens it', Array(101).fill(0), [...Array(100).fill(0), '[1 more]']],
    ['a long text, shortens it', 'x'.repeat(16_385), `${'x'.repeat(16_384)}[1 more]`],
  ])('%s', (_, value, expected) => expect(written({ value })['value']).toEqual(expected));

  test('errors, with type, code and causes', () => {
    const cause = Object.assign(new TypeError('inner'), { code: '40001' });
    const both = new AggregateError([new Error('one')], 'all', { cause });
    expect(written({ error: both })['error']).toMatchObject({
      type: 'AggregateError',
      message: 'all',
      stack: expect.stringContaining('AggregateError'),
      cause: { type: 'TypeError', message: 'inner', code: '40001' },
      errors: [{ message: 'one' }],
    });
  });
});

test('logSettings() follows debug and use_json', () => {
  expect(logSettings(configFrom(allOptions))).toEqual({ level: 'info', format: 'text' });
  expect(logSettings(configFrom(allOptions, { DEFAULT: { debug: true, use_json: true } }))).toEqual({
    level: 'debug',
    format: 'json',
  });
});
