import { expect, test } from 'vitest';
import { presencePayload, readPresence } from './presence.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('a birth and a will come back as they were written; a bare epoch is a birth', () => {
  expect(readPresence(bytes(presencePayload(7, true)))).toEqual({ epoch: 7, alive: true });
  expect(readPresence(bytes(presencePayload(7, false)))).toEqual({ epoch: 7, alive: false });
  expect(readPresence(bytes('{"epoch": 7}'))).toEqual({ epoch: 7, alive: true });
});

test.each(['', 'x', 'null', '{}', '{"epoch": "7"}', '{"epoch": -1}', '{"epoch": 1.5}', '{"epoch": 1e30}', '[7]'])(
  '%j is no presence',
  (text) => {
    expect(readPresence(bytes(text))).toBeNull();
  },
);
