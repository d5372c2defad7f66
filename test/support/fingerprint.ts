/**
 * What all tables hold, in a few bytes: rows are counted and their hashes added up, by one prepared statement on a connection
 * of its own, so that neither the pool of the tested nor its count of statements notices. Costs half a millisecond while the
 * tables are as small as tests have them.
 */
import postgres from 'postgres';

export class Fingerprints {
  readonly #sql: postgres.Sql;
  #statement: Promise<string> | undefined;

  constructor(url: string) {
    this.#sql = postgres(url, { max: 1, connection: { application_name: 'fingerprints' }, onnotice: () => {} });
  }

  /** A line for each table. */
  async take(): Promise<string> {
    this.#statement ??= this.#prepare();
    // Without parameters it would go by the simple protocol, and be planned each time.
    const prepared = { prepare: true, simple: false } as object;
    const [row] = await this.#sql.unsafe<{ lines: string }[]>(await this.#statement, [], prepared);
    return row!.lines;
  }

  async #prepare(): Promise<string> {
    const tables = await this.#sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by tablename`;
    const each = tables.map(
      ({ name }) =>
        `select '${name}' || ': ' || count(*) || ' rows, ' || coalesce(sum(hashtextextended(q::text, 0)), 0) as line from "${name}" q`,
    );
    return `select string_agg(line, E'\\n') as lines from (${each.join(' union all ')}) tables`;
  }

  end(): Promise<void> {
    return this.#sql.end({ timeout: 1 });
  }
}

/** The lines that are not the same. */
export function difference(before: string, after: string): string {
  const then = before.split('\n');
  const changed = after.split('\n').filter((line) => !then.includes(line));
  return changed.map((line) => `${then.find((one) => one.startsWith(line.split(':')[0]!))} -> ${line}`).join('\n');
}
