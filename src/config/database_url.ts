/** The URL of the database in the form the client library takes. */
import type { Config } from '#src/lib/config.ts';
import { ConfigError } from './errors.ts';

/**
 * `[database] connection` as a `postgresql://` URL, or null where it is unset (then the embedded PostgreSQL is used).
 * SQLAlchemy's `postgresql+psycopg2://` is the same database by another driver; another dialect throws.
 */
export function databaseUrl(config: Config): string | null {
  const connection = config.optionalString('database', 'connection');
  if (connection === null || connection === '') return null;
  const [, dialect = '', rest = ''] = /^([a-z0-9]+)(?:\+[a-z0-9_]+)?:\/\/(.*)$/is.exec(connection) ?? [];
  const name = dialect.toLowerCase();
  if (name === 'postgresql' || name === 'postgres') return `postgresql://${rest}`;
  const found = name === '' ? 'no URL' : `a database of the kind "${name}"`;
  throw new ConfigError(
    `[database] connection names ${found}, but Nucleon keeps its data in PostgreSQL: write ` +
      'postgresql://user:password@host/database, or leave it unset to use the embedded PostgreSQL.',
  );
}
