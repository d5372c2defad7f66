/** What a transaction promises when its statements are sent without waiting, and when something goes wrong under way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/mod.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createDatabase, migratedDatabase, type TestDatabase } from '../support/database.ts';

const how = { label: 'test' };
let database: TestDatabase;

beforeAll(async () => {
  database = await migratedDatabase('transaction', { poolSize: 2 });
  await database.sql.unsafe('create table notes (id int primary key)');
});
afterAll(() => database?.drop());
beforeEach(() => database.sql`truncate notes`);

const notes = async () => (await database.sql<{ id: number }[]>`select id from notes order by id`).map(({ id }) => id);

/** Ends the connection of a transaction from outside, and waits until it is gone. */
async function kill(pid: number): Promise<void> {
  await database.sql`select pg_terminate_backend(${pid}, 5000)`;
}

describe('the last statements', () => {
  it('are committed with the others', async () => {
    await database.db.transaction(how, async (tx, last) => {
      await tx`insert into notes values (1)`;
      last(tx`insert into notes values (2)`);
      last(tx`insert into notes values (3)`);
    });
    expect(await notes()).toEqual([1, 2, 3]);
  });

  it('undo everything when one fails, and its refusal is thrown', async () => {
    const failing = database.db.transaction(how, async (tx, last) => {
      await tx`insert into notes values (1)`;
      last(tx`insert into notes values (1)`, (error) => new Error('twice', { cause: error }));
      last(tx`insert into notes values (2)`, () => new Error('not this'));
    });
    await expect(failing).rejects.toThrow('twice');
    expect(await notes()).toEqual([]);
  });

  it('are refused as they say, though the work has waited for something behind them', async () => {
    const failing = database.db.transaction(how, async (tx, last) => {
      last(tx`insert into notes values (1), (1)`, () => new Error('twice'));
      await tx`select 1`.catch(() => {});
    });
    await expect(failing).rejects.toThrow('twice');
  });

  it('do not hide what the work throws', async () => {
    const failing = database.db.transaction(how, async (tx, last) => {
      last(tx`insert into notes values (1)`);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await notes()).toEqual([]);
  });
});

describe('a statement', () => {
  it('that fails ends the transaction, though the work goes on', async () => {
    const failing = database.db.transaction(how, async (tx) => {
      await tx`insert into notes values (1)`;
      await tx`insert into notes values (1)`.catch(() => {});
    });
    await expect(failing).rejects.toThrow('notes_pkey');
    expect(await notes()).toEqual([]);
  });

  it('that fails is the error, not those behind it', async () => {
    const failing = database.db.transaction(how, async (tx) => {
      const first = tx`insert into notes values (1), (1)`.execute();
      await tx`insert into notes values (2)`;
      await first;
    });
    await expect(failing).rejects.toThrow('notes_pkey');
  });

  it('that comes after the end is not sent', async () => {
    const ended = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    const failing = database.db.transaction(how, async (tx) => {
      late = ended.promise.then(() => tx`insert into notes values (9)`);
      late.catch(() => {});
      await tx`insert into notes values (1)`;
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    ended.resolve();
    await expect(late).rejects.toThrow('has ended');
    expect(await notes()).toEqual([]);
  });
});

describe('a connection that is lost', () => {
  it('between two statements fails the transaction, and the pool goes on', async () => {
    for (let time = 0; time < 3; time++) {
      const failing = database.db.transaction(how, async (tx) => {
        const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        await tx`insert into notes values (1)`;
        await kill(row!.pid);
        await tx`insert into notes values (2)`;
      });
      await expect(failing).rejects.toThrow();
      expect(await notes()).toEqual([]);
    }
    await Promise.all(
      [1, 2, 3, 4].map((id) =>
        database.db.transaction(how, (tx) => tx`insert into notes values (${id})`.then(() => {})),
      ),
    );
    expect(await notes()).toEqual([1, 2, 3, 4]);
  });

  it('while a statement runs fails the transaction, and the pool goes on', async () => {
    const running = Promise.withResolvers<number>();
    const failing = database.db.transaction(how, async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      running.resolve(row!.pid);
      await Promise.all([tx`select pg_sleep(20)`, tx`insert into notes values (1)`]);
    });
    failing.catch(() => {});
    await kill(await running.promise);
    await expect(failing).rejects.toThrow();
    await database.db.transaction(how, (tx) => tx`insert into notes values (5)`.then(() => {}));
    expect(await notes()).toEqual([5]);
  });
});

describe('stop()', () => {
  it('lets transactions end first, and does not wait longer', async () => {
    const created = await createDatabase('stop');
    const options = { applicationName: 'test', poolSize: 2, log: silentLogger, metrics: silentMetrics };
    const db = openDatabase({ url: created.url, ...options });
    const started = Promise.withResolvers<void>();
    const running = db.transaction(how, async (tx) => {
      await tx`create table made (id int)`;
      started.resolve();
      await tx`select pg_sleep(0.2)`;
    });
    await started.promise;
    const before = performance.now();
    await db.stop();
    expect(performance.now() - before).toBeLessThan(4000);
    await running;
    await created.drop();
  });
});
