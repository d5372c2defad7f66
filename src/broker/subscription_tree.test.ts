import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#src/lib/clock.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { RetainedStore } from './retained_store.ts';
import { Session } from './session.ts';
import { Stats } from './stats.ts';
import { type Subscription, SubscriptionTree } from './subscription_tree.ts';

const parts = { limits: DEFAULT_LIMITS, clock: systemClock, stats: new Stats(silentMetrics) };
const everything = { canPublish: () => true, canSubscribe: () => true };
const session = (name: string) => new Session(name, 'user', everything, parts);
const subscription = (filter: string, of = session(filter)): Subscription => ({
  session: of,
  filter,
  qos: 1,
  noLocal: false,
  retainAsPublished: false,
  id: undefined,
});

/** MQTT 5, section 4.7, said without a tree. */
function matches(filter: string, topic: string): boolean {
  const [wanted, levels] = [filter.split('/'), topic.split('/')];
  if (topic.startsWith('$') && (wanted[0] === '+' || wanted[0] === '#')) return false;
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return levels.length >= index;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

const topic = fc
  .array(fc.constantFrom('a', 'b', '', '$x'), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const filter = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '', '+', '$x'), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'));

describe('SubscriptionTree', () => {
  test('matches what the specification says, also after subscriptions have gone', () => {
    fc.assert(
      fc.property(fc.uniqueArray(filter, { maxLength: 12 }), fc.nat(12), topic, (filters, removed, name) => {
        const tree = new SubscriptionTree();
        const all = filters.map((one) => subscription(one));
        for (const one of all) tree.add(one);
        for (const one of all.slice(0, removed)) tree.remove(one.session, one.filter);
        const found = tree.match(name).subscriptions.map((one) => one.filter);
        const expected = filters.slice(removed).filter((one) => matches(one, name));
        expect(found.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });

  test('a session that subscribes again replaces its subscription', () => {
    const tree = new SubscriptionTree();
    const one = session('one');
    tree.add(subscription('a', one));
    tree.add({ ...subscription('a', one), qos: 2 });
    expect(tree.match('a').subscriptions.map(({ qos }) => qos)).toEqual([2]);
  });

  test('groups are apart by name and by filter, and vanish with their last member', () => {
    const tree = new SubscriptionTree();
    const one = session('one');
    for (const name of ['$share/g/a', '$share/h/a', '$share/g/+', '$share/g/b']) tree.add(subscription(name, one));
    expect(tree.match('a').groups).toHaveLength(3);
    tree.remove(one, '$share/g/a');
    expect(tree.match('a').groups).toHaveLength(2);
    tree.remove(one, '$share/g/a');
    tree.remove(session('stranger'), '$share/h/a');
    expect(tree.match('a').groups).toHaveLength(2);
  });
});

describe('RetainedStore', () => {
  const message = (name: string, payload = 'x') => ({
    topic: name,
    payload: Buffer.from(payload),
    qos: 1 as const,
    retain: true,
    properties: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
    publisher: 'p',
    size: 10,
  });

  test('finds what the specification says, also after messages have been cleared', () => {
    fc.assert(
      fc.property(fc.uniqueArray(topic, { maxLength: 12 }), fc.nat(12), filter, (topics, cleared, wanted) => {
        const store = new RetainedStore({ maxMessages: 100, maxBytes: 10_000 });
        for (const name of topics) store.set(message(name));
        for (const name of topics.slice(0, cleared)) store.set(message(name, ''));
        const found = store.match(wanted, 0).map((one) => one.topic);
        const expected = topics.slice(cleared).filter((name) => matches(wanted, name));
        expect(found.toSorted()).toEqual(expected.toSorted());
        expect(store.count).toBe(Math.max(0, topics.length - cleared));
      }),
    );
  });

  test('is bounded in bytes, and counts a replaced message once', () => {
    const store = new RetainedStore({ maxMessages: 100, maxBytes: 20 });
    expect([store.set(message('a')), store.set(message('a')), store.set(message('b'))]).toEqual([true, true, true]);
    expect(store.set(message('c'))).toBe(false);
    store.set(message('a', ''));
    expect(store.set(message('c'))).toBe(true);
  });

  test('forgets what has expired', () => {
    const store = new RetainedStore({ maxMessages: 1, maxBytes: 1000 });
    store.set({ ...message('a'), expiresAt: 100 });
    expect(store.match('#', 99)).toHaveLength(1);
    expect(store.match('#', 100)).toEqual([]);
    store.set({ ...message('b'), expiresAt: 100 });
    store.sweep(100);
    expect(store.count).toBe(0);
  });
});
