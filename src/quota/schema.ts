/** What projects may have, where it is not the default, and what they have. */
import { integer, pgTable, primaryKey, varchar } from 'drizzle-orm/pg-core';

const ofProject = () => ({
  project_id: varchar({ length: 255 }).notNull(),
  resource: varchar({ length: 255 }).notNull(),
});

export const quotas = pgTable(
  'quotas',
  {
    ...ofProject(),
    /** -1: unlimited. */
    limit: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.project_id, table.resource] })],
);

/** Made from a count at the first charge; then each creation and deletion changes it in its own transaction. */
export const quotaUsages = pgTable(
  'quota_usages',
  {
    ...ofProject(),
    in_use: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.project_id, table.resource] })],
);
