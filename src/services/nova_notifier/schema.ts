/** Events that Nova is still to be told of. */
import { bigint, pgTable, timestamp, uuid, varchar } from 'drizzle-orm/pg-core';

export const novaEvents = pgTable('nova_events', {
  /** The order in which they are sent. */
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** The instance: the port's `device_id`. */
  server_uuid: varchar({ length: 255 }).notNull(),
  /** `network-vif-plugged` */
  name: varchar({ length: 64 }).notNull(),
  /** `completed` or `failed`; null where the event has none. */
  status: varchar({ length: 16 }),
  /** The port. Not a reference: its deletion is an event, too. */
  tag: uuid().notNull(),
  created_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
});
