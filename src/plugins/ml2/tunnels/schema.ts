/** Where the tunnels of hosts end: what agents that build tunnels report (neutron.plugins.ml2.drivers.type_vxlan, type_gre ...). */
import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, unique, varchar } from 'drizzle-orm/pg-core';

export const tunnelEndpoints = pgTable(
  'tunnel_endpoints',
  {
    /** `vxlan`, `gre`, `geneve` */
    network_type: varchar({ length: 32 }).notNull(),
    ip_address: varchar({ length: 64 }).notNull(),
    host: varchar({ length: 255 }).notNull(),
    /** Of VXLAN and Geneve. */
    udp_port: integer(),
    /** Whether the host builds a tunnel to each end that it hears of: its agent did not report `l2_population` when it told of this. */
    floods: boolean().notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network_type, table.ip_address] }),
    unique('tunnel_endpoints_one_of_host').on(table.network_type, table.host),
    // Few where agents have l2population.
    index('tunnel_endpoints_flooding').on(table.network_type, table.host).where(sql`floods`),
  ],
);
