/** MAC addresses that hosts route with where routers are distributed (neutron.db.dvr_mac_db). */
import { macaddr, pgTable, unique, varchar } from 'drizzle-orm/pg-core';

export const dvrHostMacs = pgTable(
  'dvr_host_macs',
  {
    host: varchar({ length: 255 }).primaryKey(),
    mac_address: macaddr().notNull(),
  },
  (table) => [unique('dvr_host_macs_once').on(table.mac_address)],
);
