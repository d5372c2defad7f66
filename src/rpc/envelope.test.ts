import { expect, test } from 'vitest';
import { NeutronError } from '#src/lib/errors.ts';
import { bounded, decodeAnswer, decodeMessage, encodeAnswer, encodeMessage, failureOf, MAX_BYTES } from './envelope.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const message = { method: 'm', args: { a: [1, { b: 'ü' }] }, version: '1.4', context: { request_id: 'r' } };

test('a message comes back as it was sent, with and without a namespace', () => {
  expect(decodeMessage(bytes(encodeMessage(message)))).toEqual(message);
  const named = { ...message, namespace: 'trunk' };
  expect(decodeMessage(bytes(encodeMessage(named)))).toEqual(named);
});

test('what may be left out has its default; null is no namespace', () => {
  const read = decodeMessage(bytes('{"method": "m", "namespace": null}'));
  expect(read).toEqual({ method: 'm', args: {}, version: '1.0', context: {} });
});

test.each([
  ['', /JSON/],
  ['{', /JSON/],
  ['null', /payload/],
  ['[]', /payload|method/],
  ['{}', /method/],
  ['{"method": ""}', /method/],
  [`{"method": "${'m'.repeat(256)}"}`, /method/],
  ['{"method": "m", "args": []}', /args: must be an object/],
  ['{"method": "m", "args": 1}', /args/],
  ['{"method": "m", "version": "1"}', /version: must be major\.minor/],
  ['{"method": "m", "version": 1.1}', /version/],
  ['{"method": "m", "namespace": 1}', /namespace/],
  ['{"method": "m", "context": "x"}', /context/],
])('decodeMessage(%j) says what is wrong', (text, reason) => {
  expect(() => decodeMessage(bytes(text))).toThrow(expect.objectContaining({ type: 'MalformedMessage' }));
  expect(() => decodeMessage(bytes(text))).toThrow(reason);
});

test.each(['[', '{"a":'])('a message nested without end by %s is malformed', (open) => {
  const close = open === '[' ? ']' : '}';
  const nested = (depth: number) =>
    bytes(`{"method": "m", "args": {"a": ${open.repeat(depth)}1${close.repeat(depth)}}}`);
  expect(() => decodeMessage(nested(20))).not.toThrow();
  expect(() => decodeMessage(nested(100_000))).toThrow(/nested more than 64/);
});

test('bytes that are not UTF-8 are malformed', () => {
  expect(() => decodeMessage(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(/UTF-8/);
});

test('the limit is in bytes, not in characters', () => {
  expect(bounded('x'.repeat(MAX_BYTES), 'it')).toHaveLength(MAX_BYTES);
  expect(() => bounded('x'.repeat(MAX_BYTES + 1), 'it')).toThrow(expect.objectContaining({ type: 'MessageTooLarge' }));
  expect(() => bounded('ü'.repeat(MAX_BYTES / 2 + 1), 'it')).toThrow(/it has 1048578 bytes/);
  expect(() => decodeMessage(new Uint8Array(MAX_BYTES + 1))).toThrow(/in pages/);
});

test.each([{ result: null }, { result: [1, 'a'] }, { failure: { type: 'PortNotFound', message: 'm' } }])(
  'an answer %j comes back as it was sent',
  (answer) => {
    expect(decodeAnswer(bytes(encodeAnswer('m', answer)))).toEqual(answer);
  },
);

test.each(['{}', '{"result": 1, "failure": {}}', '{"failure": {"type": "T"}}', '[]', '1'])(
  '%s is no answer',
  (text) => {
    expect(() => decodeAnswer(bytes(text))).toThrow(expect.objectContaining({ type: 'MalformedMessage' }));
  },
);

test('a failure carries type and message of our errors, and nothing of a defect', () => {
  const known = failureOf('m', new NeutronError('PortNotFound', 404, 'Port 1 could not be found.'));
  expect(known).toEqual({ failure: { type: 'PortNotFound', message: 'Port 1 could not be found.' } });
  const defect = failureOf('get_it', new Error('password=secret'));
  expect(defect).toEqual({ failure: { type: 'InternalError', message: expect.stringMatching(/^get_it failed/) } });
});
