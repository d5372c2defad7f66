import { describe, expect, it } from 'vitest';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import { adminContext } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { HttpBadRequest } from '#src/lib/errors.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import { createCallbacks } from './mod.ts';

const payload: CallbackPayload = { context: adminContext('req-1'), resource_id: 'p1' };

function setUp() {
  const errors: LogFields[] = [];
  const log: Logger = { ...silentLogger, error: (_, fields) => void errors.push(fields ?? {}) };
  const ran: string[] = [];
  const callbacks = createCallbacks({ log });
  const note = (name: string) => async () => {
    await Promise.resolve();
    ran.push(name);
  };
  const fail = (error: Error) => () => {
    throw error;
  };
  return { callbacks, errors, ran, note, fail };
}

describe('publish()', () => {
  it('runs subscribers by priority, then in the order they came', async () => {
    const { callbacks, ran, note } = setUp();
    callbacks.subscribe('port', 'before_create', note('late'), 10);
    callbacks.subscribe('port', 'before_create', note('first'));
    callbacks.subscribe('port', 'before_create', note('second'));
    callbacks.subscribe('port', 'before_create', note('early'), -1);
    callbacks.subscribe('port', 'before_update', note('other event'));
    callbacks.subscribe('network', 'before_create', note('other resource'));
    await callbacks.publish('port', 'before_create', payload);
    expect(ran).toEqual(['early', 'first', 'second', 'late']);
  });

  it.each(['before_create', 'precommit_delete'] as const)('of %s ends with the first error', async (event) => {
    const { callbacks, ran, note, fail, errors } = setUp();
    const error = new HttpBadRequest('no');
    callbacks.subscribe('port', event, note('before'));
    callbacks.subscribe('port', event, fail(error));
    callbacks.subscribe('port', event, note('behind'));
    await expect(callbacks.publish('port', event, { ...payload, tx: {} as Transaction })).rejects.toBe(error);
    expect(ran).toEqual(['before']);
    expect(errors).toEqual([]);
  });

  it('of after_* runs all and logs the errors', async () => {
    const { callbacks, ran, note, fail, errors } = setUp();
    const error = new Error('broken');
    callbacks.subscribe('port', 'after_update', fail(error));
    callbacks.subscribe('port', 'after_update', note('behind'));
    await callbacks.publish('port', 'after_update', payload);
    expect(ran).toEqual(['behind']);
    expect(errors).toEqual([
      { resource: 'port', event: 'after_update', resource_id: 'p1', request_id: 'req-1', error },
    ]);
  });

  it('of precommit_* needs the transaction', async () => {
    const { callbacks } = setUp();
    await expect(callbacks.publish('port', 'precommit_create', payload)).rejects.toThrow('without its transaction');
  });
});

describe('listens()', () => {
  it('is true from the subscription to its end', () => {
    const { callbacks, note } = setUp();
    const stop = callbacks.subscribe('port', 'before_delete', note('one'));
    const answers = [callbacks.listens('port', 'before_delete'), callbacks.listens('port', 'after_delete')];
    stop();
    expect([...answers, callbacks.listens('port', 'before_delete')]).toEqual([true, false, false]);
  });
});

describe('subscribe()', () => {
  it('gives the unsubscription, once for each subscription', async () => {
    const { callbacks, ran, note } = setUp();
    const callback = note('twice');
    const [first] = [1, 2].map(() => callbacks.subscribe('port', 'before_delete', callback));
    first!();
    first!();
    await callbacks.publish('port', 'before_delete', payload);
    expect(ran).toEqual(['twice']);
  });

  it('while an event is published counts from the next on', async () => {
    const { callbacks, ran, note } = setUp();
    const stop = callbacks.subscribe('port', 'after_create', () => {
      stop();
      callbacks.subscribe('port', 'after_create', note('new'));
    });
    callbacks.subscribe('port', 'after_create', note('old'));
    await callbacks.publish('port', 'after_create', payload);
    expect(ran).toEqual(['old']);
    await callbacks.publish('port', 'after_create', payload);
    expect(ran).toEqual(['old', 'old', 'new']);
  });
});
