/**
 * Sees the statements of a postgres.js client at the moment when they are sent. Its own hook (`debug`) makes an Error with a
 * stack for every statement, which costs more than sending it.
 */
import type { ReservedSql } from 'postgres';
import type { Queryable, Sql } from '#src/lib/database.ts';

/** What postgres.js makes of a template or text; it is sent when somebody waits for it, fragments of others never are. */
export interface Statement extends PromiseLike<unknown> {
  handler(statement: Statement): void;
  reject(error: unknown): void;
  catch(failed: (error: unknown) => void): Promise<unknown>;
}

/** Is given each statement in place of the client's own sender, which it is to call. */
export type Sending = (statement: Statement, send: (statement: Statement) => void) => void;

type Make = (...parameters: readonly unknown[]) => unknown;

/** The client, whose statements all go through `sending`; connections reserved of it too. */
export function watched<Client extends Queryable>(client: Client, sending: Sending): Client {
  const watch = (make: Make): Make => {
    return (...parameters) => {
      const made = make(...parameters) as Statement;
      const send = made.handler;
      // Templates are also made into names and lists of columns, which are not sent.
      if (typeof send === 'function') made.handler = (statement) => sending(statement, send);
      return made;
    };
  };
  const { reserve } = client as Partial<Sql>;
  const reserving = async () => watched((await reserve?.()) as ReservedSql as unknown as Sql, sending);
  return Object.assign(watch(client as unknown as Make), client, {
    unsafe: watch(client.unsafe as unknown as Make),
    ...(reserve === undefined ? {} : { reserve: reserving }),
  }) as unknown as Client;
}
