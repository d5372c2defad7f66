/**
 * One transaction on one connection. BEGIN goes out with the first statements and COMMIT with the last ones, so that a
 * transaction takes as many round trips as its work has questions; `sql.begin` of postgres.js waits for both.
 *
 * A connection that is lost takes nothing with it: what is sent on its handle afterwards is refused here. It would reach
 * whoever has the connection by then, as would a statement that is sent after the end.
 */
import type { Last, Sql, Transaction, Work } from '#src/lib/database.ts';
import { watched } from './statements.ts';

/** A connection inside postgres.js, as its own transactions know it. */
interface Connection {
  onclose: ((error: unknown) => void) | null;
}

/** Runs the work once: commits, or rolls back and throws. */
export async function runTransaction<Result>(sql: Sql, work: Work<Result>): Promise<Result> {
  const reserved = await sql.reserve();
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  let connection: Connection | undefined;
  let over: unknown;
  let failed: unknown;
  const tx = watched(reserved as unknown as Transaction, (statement, send) => {
    // Also keeps a failure that nobody waits for from ending the process.
    statement.catch((error) => {
      failed ??= error;
    });
    if (over === undefined) send(statement);
    else statement.reject(over);
  });
  const onexecute = (executing: Connection) => {
    connection = executing;
    connection.onclose = (error) => {
      over = error;
      lose(error);
    };
    return true;
  };
  // One word each: the simple protocol, for which there is nothing to prepare.
  const say = (word: 'begin' | 'commit' | 'rollback') => tx.unsafe(word, [], { onexecute } as object).execute();
  say('begin');
  const outcomes: Promise<unknown>[] = [];
  const last: Last = (statement, refusal = (error) => error) => {
    const outcome = statement.execute().catch((error: unknown) => {
      throw isAftermath(error) ? error : refusal(error);
    });
    outcome.catch(() => {});
    outcomes.push(outcome);
  };
  let end: Promise<unknown> | undefined;
  try {
    const result = await Promise.race([work(tx, last), lost]);
    if (failed !== undefined) {
      // A refusal among the last says more than the error that it is made of.
      await Promise.race([Promise.all(outcomes), lost]);
      throw failed;
    }
    end = say('commit');
    await Promise.race([Promise.all([...outcomes, end]), lost]);
    // PostgreSQL answers the COMMIT of a transaction in which something failed by rolling it back.
    if (failed !== undefined) throw failed;
    return result;
  } catch (error) {
    if (over === undefined) {
      end ??= say('rollback');
      await Promise.race([end, lost]).catch(() => {});
    }
    // What follows a failure says only that there was one.
    throw isAftermath(error) ? (failed ?? error) : error;
  } finally {
    if (over === undefined) {
      over = new Error('the transaction of this statement has ended');
      if (connection !== undefined) connection.onclose = null;
      reserved.release();
    }
  }
}

function isAftermath(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '25P02';
}
