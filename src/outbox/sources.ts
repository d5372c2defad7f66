/**
 * Asks what plugins know of whom messages are for and what they carry: each source once for a whole batch.
 *
 * A source that fails must not hold up everything behind it. What may pass (the database is away, busy, or wants the statement
 * again) is thrown, and the batch is tried again. What cannot (a statement that is wrong, a defect) is logged, and what needs
 * that source is dropped; a value that PostgreSQL cannot take fails its own id, not those that were asked for with it.
 */
import { sqlState } from '#src/db/mod.ts';
import type { Queryable } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Audience, MessageReader, VersionedObjectType } from '#src/lib/rpc.ts';

/** What plugins give: whom messages are for, and what they carry. */
export interface MessageSources {
  readonly audiences: ReadonlyMap<string, Audience>;
  readonly readers: ReadonlyMap<string, MessageReader>;
  readonly objects: ReadonlyMap<string, VersionedObjectType>;
}

/** One source: what it knows of ids, those missing of which it knows nothing. */
export type Source<Value> = (sql: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Answers by the source's name, then by id; a source that is missing could not answer. */
export type Found<Value> = ReadonlyMap<string, ReadonlyMap<string, Value>>;

/** Ids by the name of who is asked for them. */
export class Wanted extends Map<string, Set<string>> {
  want(name: string, ids: readonly string[]): void {
    const known = this.get(name) ?? new Set();
    for (const id of ids) known.add(id);
    this.set(name, known);
  }
}

/** SQLSTATE classes of what may work at the next try; errors of the connection have codes of another form. */
const PASSING = /^(08|25|40|53|55|57|58|XX)...$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

function mayPass(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
  return code !== undefined && (!SQLSTATE.test(code) || PASSING.test(code));
}

/** Asks every source that is wanted. */
export async function ask<Value>(
  sql: Queryable,
  sourceOf: (name: string) => Source<Value> | undefined,
  wanted: Wanted,
  log: Logger,
): Promise<Found<Value>> {
  const found = await Promise.all(
    [...wanted].map(async ([name, ids]): Promise<readonly [string, ReadonlyMap<string, Value>] | undefined> => {
      const source = sourceOf(name);
      if (source === undefined) {
        log.error('notifications are dropped: nothing is known by that name', { name, count: ids.size });
        return undefined;
      }
      try {
        return [name, await answersOf(sql, source, [...ids])];
      } catch (error) {
        if (mayPass(error)) throw error;
        log.error('notifications are dropped: what they need cannot be read', { name, count: ids.size, error });
        return undefined;
      }
    }),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

/** The answers of one source; where a value among the ids is refused (class 22), each half by itself. */
async function answersOf<Value>(
  sql: Queryable,
  source: Source<Value>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Value>> {
  try {
    return await source(sql, ids);
  } catch (error) {
    if (ids.length < 2 || !sqlState(error)?.startsWith('22')) throw error;
    const middle = ids.length >> 1;
    const halves = [ids.slice(0, middle), ids.slice(middle)];
    const answers = await Promise.allSettled(halves.map((half) => answersOf(sql, source, half)));
    for (const answer of answers) {
      if (answer.status === 'rejected' && mayPass(answer.reason)) throw answer.reason;
    }
    const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [...answer.value] : []));
    if (answers.every(({ status }) => status === 'rejected')) throw error;
    return new Map(known);
  }
}
