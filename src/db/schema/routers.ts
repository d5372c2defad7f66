/**
 * Routers, the ports they have, and floating IPs: shared by the router plugin and by all that stands on routers. The
 * constraints are what makes concurrency safe: a port is of one router, a fixed address has one floating IP of a network.
 */
import { sql } from 'drizzle-orm';
import { type AnyPgColumn, boolean, index, inet, json, pgTable, unique, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { networks } from './networks.ts';
import { ports } from './ports.ts';

const port = (): AnyPgColumn => ports.id;

export const routers = pgTable(
  'routers',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    status: varchar({ length: 16 }).notNull(),
    admin_state_up: boolean().notNull().default(true),
    /** The gateway that `external_gateway_info` shows; one of the router's ports. */
    gw_port_id: uuid().references(port, { onDelete: 'set null' }),
    enable_snat: boolean().notNull().default(true),
    /** `[{"destination": "10.1.0.0/24", "nexthop": "10.0.0.9"}]`, read and written as a whole. */
    routes: json()
      .notNull()
      .default(sql`'[]'`)
      .$type<readonly { readonly destination: string; readonly nexthop: string }[]>(),
  },
  (table) => [
    unique('routers_gateway_once').on(table.gw_port_id),
    index().on(table.project_id, table.id),
    index().on(table.name, table.id),
    index('routers_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

/** The ports of routers. What they are to the router stands here, not only as the port's device_owner, which others may write. */
export const routerPorts = pgTable(
  'router_ports',
  {
    port_id: uuid().primaryKey().references(port, { onDelete: 'cascade' }),
    /** Not cascading: whoever deletes a router deletes its ports knowingly. */
    router_id: uuid()
      .notNull()
      .references(() => routers.id),
    /** `network:router_interface`, `network:router_gateway` ... */
    port_type: varchar({ length: 255 }).notNull(),
  },
  (table) => [index().on(table.router_id)],
);

export const floatingIps = pgTable(
  'floatingips',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    floating_ip_address: inet().notNull(),
    floating_network_id: uuid()
      .notNull()
      .references(() => networks.id),
    /** The port that holds the address on the external network. */
    floating_port_id: uuid().notNull().references(port, { onDelete: 'cascade' }),
    /** The port it leads to; whoever deletes that port takes the floating IP off it. */
    fixed_port_id: uuid().references(port),
    fixed_ip_address: inet(),
    router_id: uuid().references(() => routers.id),
    /** The router that had it before, whose agent may still have to be told. */
    last_known_router_id: uuid(),
    status: varchar({ length: 16 }).notNull(),
    dns_name: varchar({ length: 255 }).notNull().default(''),
    dns_domain: varchar({ length: 255 }).notNull().default(''),
  },
  (table) => [
    unique('floatingips_port_once').on(table.floating_port_id),
    unique('floatingips_fixed_ip_once').on(table.floating_network_id, table.fixed_port_id, table.fixed_ip_address),
    index().on(table.project_id, table.id),
    index().on(table.fixed_port_id),
    index().on(table.router_id),
    index().on(table.floating_ip_address),
    index('floatingips_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);
