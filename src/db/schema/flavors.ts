/** Flavors: kinds of a service that operators offer by name. What is of a flavor (routers, VPNs) points here. */
import { boolean, pgTable, varchar } from 'drizzle-orm/pg-core';
import { hasId } from '../columns.ts';

export const flavors = pgTable('flavors', {
  ...hasId(),
  name: varchar({ length: 255 }).notNull().default(''),
  description: varchar({ length: 1024 }),
  /** The type of the plugin that serves it: `L3_ROUTER_NAT`. */
  service_type: varchar({ length: 36 }).notNull(),
  enabled: boolean().notNull().default(true),
});
