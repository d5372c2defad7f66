/**
 * Migrations: SQL files that drizzle-kit generates, applied in order by one process at a time. The advisory lock is held
 * by the session, so a process that dies gives it back. Each file is one transaction together with the row that records
 * it. Files are appended, never edited: a recorded file whose text has changed is refused.
 *
 * Expand and contract: a release only adds what the release before can live with (nullable columns, new tables), and drops
 * what no running release reads; so old and new workers run side by side while a cluster is rolled.
 */
import type { Sql } from '#src/lib/database.ts';

/** A set of migrations: Nucleon's own, or a plugin's. */
export interface MigrationSet {
  /** `nucleon`, or the plugin's name. */
  readonly name: string;
  readonly migrations: readonly Migration[];
}

export interface Migration {
  /** The file's name without its ending; sorts in the order of application. */
  readonly name: string;
  /** Statements apart by drizzle-kit's break-point comments. */
  readonly sql: string;
}

export interface MigrationState {
  readonly set: string;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Recorded in the database but unknown here: the database is of a newer release. */
  readonly unknown: readonly string[];
}

/** Any constant, the same in every release: who holds it migrates. */
const LOCK = 7_305_982_114;
const BREAK = /-->\s*statement-breakpoint/;

const hash = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** What is applied and what is not, without changing anything. */
export async function migrationState(sql: Sql, sets: readonly MigrationSet[]): Promise<readonly MigrationState[]> {
  const [found] = await sql`select to_regclass('nucleon_migrations') is not null as present`;
  const rows =
    found?.['present'] === true ? await sql`select set_name, name from nucleon_migrations order by name` : [];
  return sets.map((set) => {
    const recorded = rows.filter((row) => row['set_name'] === set.name).map((row) => String(row['name']));
    const known = new Set(set.migrations.map(({ name }) => name));
    return {
      set: set.name,
      applied: recorded.filter((name) => known.has(name)),
      pending: set.migrations.map(({ name }) => name).filter((name) => !recorded.includes(name)),
      unknown: recorded.filter((name) => !known.has(name)),
    };
  });
}

/** Brings the database up to date and says what was applied. Waits while another process does the same. */
export async function migrate(sql: Sql, sets: readonly MigrationSet[]): Promise<readonly string[]> {
  const connection = await sql.reserve();
  const applied: string[] = [];
  try {
    await connection`select pg_advisory_lock(${LOCK})`;
    await connection`create table if not exists nucleon_migrations (
      set_name text not null, name text not null, hash text not null,
      applied_at timestamptz not null default now(), primary key (set_name, name))`;
    for (const set of sets) {
      const rows = await connection`select name, hash from nucleon_migrations where set_name = ${set.name}`;
      const recorded = new Map(rows.map((row) => [String(row['name']), String(row['hash'])]));
      for (const migration of set.migrations) {
        const digest = await hash(migration.sql);
        const before = recorded.get(migration.name);
        if (before === digest) continue;
        if (before !== undefined) {
          throw new Error(
            `migration ${set.name}/${migration.name} was applied with another text: migrations are appended, never edited`,
          );
        }
        await connection`begin`;
        try {
          for (const statement of migration.sql.split(BREAK)) {
            if (statement.trim() !== '') await connection.unsafe(statement);
          }
          await connection`insert into nucleon_migrations (set_name, name, hash) values (${set.name}, ${migration.name}, ${digest})`;
          await connection`commit`;
        } catch (error) {
          await connection`rollback`;
          throw new Error(`migration ${set.name}/${migration.name} failed and was rolled back`, { cause: error });
        }
        applied.push(`${set.name}/${migration.name}`);
      }
    }
    return applied;
  } finally {
    await connection`select pg_advisory_unlock(${LOCK})`.catch(() => {});
    connection.release();
  }
}

/** Reads a folder that drizzle-kit wrote. `read` and `list` take URLs, so that any runtime can serve them. */
export async function readMigrations(
  name: string,
  folder: URL,
  files: { list(url: URL): Promise<readonly string[]>; read(url: URL): Promise<string> },
): Promise<MigrationSet> {
  const names = (await files.list(folder)).filter((file) => file.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    names.map(async (file) => ({ name: file.slice(0, -'.sql'.length), sql: await files.read(new URL(file, folder)) })),
  );
  return { name, migrations };
}
