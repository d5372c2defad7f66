/** The outbox's table: what transactions have said and the relay has not yet sent. */
import { bigint, json, pgTable, text, timestamp, varchar } from 'drizzle-orm/pg-core';

export const outbox = pgTable('outbox', {
  /** The order of sending. Also the order of commits for rows of one key, whose writers hold a lock on what it names. */
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  key: varchar({ length: 255 }).notNull(),
  /** Null: to every agent. */
  host: varchar({ length: 255 }),
  topic: varchar({ length: 255 }).notNull(),
  /** The message as it is sent, but for what is read for it then. */
  payload: text().notNull(),
  /** In place of `host`: recipients that are found when the message is sent. */
  recipients: json(),
  /** What is read then and put into the arguments, by path. */
  reads: json(),
  /** The change of a versioned object with this id; `topic` is the name of its type. */
  object_id: varchar({ length: 255 }),
  created_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
});
