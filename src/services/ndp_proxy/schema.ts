/** NDP proxies of routers (neutron.db.models.ndp_proxy). Whether a router may have any stands in its own row. */
import { index, inet, pgTable, unique, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '#src/db/columns.ts';
import { ports } from '#src/db/schema/ports.ts';
import { routers } from '#src/db/schema/routers.ts';

export const ndpProxies = pgTable(
  'ndp_proxies',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    router_id: uuid()
      .notNull()
      .references(() => routers.id, { onDelete: 'cascade' }),
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    ip_address: inet().notNull(),
  },
  (table) => [
    unique('ndp_proxies_address_once').on(table.router_id, table.ip_address),
    index().on(table.project_id, table.id),
    index().on(table.port_id),
  ],
);
