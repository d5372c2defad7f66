/** The one way to write, migrations and lists, on a real PostgreSQL. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRows, migrate, migrationState, openDatabase, showRow, type TableSql } from '#src/db/mod.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createDatabase, migratedDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase('db');
});
afterAll(() => database?.drop());

describe('transaction()', () => {
  beforeEach(async () => {
    await database.sql.unsafe(
      'drop table if exists counters; create table counters (name text primary key, n int not null)',
    );
    await database.sql`insert into counters values ('a', 0), ('b', 0)`;
  });

  it('runs again what a deadlock has rolled back', async () => {
    const { db, sql } = database;
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const meet = () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      return both.promise;
    };
    const bump = (first: string, second: string) =>
      db.transaction({ label: 'test' }, async (tx) => {
        await tx`update counters set n = n + 1 where name = ${first}`;
        await meet();
        await tx`update counters set n = n + 1 where name = ${second}`;
      });
    await Promise.all([bump('a', 'b'), bump('b', 'a')]);
    expect(await sql`select name, n from counters order by name`).toEqual([
      { name: 'a', n: 2 },
      { name: 'b', n: 2 },
    ]);
  });

  it('leaves nothing of work that throws, and does not run it again', async () => {
    const { db, sql } = database;
    let runs = 0;
    const failing = db.transaction({ label: 'test' }, async (tx) => {
      runs += 1;
      await tx`update counters set n = 9`;
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(runs).toBe(1);
    expect(await sql`select max(n) as n from counters`).toEqual([{ n: 0 }]);
  });
});

describe('migrate()', () => {
  const sets = [
    {
      name: 'plugin',
      migrations: [
        {
          name: '0000_first',
          sql: 'create table first (id int);--> statement-breakpoint\ninsert into first values (1);',
        },
      ],
    },
  ];

  it('applies each migration once, however many processes ask at the same time', async () => {
    const created = await createDatabase('migrate');
    const open = () =>
      openDatabase({
        url: created.url,
        applicationName: 'test',
        poolSize: 2,
        log: silentLogger,
        metrics: silentMetrics,
      });
    const pools = [open(), open(), open()];
    const applied = await Promise.all(pools.map(({ sql }) => migrate(sql, sets)));
    expect(applied.flat()).toEqual(['plugin/0000_first']);
    expect(await pools[0]!.sql`select id from first`).toHaveLength(1);
    expect(await migrationState(pools[0]!.sql, sets)).toEqual([
      { set: 'plugin', applied: ['0000_first'], pending: [], unknown: [] },
    ]);
    for (const pool of pools) await pool.stop();
    await created.drop();
  });

  it('leaves nothing of a migration that fails, and says which', async () => {
    const broken = [
      {
        name: 'broken',
        migrations: [
          { name: '0000_bad', sql: 'create table half (id int);--> statement-breakpoint\nselect nonsense;' },
        ],
      },
    ];
    await expect(migrate(database.sql, broken)).rejects.toThrow('broken/0000_bad');
    expect(await database.sql`select to_regclass('half') as found`).toEqual([{ found: null }]);
  });

  it('refuses a migration that was edited after it was applied', async () => {
    const set = (sql: string) => [{ name: 'edited', migrations: [{ name: '0000_one', sql }] }];
    await migrate(database.sql, set('create table edited (id int)'));
    await expect(migrate(database.sql, set('create table edited (id bigint)'))).rejects.toThrow(
      'appended, never edited',
    );
  });
});

describe('listRows()', () => {
  const ids = [1, 2, 3, 4, 5].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const things: TableSql = {
    from: 'things t',
    key: 't.id',
    attributes: {
      id: { select: 't.id', type: 'uuid' },
      name: { select: 't.name' },
      size: { select: 't.size', type: 'integer' },
      up: { select: 't.up', type: 'boolean' },
    },
    notFound: (id) => new Error(`no thing ${id}`),
  };
  const query = (more: Partial<ListQuery> = {}): ListQuery => ({
    filters: [],
    sorts: [{ attribute: 'id', direction: 'asc' }],
    reverse: false,
    ...more,
  });
  const names = async (more: Partial<ListQuery>) =>
    (await listRows(database.sql, things, query(more))).items.map((item) => item['name']);

  beforeAll(async () => {
    await database.sql.unsafe(
      'create table things (id uuid primary key, name text not null, size int not null, up bool)',
    );
    const rows = ids.map((id, index) => ({
      id,
      name: 'abcde'[index]!,
      size: [2, 1, 2, 1, 2][index]!,
      up: index % 2 === 0,
    }));
    await database.sql`insert into things ${database.sql(rows)}`;
  });

  it('finds any of several values, and nothing for a value that cannot be of the type', async () => {
    const filter = (attribute: string, values: readonly (string | number | boolean)[]) =>
      names({ filters: [{ attribute, operator: 'in', values }] });
    expect(await filter('name', ['a', 'c', 'z'])).toEqual(['a', 'c']);
    expect(await filter('id', [ids[1]!, 'not-an-id'])).toEqual(['b']);
    expect(await filter('up', [false])).toEqual(['b', 'd']);
    expect(await filter('size', ['nonsense'])).toEqual([]);
  });

  it('pages both ways through rows that are equal in the first sort key, without gap or repetition', async () => {
    const sorts = [
      { attribute: 'size', direction: 'desc' },
      { attribute: 'id', direction: 'asc' },
    ] as const;
    const page = async (more: Partial<ListQuery>) =>
      listRows(database.sql, things, query({ sorts, limit: 2, ...more }));
    const first = await page({});
    expect(first.items.map((item) => item['name'])).toEqual(['a', 'c']);
    expect(first.more).toBe(true);
    const second = await page({ marker: ids[2]! });
    expect(second.items.map((item) => item['name'])).toEqual(['e', 'b']);
    const third = await page({ marker: ids[1]! });
    expect(third).toMatchObject({ items: [{ name: 'd' }], more: false });
    const back = await page({ marker: ids[3]!, reverse: true });
    expect(back.items.map((item) => item['name'])).toEqual(['e', 'b']);
  });

  it('refuses a marker that names nothing', async () => {
    await expect(names({ marker: '7c9e6679-7425-40de-944b-e07fc1f90ae7' })).rejects.toThrow('no thing 7c9e6679');
    await expect(names({ marker: 'nonsense' })).rejects.toThrow('no thing nonsense');
  });

  it('reads only the attributes asked for, within the scope', async () => {
    const scope = () => "t.name <> 'a'";
    const { items } = await listRows(database.sql, things, query({ fields: ['name', 'unknown'] }), scope);
    expect(items).toEqual([{ name: 'b' }, { name: 'c' }, { name: 'd' }, { name: 'e' }]);
    expect(await showRow(database.sql, things, ids[0]!, undefined, scope)).toBeUndefined();
    expect(await showRow(database.sql, things, ids[1]!, ['size'], scope)).toEqual({ size: 1 });
  });

  it('gives rows as text where that is enough, which a changed copy of the list does not have', async () => {
    const text = { attributes: ['size', 'name', 'unknown', 'up'], values: ['id', 'unknown'] };
    const list = await listRows(database.sql, things, query({ text, limit: 1 }));
    expect(list.written).toMatchObject([{ text: '{"size":2,"name":"a","up":true}', values: { id: ids[0] } }]);
    expect(list.more).toBe(true);
    const copy = { ...list };
    expect(copy.written).toBeUndefined();
    expect(copy.items).toEqual([{ id: ids[0], size: 2, name: 'a', up: true }]);
  });

  it('gives no text where rows have to be completed here', async () => {
    const finish = (row: Record<string, unknown>) => void Object.assign(row, { name: 'whole' });
    const text = { attributes: ['name'], values: [] };
    const list = await listRows(database.sql, { ...things, finish }, query({ text, fields: ['name'] }));
    expect(list.written).toBeUndefined();
    expect(list.items[0]).toEqual({ name: 'whole' });
  });

  it('takes % and _ of a substring literally', async () => {
    const substring = (text: string) =>
      names({ filters: [{ attribute: 'name', operator: 'substring', values: [text] }] });
    expect(await substring('b')).toEqual(['b']);
    expect(await substring('%')).toEqual([]);
    expect(await substring('_')).toEqual([]);
  });
});
