/** The outbox on real PostgreSQL: what is committed is sent, in order for each key, whatever dies. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminContext } from '#src/lib/context.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import type { Notification } from '#src/lib/rpc.ts';
import { createOutbox, type OutboxMessage, type RelayOptions, startRelay } from '#src/outbox/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { base, child, until } from './support.ts';

const outbox = createOutbox();
const context = adminContext();

function note(n: number, key = 'port:1', extra: Partial<Notification> = {}): Notification {
  return { to: { host: 'host-a' }, topic: 'test', method: 'say', args: { n, key }, version: '1.0', key, ...extra };
}

const argsOf = ({ payload }: OutboxMessage) => JSON.parse(payload).args as { n: number; key: string };

describe('the outbox', () => {
  let database: TestDatabase;
  let world: Lifetime;
  let sent: OutboxMessage[];
  const publish = async (message: OutboxMessage) => void sent.push(message);
  const relay = async (options: Partial<RelayOptions> = {}) =>
    world.add(await startRelay({ ...base, url: database.url, publish, pollMs: 200, ...options }));
  const say = (...notifications: Notification[]) =>
    database.db.transaction({ label: 'test' }, (tx) => outbox.add(tx, context, notifications));
  const waiting = async () => Number((await database.sql`select count(*) as n from outbox`)[0]?.['n']);
  const numbers = () => sent.map((message) => argsOf(message).n);

  beforeAll(async () => {
    database = await migratedDatabase('outbox', { poolSize: 16 });
  });
  afterAll(() => database?.drop());
  beforeEach(() => {
    world = new Lifetime();
    sent = [];
  });
  afterEach(async () => {
    await world.stop();
    await database.sql`truncate outbox`;
  });

  test('sends what a transaction left, with the message as Neutron writes it', async () => {
    await relay();
    await say(note(1), note(2, 'port:2', { to: 'fanout', namespace: 'trunk' }));
    await until(() => sent.length === 2, 'both are sent');
    expect(sent.map(({ host, topic }) => [host, topic])).toEqual([
      ['host-a', 'test'],
      [null, 'test'],
    ]);
    const { request_id, global_request_id, user_id, project_id } = context;
    expect(JSON.parse(sent[0]!.payload)).toEqual({
      method: 'say',
      args: { n: 1, key: 'port:1' },
      version: '1.0',
      context: { request_id, global_request_id, user_id, project_id, is_admin: true },
    });
    expect(JSON.parse(sent[1]!.payload)).toMatchObject({
      namespace: 'trunk',
      context: { request_id, global_request_id },
    });
    expect(JSON.parse(sent[1]!.payload).context).not.toHaveProperty('project_id');
    await until(async () => (await waiting()) === 0, 'the outbox is empty');
  });

  test('says nothing of a transaction that was rolled back', async () => {
    await relay();
    const refused = database.db.transaction({ label: 'test' }, async (tx) => {
      await outbox.add(tx, context, [note(1)]);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await say(note(2));
    await until(() => sent.length > 0, 'the other is sent');
    expect(numbers()).toEqual([2]);
  });

  test('refuses what could never be sent, in the transaction that says it', async () => {
    await expect(say(note(1, 'k', { topic: 'a/b' }))).rejects.toThrow(/cannot be an RPC topic/);
    await expect(say(note(1, 'k', { args: { much: 'x'.repeat(2 ** 20) } }))).rejects.toMatchObject({
      type: 'MessageTooLarge',
    });
    expect(await waiting()).toBe(0);
  });

  test('wakes a sleeping relay at the commit, long before its poll', async () => {
    await relay({ pollMs: 60_000 });
    for (let n = 0; n < 20; n++) {
      await say(note(n));
      await until(() => sent.length === n + 1, 'it is sent', 5000);
    }
  });

  test('misses no commit of writers that saw the relay awake', async () => {
    await relay({ pollMs: 60_000 });
    // Each holds its transaction open for a while after it has written, so that commits fall into all phases of the relay.
    const writers = Array.from({ length: 12 }, async (_, writer) => {
      for (let n = 0; n < 15; n++) {
        await database.db.transaction({ label: 'test' }, async (tx) => {
          await outbox.add(tx, context, [note(n, `port:${writer}`)]);
          await tx`select pg_sleep(${((n * 7 + writer) % 10) / 1000})`;
        });
      }
    });
    await Promise.all(writers);
    await until(() => sent.length === 12 * 15, 'all are sent', 5000);
  });

  test('keeps the order of each key under concurrent writers', async () => {
    await relay({ batch: 7 });
    await database.sql`create table if not exists counters (key text primary key, n int not null)`;
    const keys = ['port:1', 'port:2', 'port:3'];
    for (const key of keys)
      await database.sql`insert into counters values (${key}, 0) on conflict (key) do update set n = 0`;
    // As verbs do: change the row first, then tell what it became.
    const change = (key: string) =>
      database.db.transaction({ label: 'test' }, async (tx) => {
        const [row] = await tx`update counters set n = n + 1 where key = ${key} returning n`;
        await outbox.add(tx, context, [note(row?.['n'], key)]);
      });
    await Promise.all(Array.from({ length: 300 }, (_, n) => change(keys[n % 3]!)));
    await until(() => sent.length === 300, 'all are sent');
    for (const key of keys) {
      const of = sent.map(argsOf).filter((args) => args.key === key);
      expect(of.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    }
  });

  test('repeats what a relay had sent when it was killed before it could forget it, and loses nothing', async () => {
    await say(...Array.from({ length: 10 }, (_, n) => note(n)));
    const killed = child('stuck_relay.ts', [database.url]);
    try {
      await killed.said('sent 9');
    } finally {
      await killed.kill();
    }
    expect(await waiting()).toBe(10);
    await relay();
    await until(async () => (await waiting()) === 0, 'the next relay sends them');
    expect(numbers()).toEqual(Array.from({ length: 10 }, (_, n) => n));
  });

  test('one of two relays sends; the other takes over when it stops', async () => {
    const by: string[] = [];
    const named = (name: string) => relay({ publish: async () => void by.push(name), pollMs: 60_000 });
    const first = await named('first');
    await say(note(0));
    await until(() => by.length === 1, 'the first sends');
    await named('second');
    await say(note(1));
    await until(() => by.length === 2, 'the first still sends');
    await first.stop();
    await say(note(2));
    await until(() => by.length === 3, 'the second sends');
    expect(by).toEqual(['first', 'first', 'second']);
  });

  test('a relay whose database session is cut goes on, alone', async () => {
    await relay();
    await relay();
    for (let round = 1; round <= 3; round++) {
      await say(note(round));
      await until(() => numbers().includes(round), `round ${round}`);
      await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'nucleon: outbox relay' and state = 'idle'
          and query ~ 'advisory|outbox'`;
    }
    await say(note(4));
    await until(async () => (await waiting()) === 0, 'all are sent');
    expect([...new Set(numbers())]).toEqual([1, 2, 3, 4]);
  });

  test('a refused message holds back its key and nothing else, and is sent again', async () => {
    let refusals = 2;
    await say(note(1, 'a'), note(2, 'b'), note(3, 'a'), note(4, 'b'));
    await relay({
      publish: async (message) => {
        if (argsOf(message).n === 1 && refusals-- > 0) throw new Error('refused');
        sent.push(message);
      },
    });
    await until(async () => (await waiting()) === 0, 'all are sent');
    expect(
      sent
        .map(argsOf)
        .filter(({ key }) => key === 'b')
        .map(({ n }) => n),
    ).toEqual([2, 4]);
    const last = sent
      .map(argsOf)
      .filter(({ key }) => key === 'a')
      .slice(-2);
    expect(last.map(({ n }) => n)).toEqual([1, 3]);
  });

  test('stop() does not wait for a broker that is not there, and keeps what was not sent', async () => {
    await say(note(1));
    const started = await relay({ publish: () => new Promise(() => {}), drainMs: 50 });
    await started.stop();
    expect(await waiting()).toBe(1);
  });
});
