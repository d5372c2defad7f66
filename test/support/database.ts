/** A fresh, migrated database for a test file, and its end. The server is the one that `postgres_setup.ts` provides. */
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { migrate, openDatabase, readMigrations } from '#src/db/mod.ts';
import type { Database, Sql } from '#src/lib/database.ts';
import { type Logger, silentLogger } from '#src/lib/log.ts';
import { type Metrics, silentMetrics } from '#src/lib/metrics.ts';

export interface TestDatabase {
  readonly url: string;
  readonly db: Database;
  readonly sql: Sql;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** The server's URL, any database of it. */
export function serverUrl(): string {
  const url = process.env['NUCLEON_TEST_POSTGRES_URL'];
  if (url === undefined) throw new Error('NUCLEON_TEST_POSTGRES_URL is not set: run the tests with "npm test"');
  return url;
}

/** Nucleon's own migrations, from the project's folder. */
export function ownMigrations() {
  return readMigrations('nucleon', new URL('../../drizzle/', import.meta.url), {
    list: (url) => readdir(url),
    read: (url) => readFile(url, 'utf8'),
  });
}

/** Creates an empty database; `name` shows in its name. */
export async function createDatabase(name: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const database = `t_${name}_${crypto.randomUUID().slice(0, 8)}`;
  const admin = postgres(serverUrl(), { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${database}`);
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return {
    url: url.href,
    async drop() {
      await admin.unsafe(`drop database if exists ${database} with (force)`);
      await admin.end();
    },
  };
}

/** Creates a database with Nucleon's tables and opens a pool on it. */
export async function migratedDatabase(
  name: string,
  options: { readonly poolSize?: number; readonly log?: Logger; readonly metrics?: Metrics } = {},
): Promise<TestDatabase> {
  const created = await createDatabase(name);
  const db = openDatabase({
    url: created.url,
    applicationName: `test ${name}`,
    poolSize: options.poolSize ?? 10,
    log: options.log ?? silentLogger,
    metrics: options.metrics ?? silentMetrics,
  });
  await migrate(db.sql, [await ownMigrations()]);
  return {
    url: created.url,
    db,
    sql: db.sql,
    async drop() {
      await db.stop();
      await created.drop();
    },
  };
}
