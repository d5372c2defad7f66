/** What the relay completes when it sends: audiences, readers and versioned objects, on real PostgreSQL. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { adminContext } from '#src/lib/context.ts';
import type { Queryable } from '#src/lib/database.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import type { MessageNotification, Notification, ObjectNotification, VersionedObjectType } from '#src/lib/rpc.ts';
import {
  createOutbox,
  type MessageSources,
  type OutboxMessage,
  type RelayOptions,
  startRelay,
} from '#src/outbox/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { base, until } from './support.ts';

const outbox = createOutbox();
const context = adminContext();

/** Things stand on hosts; what is told of them is read from their table. */
const TABLES = `
  create table things (id text primary key, n int not null);
  create table places (thing_id text not null, host text not null);`;

const hosts = async (sql: Queryable, ids: readonly string[]) => {
  const rows = await sql<{ thing_id: string; hosts: string[] }[]>`
    select thing_id, array_agg(host order by host) as hosts from places
    where thing_id = any(${ids as string[]}) group by thing_id`;
  return new Map(rows.map((row) => [row.thing_id, row.hosts]));
};
const things = async (sql: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> => {
  const rows = await sql<{ id: string; n: number }[]>`select id, n from things where id = any(${ids as string[]})`;
  return new Map(rows.map(({ id, n }) => [id, { id, n }]));
};
const Thing: VersionedObjectType = {
  name: 'Thing',
  version: '1.2',
  read: things,
  audience: hosts,
  find: async () => [],
};

/** Counts how often each source is asked. */
function sources(asked: Map<string, number> = new Map()) {
  const counted =
    <Rest extends unknown[], Answer>(name: string, source: (...rest: Rest) => Answer) =>
    (...rest: Rest): Answer => {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      return source(...rest);
    };
  return {
    audiences: new Map([
      ['thing', counted('audience thing', hosts)],
      [
        'uuid',
        async (sql: Queryable, ids: readonly string[]) => {
          const rows = await sql<{ id: string }[]>`select id::text from unnest(${ids as string[]}::uuid[]) as n (id)`;
          return new Map(rows.map(({ id }) => [id, ['host-u']]));
        },
      ],
      [
        'defect',
        async () => {
          throw new TypeError('this audience is broken');
        },
      ],
    ]),
    readers: new Map<string, (sql: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, Json>>>([
      ['thing', counted('reader thing', things)],
      [
        'wrong',
        async (sql: Queryable) => {
          await sql`select nothing from nowhere`;
          return new Map();
        },
      ],
      ['large', async (_sql: Queryable, ids: readonly string[]) => new Map(ids.map((id) => [id, 'x'.repeat(2 ** 20)]))],
    ]),
    objects: new Map([['Thing', { ...Thing, read: counted('object Thing', things) }]]),
  } satisfies MessageSources;
}

function note(id: string, extra: Partial<MessageNotification> = {}): MessageNotification {
  return {
    to: { audience: 'thing', of: [id] },
    topic: 'test',
    method: 'say',
    args: { id },
    version: '1.0',
    key: `thing:${id}`,
    ...extra,
  };
}
const change = (id: string, extra: Partial<ObjectNotification> = {}): ObjectNotification => ({
  object: 'Thing',
  id,
  key: `thing:${id}`,
  ...extra,
});

describe('the outbox, with what is found late', () => {
  let database: TestDatabase;
  let world: Lifetime;
  let sent: OutboxMessage[];
  let errors: [string, LogFields | undefined][];
  const asked = new Map<string, number>();
  const log: Logger = { ...silentLogger, error: (message, fields) => void errors.push([message, fields]) };

  const relay = async (options: Partial<RelayOptions> = {}) => {
    const publish = async (message: OutboxMessage) => void sent.push(message);
    const shared = { ...base, log, url: database.url, publish, sources: sources(asked), pollMs: 200 };
    return world.add(await startRelay({ ...shared, ...options }));
  };
  const say = (...notifications: Notification[]) =>
    database.db.transaction({ label: 'test' }, (tx) => outbox.add(tx, context, notifications));
  const waiting = async () => Number((await database.sql`select count(*) as n from outbox`)[0]?.['n']);
  const emptied = () => until(async () => (await waiting()) === 0, 'the outbox is empty');
  const thing = async (id: string, n: number, on: readonly string[]) => {
    await database.sql`insert into things values (${id}, ${n}) on conflict (id) do update set n = ${n}`;
    await database.sql`delete from places where thing_id = ${id}`;
    for (const host of on) await database.sql`insert into places values (${id}, ${host})`;
  };
  const gone = async (id: string) => {
    await database.sql`delete from things where id = ${id}`;
    await database.sql`delete from places where thing_id = ${id}`;
  };
  const told = () => sent.map(({ host, topic, payload }) => [host, topic, JSON.parse(payload).args]);
  const pushed = (id: string, data: JsonObject, event_type = 'updated') => ({
    event_type,
    resource_list: [
      {
        'versioned_object.name': 'Thing',
        'versioned_object.namespace': 'versionedobjects',
        'versioned_object.version': '1.2',
        'versioned_object.data': { id, ...data },
      },
    ],
  });
  const PUSHES = 'neutron-vo-Thing-1.2';

  beforeAll(async () => {
    database = await migratedDatabase('outbox_late', { poolSize: 8 });
    await database.sql.unsafe(TABLES);
  });
  afterAll(() => database?.drop());
  beforeEach(() => {
    world = new Lifetime();
    sent = [];
    errors = [];
    asked.clear();
  });
  afterEach(async () => {
    await world.stop();
    await database.sql`truncate outbox, things, places`;
  });

  test('tells the hosts that are concerned when it is sent, each once', async () => {
    await thing('a', 1, ['host-1']);
    await say(
      note('a', { to: [{ audience: 'thing', of: ['a', 'b'] }, { hosts: ['host-2', 'host-9'] }, { host: 'host-9' }] }),
    );
    await thing('a', 1, ['host-2', 'host-3']);
    await thing('b', 1, ['host-3', 'host-4']);
    await relay();
    await emptied();
    expect(told().map(([host]) => host)).toEqual(['host-2', 'host-3', 'host-4', 'host-9']);
    expect(new Set(sent.map(({ payload }) => payload)).size).toBe(1);
  });

  test('tells nobody where nobody is concerned, and passes over what is bound to no host', async () => {
    await thing('a', 1, []);
    await say(note('a'), note('a', { to: { host: '' } }), note('a', { to: [{ hosts: ['', 'host-1'] }] }));
    await relay();
    await emptied();
    expect(told().map(([host]) => host)).toEqual(['host-1']);
    expect(errors).toEqual([]);
  });

  test('says to all what is for all among others, and only once', async () => {
    await say(note('a', { to: ['fanout', { host: 'host-1' }] }));
    await relay();
    await emptied();
    expect(told()).toEqual([[null, 'test', { id: 'a' }]]);
    expect(JSON.parse(sent[0]!.payload).context).not.toHaveProperty('project_id');
  });

  test('puts the newest state into the arguments, by path, and drops the message of what is gone', async () => {
    await thing('a', 1, ['host-1']);
    await thing('b', 1, ['host-1']);
    const reads = (id: string) => ({ 'payload.thing': { reader: 'thing', id }, copy: { reader: 'thing', id: 'a' } });
    await say(
      note('a', { args: { payload: { priority: 4 } }, reads: reads('a') }),
      note('b', { args: {}, reads: reads('b') }),
      note('b', { method: 'gone', args: { id: 'b' }, to: { host: 'host-1' } }),
    );
    await thing('a', 2, ['host-1']);
    await gone('b');
    await relay();
    await emptied();
    expect(told()).toEqual([
      ['host-1', 'test', { payload: { priority: 4, thing: { id: 'a', n: 2 } }, copy: { id: 'a', n: 2 } }],
      ['host-1', 'test', { id: 'b' }],
    ]);
  });

  test('reads what fanout carries, too', async () => {
    await thing('a', 7, []);
    await say(note('a', { to: 'fanout', args: {}, reads: { thing: { reader: 'thing', id: 'a' } } }));
    await relay();
    await emptied();
    expect(told()).toEqual([[null, 'test', { thing: { id: 'a', n: 7 } }]]);
  });

  test('pushes a versioned object to the hosts concerned, and its deletion to those that were', async () => {
    await thing('a', 1, ['host-1', 'host-2']);
    await relay();
    await say(change('a'));
    await until(() => sent.length === 2, 'it is pushed');
    expect(told()).toEqual(['host-1', 'host-2'].map((host) => [host, PUSHES, pushed('a', { n: 1 })]));
    expect(JSON.parse(sent[0]!.payload)).toMatchObject({ method: 'push', version: '1.1' });
    expect(JSON.parse(sent[0]!.payload).context).not.toHaveProperty('project_id');
    sent = [];
    await gone('a');
    await say(change('a', { also: [{ host: 'host-2' }] }));
    await emptied();
    expect(told()).toEqual([['host-2', PUSHES, pushed('a', {}, 'deleted')]]);
  });

  test('tells once of changes of one object that come together, in its last place, and leaves nobody out', async () => {
    await thing('a', 1, ['host-1']);
    await say(
      change('a'),
      // host-0 is left: only this change concerns it.
      change('a', { also: [{ hosts: ['host-0', 'host-1'] }] }),
      note('a', { method: 'between' }),
      change('b'),
      change('a', { also: [{ host: 'host-2' }] }),
    );
    await thing('a', 5, ['host-1']);
    await relay();
    await emptied();
    expect(told()).toEqual([
      ['host-0', PUSHES, pushed('a', { n: 5 })],
      ['host-1', 'test', { id: 'a' }],
      ['host-1', PUSHES, pushed('a', { n: 5 })],
      ['host-2', PUSHES, pushed('a', { n: 5 })],
    ]);
  });

  test('asks each source once for a batch', async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `thing-${n}`);
    for (const id of ids) await thing(id, 1, ['host-1']);
    const reads = (id: string) => ({ thing: { reader: 'thing', id } });
    await say(...ids.flatMap((id) => [note(id, { args: {}, reads: reads(id) }), change(id)]));
    await relay();
    await emptied();
    expect(sent).toHaveLength(100);
    expect(Object.fromEntries(asked)).toEqual({ 'audience thing': 1, 'reader thing': 1, 'object Thing': 1 });
  });

  test('asks nobody where nothing is left to find', async () => {
    await say(note('a', { to: { host: 'host-1' } }), note('a', { to: 'fanout' }));
    await relay();
    await emptied();
    expect(sent).toHaveLength(2);
    expect(asked.size).toBe(0);
  });

  test('of one key keeps the order, whatever the kinds of messages', async () => {
    await thing('a', 0, ['host-1']);
    const ends = [1, 2, 3, 4, 5].map((n) =>
      n % 2 ? note('a', { args: { n } }) : note('a', { args: { n }, to: { host: 'host-1' } }),
    );
    await say(
      note('a', { args: { n: 0 }, reads: { thing: { reader: 'thing', id: 'a' } } }),
      ...ends,
      change('a'),
      note('a', { args: { n: 6 }, to: 'fanout' }),
    );
    await relay({ batch: 3 });
    await emptied();
    const order = told().map(([, topic, args]) => (topic === PUSHES ? 'push' : (args as { n: number }).n));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 'push', 6]);
  });

  test('of a deletion behind changes the last word is the deletion', async () => {
    await thing('a', 1, ['host-1']);
    await say(change('a'), note('a', { args: {}, reads: { thing: { reader: 'thing', id: 'a' } } }));
    await gone('a');
    await say(note('a', { method: 'deleted', to: { host: 'host-1' } }), change('a', { also: [{ host: 'host-1' }] }));
    for (const batch of [1, 500]) {
      const rows =
        await database.sql`select key, host, topic, payload, recipients, reads, object_id from outbox order by id`;
      sent = [];
      const running = await relay({ batch });
      await emptied();
      await running.stop();
      expect(told()).toEqual([
        ['host-1', 'test', { id: 'a' }],
        ['host-1', PUSHES, pushed('a', {}, 'deleted')],
      ]);
      await database.sql`insert into outbox ${database.sql(rows as never)}`;
    }
  });

  test('what needs something unknown or broken is dropped and told in the log; the rest goes on', async () => {
    await thing('a', 1, ['host-1']);
    const read = (reader: string) => ({ thing: { reader, id: 'a' } });
    await say(
      note('a', { reads: read('nobody knows') }),
      note('a', { reads: read('wrong') }),
      note('a', { to: { audience: 'nobody knows', of: ['a'] } }),
      note('a', { to: { audience: 'defect', of: ['a'] } }),
      note('a', { to: [{ audience: 'defect', of: ['a'] }, { host: 'host-2' }] }),
      change('a', { object: 'Unknown' }),
      note('a', { method: 'last' }),
    );
    await relay();
    await emptied();
    expect(told().map(([host]) => host)).toEqual(['host-2', 'host-1']);
    const said = new Set(errors.map(([message, fields]) => `${fields?.['name']}: ${message.replace(/^.*: /, '')}`));
    expect([...said].toSorted()).toEqual([
      'Unknown: nothing is known by that name',
      'defect: what they need cannot be read',
      'nobody knows: nothing is known by that name',
      'wrong: what they need cannot be read',
    ]);
  });

  test('an id that PostgreSQL cannot take fails alone', async () => {
    const good = Array.from({ length: 20 }, () => crypto.randomUUID());
    const of = (id: string) => note(id, { to: { audience: 'uuid', of: [id] } });
    await say(...good.slice(0, 13).map(of), of('no uuid'), ...good.slice(13).map(of));
    await relay();
    await emptied();
    expect(told().map(([, , args]) => (args as { id: string }).id)).toEqual(good);
  });

  test('a message that grows too large with what is read is dropped and told in the log; the rest goes on', async () => {
    await thing('a', 1, ['host-1']);
    await say(note('a', { reads: { much: { reader: 'large', id: 'a' } } }), note('a', { method: 'next' }));
    await relay();
    await emptied();
    expect(sent).toHaveLength(1);
    expect(errors.map(([, fields]) => fields?.['error'])).toMatchObject([{ type: 'MessageTooLarge' }]);
  });

  test('what fails for want of a connection is tried again until it works', async () => {
    await thing('a', 1, ['host-1']);
    let failures = 3;
    const lost = async (sql: Queryable, ids: readonly string[]) => {
      if (failures-- > 0) throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
      return things(sql, ids);
    };
    await say(note('a', { args: {}, reads: { thing: { reader: 'thing', id: 'a' } } }));
    await relay({ sources: { ...sources(), readers: new Map([['thing', lost]]) } });
    await emptied();
    expect(failures).toBe(-1);
    expect(told()).toEqual([['host-1', 'test', { thing: { id: 'a', n: 1 } }]]);
  });

  test('a row for several hosts is done when all of them are told', async () => {
    const all = ['host-1', 'host-2', 'host-3'];
    let refusals = 2;
    await say(note('a', { to: { hosts: all }, args: { n: 1 } }), note('a', { to: { host: 'host-1' }, args: { n: 2 } }));
    await relay({
      publish: async (message) => {
        if (message.host === 'host-2' && refusals-- > 0) throw new Error('refused');
        sent.push(message);
      },
    });
    await emptied();
    for (const host of all) {
      const heard = told()
        .filter(([to]) => to === host)
        .map(([, , args]) => (args as { n: number }).n);
      expect(heard.at(-1), host).toBe(host === 'host-1' ? 2 : 1);
      expect(heard, host).toContain(1);
    }
  });

  test('a backlog is read ahead while it is sent: in order, with a bounded number of messages under way', async () => {
    const total = 200;
    await thing(
      'a',
      1,
      Array.from({ length: 30 }, (_, n) => `host-${n}`),
    );
    await say(...Array.from({ length: total }, (_, n) => note('a', { args: { n } })));
    let underWay = 0;
    let most = 0;
    await relay({
      batch: 10,
      messages: 64,
      publish: async (message) => {
        most = Math.max(most, ++underWay);
        sent.push(message);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
      },
    });
    await emptied();
    const heard = told()
      .filter(([host]) => host === 'host-7')
      .map(([, , args]) => (args as { n: number }).n);
    expect(heard).toEqual(Array.from({ length: total }, (_, n) => n));
    expect(sent).toHaveLength(total * 30);
    expect(most).toBe(64);
  });

  test('a refusal in a backlog holds back its key alone, also in the batches behind', async () => {
    const total = 60;
    const keyOf = (n: number) => `thing:${n % 3}`;
    await say(
      ...Array.from({ length: total }, (_, n) => note('a', { to: { host: 'host-1' }, args: { n }, key: keyOf(n) })),
    );
    let refusals = 5;
    await relay({
      batch: 7,
      publish: async (message) => {
        const { n } = JSON.parse(message.payload).args;
        if (n === 12 && refusals-- > 0) throw new Error('refused');
        sent.push(message);
      },
    });
    await emptied();
    for (const key of [0, 1, 2]) {
      const heard = told()
        .map(([, , args]) => (args as { n: number }).n)
        .filter((n) => n % 3 === key);
      const all = Array.from({ length: total / 3 }, (_, n) => n * 3 + key);
      expect(new Set(heard)).toEqual(new Set(all));
      // What was behind the refused one is told behind it, again or at last.
      const from = key === 0 ? 12 : key;
      expect(heard.slice(heard.lastIndexOf(from))).toEqual(all.filter((n) => n >= from));
    }
  });

  test('rows of the release before, which name one host or all, still go', async () => {
    const payload = JSON.stringify({ method: 'say', args: { n: 1 }, version: '1.0', context: {} });
    await database.sql`insert into outbox (key, host, topic, payload) values ('k', 'host-1', 'test', ${payload}), ('k', null, 'test', ${payload})`;
    await relay();
    await emptied();
    expect(told().map(([host]) => host)).toEqual(['host-1', null]);
  });

  test('a relay of the release before tells nobody what it cannot find the recipients of, and loses nothing', async () => {
    await say(note('a'), change('a'), note('a', { to: 'fanout', reads: { x: { reader: 'thing', id: 'a' } } }));
    // It takes null for every agent, and cannot send to an empty name.
    expect(await database.sql`select distinct host from outbox`).toEqual([{ host: '' }]);
  });

  test('the writer refuses recipients that cannot be told', async () => {
    await expect(say(note('a', { to: [{ host: 'host-1' }, { hosts: ['\ud800'] }] }))).rejects.toThrow(URIError);
    expect(await waiting()).toBe(0);
  });
});
