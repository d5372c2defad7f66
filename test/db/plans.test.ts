/** Plans are kept: they must be good for a table that was small when they were made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#src/db/mod.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  database = await createDatabase('plans');
  db = openDatabase({
    url: database.url,
    applicationName: 'plans',
    poolSize: 1,
    log: silentLogger,
    metrics: silentMetrics,
  });
});
afterAll(async () => {
  await db?.stop();
  await database?.drop();
});

it('a statement that was first run on a nearly empty table uses the index when it is full', async () => {
  const { sql } = db;
  await sql`create table things (id int primary key)`;
  await sql`insert into things values (0)`;
  await sql`analyze things`;
  const find = () => sql`select id from things where id = any(${[1, 2, 3]}::int[]) order by id`;
  await find();
  await sql`insert into things select generate_series(1, 10000)`;
  expect(await find()).toHaveLength(3);
  await sql`select pg_stat_force_next_flush()`;
  expect(await sql`select seq_tup_read::int as read from pg_stat_user_tables where relname = 'things'`).toEqual([
    { read: 0 },
  ]);
});
