import { describe, expect, it } from 'vitest';
import { NeutronError } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import { toNeutronError } from './faults.ts';

const told = (error: unknown) => toNeutronError(error, silentLogger, {});

describe('toNeutronError()', () => {
  it('tells several errors of one status by the type of the first, a line each', () => {
    const errors = [new NeutronError('A', 404, 'one'), new NeutronError('B', 404, 'two')];
    expect(told(new AggregateError(errors))).toMatchObject({ type: 'A', status: 404, message: 'one\ntwo' });
  });

  it('tells several errors of different statuses as a conflict', () => {
    const errors = [new NeutronError('A', 404, 'one'), new NeutronError('B', 409, 'two')];
    expect(told(new AggregateError(errors))).toMatchObject({
      type: 'Conflict',
      status: 409,
      message: 'HTTP 404 A: one\nHTTP 409 B: two',
    });
  });

  it.each(['CONNECTION_CLOSED', 'ECONNREFUSED', '57P03'])('tells that the database is away: %s', (code) => {
    const away = Object.assign(new Error('x'), { code });
    for (const error of [away, new Error('y', { cause: away })]) {
      expect(told(error)).toMatchObject({ type: 'HTTPServiceUnavailable', status: 503 });
    }
  });

  it.each([[new Error('x')], ['x'], [undefined], [new AggregateError([new Error('x')])], [new AggregateError([])]])(
    'tells nothing of %s',
    (error) => {
      expect(told(error)).toMatchObject({ type: 'HTTPInternalServerError', status: 500 });
    },
  );
});
