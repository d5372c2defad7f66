/** Conntrack helpers of routers (neutron.db.models.conntrack_helper). */
import { integer, pgTable, unique, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId } from '#src/db/columns.ts';
import { routers } from '#src/db/schema/routers.ts';

export const conntrackHelpers = pgTable(
  'conntrack_helpers',
  {
    ...hasId(),
    router_id: uuid()
      .notNull()
      .references(() => routers.id, { onDelete: 'cascade' }),
    protocol: varchar({ length: 40 }).notNull(),
    port: integer().notNull(),
    helper: varchar({ length: 64 }).notNull(),
    /** Not shown: what agents compare after an absence. */
    revision_number: integer().notNull().default(0),
  },
  (table) => [unique('conntrack_helpers_once').on(table.router_id, table.protocol, table.port, table.helper)],
);
