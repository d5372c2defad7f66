/**
 * The Database of an isolate. A connection belongs to the request that opened it ("Cannot perform I/O on behalf of a different
 * request"), while plugins hold one Database for good: so this one finds the client of the request that is being answered, by
 * AsyncLocalStorage. A client is made by the request's first statement and closed after its answer; requests that ask
 * nothing of the database open nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import postgres from 'postgres';
import { retryingDatabase } from '#src/db/mod.ts';
import type { Database, Sql } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { DatabaseBinding, ExecutionContext } from './bindings.ts';

export interface RequestDatabase extends Database {
  /** Runs the work of one request, whose statements then have a client of their own. */
  during<Result>(binding: DatabaseBinding, context: ExecutionContext, work: () => Promise<Result>): Promise<Result>;
}

/** The client of one request. */
interface Client {
  sql(): Sql;
  end(): Promise<void>;
}

/**
 * Connections of one request: one would do, as statements of a request follow each other, but a statement beside an open
 * transaction would then wait for its end for ever.
 */
const CONNECTIONS = 2;
/** For statements that still run when the answer is out. */
const END_SECONDS = 5;

/** Makes the Database that all requests of an isolate share by name and none by connection. */
export function createRequestDatabase(options: { readonly log: Logger; readonly metrics: Metrics }): RequestDatabase {
  const clients = new AsyncLocalStorage<Client>();
  const current = (): Sql => {
    const client = clients.getStore();
    if (client === undefined)
      throw new Error('in an isolate the database can be asked only while a request is answered');
    return client.sql();
  };
  return {
    ...retryingDatabase(forwarding(current), options),
    async during(binding, context, work) {
      const client = lazyClient(binding, options.log);
      try {
        return await clients.run(client, work);
      } finally {
        context.waitUntil(client.end());
      }
    },
  };
}

function lazyClient({ url, prepare }: DatabaseBinding, log: Logger): Client {
  let sql: Sql | undefined;
  return {
    sql() {
      sql ??= postgres(url, {
        max: CONNECTIONS,
        prepare,
        connect_timeout: 10,
        connection: { application_name: 'nucleon: isolate' },
        onnotice: (notice) => log.debug('PostgreSQL notice', { notice: notice['message'] }),
      });
      return sql;
    },
    async end() {
      await sql?.end({ timeout: END_SECONDS });
    },
  };
}

/** A postgres.js client that is another one at each call. */
function forwarding(current: () => Sql): Sql {
  type Call = (...parameters: unknown[]) => unknown;
  const nothing: Call = () => undefined;
  return new Proxy(nothing, {
    apply: (_target, _self, parameters) => (current() as unknown as Call)(...parameters),
    get: (_target, name) => Reflect.get(current(), name) as unknown,
  }) as unknown as Sql;
}
