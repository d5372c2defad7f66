/** The outbox's table: what transactions have said and the relay has not yet sent. */
import { bigint, pgTable, text, timestamp, varchar } from 'drizzle-orm/pg-core';

export const outbox = pgTable('outbox', {
  /** The order of sending. Also the order of commits for rows of one key, whose writers hold a lock on what it names. */
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  key: varchar({ length: 255 }).notNull(),
  /** Null: to every agent. */
  host: varchar({ length: 255 }),
  topic: varchar({ length: 255 }).notNull(),
  /** The message as it is sent. */
  payload: text().notNull(),
  created_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
});
