/**
 * Port forwardings (neutron.db.models.port_forwarding). That no two overlap is not a constraint's to say, of ranges under a
 * protocol, but is asked under the locks of the floating IP and of the port inside.
 */
import { index, inet, integer, pgTable, unique, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasStandardAttributes } from '#src/db/columns.ts';
import { ports } from '#src/db/schema/ports.ts';
import { floatingIps } from '#src/db/schema/routers.ts';

export const portForwardings = pgTable(
  'port_forwardings',
  {
    ...hasId(),
    ...hasStandardAttributes(),
    /** Not cascading: a floating IP goes only without forwardings. */
    floatingip_id: uuid()
      .notNull()
      .references(() => floatingIps.id),
    internal_port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    internal_ip_address: inet().notNull(),
    protocol: varchar({ length: 40 }).notNull(),
    /** Ranges with both ends; an end is equal to the start where there is one port. */
    internal_port_start: integer().notNull(),
    internal_port_end: integer().notNull(),
    external_port_start: integer().notNull(),
    external_port_end: integer().notNull(),
  },
  (table) => [
    unique('port_forwardings_outside_once').on(table.floatingip_id, table.protocol, table.external_port_start),
    unique('port_forwardings_inside_once').on(
      table.internal_port_id,
      table.protocol,
      table.internal_ip_address,
      table.internal_port_start,
    ),
    index().on(table.floatingip_id, table.id),
  ],
);
