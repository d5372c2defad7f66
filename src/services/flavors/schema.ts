/** What flavors are made of: profiles, each a driver or what it is told. */
import { boolean, index, pgTable, primaryKey, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId } from '#src/db/columns.ts';
import { flavors } from '#src/db/schema/flavors.ts';

export const serviceProfiles = pgTable('service_profiles', {
  ...hasId(),
  description: varchar({ length: 1024 }),
  driver: varchar({ length: 1024 }).notNull().default(''),
  metainfo: varchar({ length: 4096 }),
  enabled: boolean().notNull().default(true),
});

export const flavorServiceProfiles = pgTable(
  'flavor_service_profiles',
  {
    flavor_id: uuid()
      .notNull()
      .references(() => flavors.id, { onDelete: 'cascade' }),
    /** Not cascading: a profile stays as it is while a flavor has it. */
    service_profile_id: uuid()
      .notNull()
      .references(() => serviceProfiles.id),
  },
  (table) => [
    primaryKey({ name: 'flavor_service_profiles_once', columns: [table.flavor_id, table.service_profile_id] }),
    index().on(table.service_profile_id),
  ],
);
