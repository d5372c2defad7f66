/** Events between the transaction that causes them and Nova. */
import type { Queryable, Sql, Transaction } from '#src/lib/database.ts';
import { type NovaEvent, UUID_LIKE } from './events.ts';

/** Leaves something in the transaction that causes it. */
type Leave<Item> = (tx: Transaction, items: readonly Item[]) => void;

/**
 * One statement for all that a transaction leaves before it waits next. Nobody waits for it; if it fails, the transaction does.
 */
function gathering<Item>(send: (tx: Transaction, items: readonly Item[]) => Promise<unknown>): Leave<Item> {
  const gathered = new WeakMap<Transaction, Item[]>();
  return (tx, items) => {
    if (items.length === 0) return;
    const waiting = gathered.get(tx);
    if (waiting !== undefined) {
      waiting.push(...items);
      return;
    }
    const all = [...items];
    gathered.set(tx, all);
    queueMicrotask(() => {
      gathered.delete(tx);
      send(tx, all).catch(() => {});
    });
  };
}

/** Leaves events. */
export const eventWriter = (): Leave<NovaEvent> =>
  gathering(async (tx, events) => {
    await tx.unsafe(
      `insert into nova_events (server_uuid, name, status, tag)
       select server_uuid, name, status, tag
       from json_to_recordset($1::json) as r (server_uuid text, name text, status text, tag uuid)`,
      [events as never],
      { prepare: true },
    );
  });

/** Leaves `network-changed` for those of the ports (by id) that are instances'. */
export const changeWriter = (): Leave<string> =>
  gathering(async (tx, port_ids) => {
    await tx.unsafe(
      `insert into nova_events (server_uuid, name, tag)
       select device_id, 'network-changed', id from ports
       where id = any($1::uuid[]) and device_owner like 'compute:%' and device_id ~* $2 order by id`,
      [port_ids as never, UUID_LIKE.source],
      { prepare: true },
    );
  });

export interface WaitingEvent extends NovaEvent {
  readonly id: string;
  /** Seconds. */
  readonly age: number;
}

/** The events that have waited longest, in the order they are sent in. */
export async function oldestEvents(sql: Sql, limit: number): Promise<readonly WaitingEvent[]> {
  return await sql<WaitingEvent[]>`
    select id, server_uuid, name, status, tag, extract(epoch from now() - created_at)::float8 as age
    from nova_events order by id limit ${limit}`;
}

export async function removeEvents(sql: Queryable, events: readonly WaitingEvent[]): Promise<void> {
  await sql`delete from nova_events where id = any(${events.map(({ id }) => id)}::bigint[])`;
}
