import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTopics, decodeLevel, encodeLevel } from './topics.ts';

const topics = createTopics('neutron/v1');

test('topics are those of the agent protocol', () => {
  expect(topics.request('host1', 'q-plugin')).toBe('neutron/v1/up/host1/req/q-plugin');
  expect(topics.sharedRequests('q-plugin')).toBe('$share/nucleon/neutron/v1/up/+/req/q-plugin');
  expect(topics.message('host1', 'l3_agent')).toBe('neutron/v1/down/host1/msg/l3_agent');
  expect(topics.fanout('dhcp_agent')).toBe('neutron/v1/fanout/dhcp_agent');
  expect(topics.reply('host1', 'a/b')).toBe('neutron/v1/down/host1/rep/a%2Fb');
  expect(topics.presence('rack 7/+#', 'neutron-l3-agent')).toBe(
    'neutron/v1/up/rack%207%2F%2B%23/presence/neutron-l3-agent',
  );
});

test('parse() gives back what was built, for any host', () => {
  const host = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(host, (name) => {
      expect(topics.parse(topics.request(name, 'q-plugin'))).toEqual({
        kind: 'request',
        host: name,
        topic: 'q-plugin',
      });
      expect(topics.parse(topics.message(name, 'l3_agent'))).toEqual({
        kind: 'message',
        host: name,
        topic: 'l3_agent',
      });
      expect(topics.parse(topics.reply(name, name))).toEqual({ kind: 'reply', host: name, client: name });
      expect(topics.parse(topics.presence(name, 'b'))).toEqual({ kind: 'presence', host: name, binary: 'b' });
      expect(decodeLevel(encodeLevel(name))).toBe(name);
    }),
  );
});

test.each([
  ['another prefix', 'neutron/v2/up/h/req/t'],
  ['a prefix that only begins alike', 'neutron/v10/up/h/req/t'],
  ['a level too few', 'neutron/v1/up/h/req'],
  ['a level too many', 'neutron/v1/up/h/req/t/u'],
  ['an empty host', 'neutron/v1/up//req/t'],
  ['an encoding that is not the canonical one', 'neutron/v1/up/%68/req/t'],
  ['small letters in an encoding', 'neutron/v1/up/a%2fb/req/t'],
  ['a broken encoding', 'neutron/v1/up/%zz/req/t'],
  ['a wildcard for a topic', 'neutron/v1/up/h/req/+'],
  ['a host with a null character', 'neutron/v1/up/a%00b/req/t'],
  ['another kind', 'neutron/v1/down/h/req/t'],
])('parse() knows nothing of %s', (_what, name) => {
  expect(topics.parse(name)).toBeNull();
});

test.each(['a/b', '', '+', '#', 'a b'])('a topic named %j is refused', (topic) => {
  expect(() => topics.request('h', topic)).toThrow(TypeError);
  expect(() => topics.fanout(topic)).toThrow(TypeError);
});

test.each(['', '/a', 'a/', 'a//b', 'a/+', '#', '$SYS/a'])(
  'a prefix %j is refused with the name of its option',
  (prefix) => {
    expect(() => createTopics(prefix)).toThrow(/\[mqtt\] topic_prefix/);
  },
);
