/** The plugin's table. Only drizzle-kit loads this file: it writes the migrations in `drizzle/` from it. */
import { boolean, index, pgTable, timestamp, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes, networks } from '#src/plugin_api/tables.ts';

export const networkContacts = pgTable(
  'network_contacts',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    // Cascading: where the plugin is no longer configured, its rows keep nobody from deleting a network.
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    name: varchar({ length: 255 }).notNull(),
    email: varchar({ length: 255 }).notNull(),
    notify: boolean().notNull(),
    expires_at: timestamp({ withTimezone: true }),
  },
  (table) => [index().on(table.project_id), index().on(table.network_id), index().on(table.expires_at)],
);
