/** The table of periodic work: when each is due, and who does it now. */
import { pgTable, timestamp, uuid, varchar } from 'drizzle-orm/pg-core';

const time = () => timestamp({ withTimezone: true }).notNull();

export const periodicWork = pgTable('periodic_work', {
  name: varchar({ length: 255 }).primaryKey(),
  due_at: time(),
  /** Who has it; another may take it once the lease is over. */
  runner: uuid().notNull(),
  leased_until: time(),
});
