import { describe, expect, test } from 'vitest';
import { isTopicFilter, isTopicName, sharedFilter } from './topics.ts';

const deep = (levels: number) => Array.from({ length: levels }, () => 'a').join('/');

describe('isTopicName()', () => {
  test.each(['a', '/', 'a//b', '$SYS/x', 'ä', deep(64)])('accepts %j', (topic) => {
    expect(isTopicName(topic)).toBe(true);
  });

  test.each(['', 'a/+', '#', 'a\0', 'a\uFFFD', deep(65)])('refuses %j', (topic) => {
    expect(isTopicName(topic)).toBe(false);
  });
});

describe('isTopicFilter()', () => {
  test.each(['a', '+', '#', '$share', '/+/#', 'a/+/b', '$share/g/a', '$share/g//', '$share/g/+/#', deep(64)])(
    'accepts %j',
    (filter) => {
      expect(isTopicFilter(filter)).toBe(true);
    },
  );

  test.each(['', 'a#', '#/a', 'a+/b', '$share/', '$share/g', '$share//a', '$share/g/', '$share/+/a', 'a\0'])(
    'refuses %j',
    (filter) => {
      expect(isTopicFilter(filter)).toBe(false);
    },
  );

  test('bounds the levels', () => {
    expect(isTopicFilter(deep(65))).toBe(false);
  });
});

test('sharedFilter() takes the group and the filter apart', () => {
  expect(sharedFilter('$share/nucleon/a/+/b')).toEqual({ group: 'nucleon', filter: 'a/+/b' });
  expect(sharedFilter('a/b')).toBeNull();
});
