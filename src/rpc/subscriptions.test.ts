import { describe, expect, test } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { filterLevels, matches, Subscriptions } from './subscriptions.ts';
import type { MqttMessage } from './transport.ts';

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/c', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a', false],
  ['a/+', 'a/b/c', false],
  ['a/+/c', 'a/b/c', true],
  ['a/#', 'a', true],
  ['a/#', 'a/b/c', true],
  ['#', 'a/b', true],
  ['$share/g/a/+', 'a/b', true],
  ['$share/g/a/+', 'c/b', false],
])('a filter %s matches %s: %s', (filter, topic, expected) => {
  expect(matches(filterLevels(filter), topic.split('/'))).toBe(expected);
});

describe('Subscriptions', () => {
  const message = (topic: string, acknowledged: string[] = []): MqttMessage => ({
    topic,
    payload: new Uint8Array(),
    qos: 1,
    retained: false,
    ack: () => void acknowledged.push(topic),
  });

  test('deliver() keeps what comes before its handler, unacknowledged', () => {
    const subscriptions = new Subscriptions(silentLogger);
    const acknowledged: string[] = [];
    subscriptions.deliver(message('a/1', acknowledged));
    subscriptions.deliver(message('b/1', acknowledged));
    const got: string[] = [];
    subscriptions.add('a/+', ({ topic }) => void got.push(topic));
    expect([got, acknowledged]).toEqual([['a/1'], []]);
    subscriptions.add('#', ({ topic }) => void got.push(topic));
    expect(got).toEqual(['a/1', 'b/1']);
  });

  test('deliver() keeps a bounded number', () => {
    const subscriptions = new Subscriptions(silentLogger);
    const acknowledged: string[] = [];
    for (let n = 0; n < 1001; n++) subscriptions.deliver(message(`a/${n}`, acknowledged));
    expect(acknowledged).toEqual(['a/1000']);
  });

  test('a handler that throws keeps nothing from the others, and a removed one gets nothing', () => {
    const subscriptions = new Subscriptions(silentLogger);
    const got: string[] = [];
    subscriptions.add('a', () => {
      throw new Error('broken');
    });
    const remove = subscriptions.add('a', ({ topic }) => void got.push(topic));
    subscriptions.deliver(message('a'));
    remove();
    subscriptions.deliver(message('a'));
    expect(got).toEqual(['a']);
  });
});
