/**
 * Routers, the ports and agents they have, and floating IPs: shared by the router plugin and by all that stands on routers. The
 * constraints are what makes concurrency safe: a port is of one router, a fixed address has one floating IP of a network, of a
 * highly available router one agent is active.
 */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  inet,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { agents } from './agents.ts';
import { flavors } from './flavors.ts';
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
    availability_zone_hints: text().array().notNull().default(sql`'{}'`),
    distributed: boolean().notNull().default(false),
    ha: boolean().notNull().default(false),
    /** Grows whenever another agent becomes the active one: what reports of an older one comes too late. */
    ha_epoch: bigint({ mode: 'number' }).notNull().default(0),
    enable_default_route_ecmp: boolean().notNull().default(false),
    enable_default_route_bfd: boolean().notNull().default(false),
    /** Null while nobody has said whether the router may have NDP proxies, which it may with a gateway alone. */
    enable_ndp_proxy: boolean(),
    flavor_id: uuid().references(() => flavors.id),
  },
  (table) => [
    unique('routers_gateway_once').on(table.gw_port_id),
    index().on(table.project_id, table.id),
    index().on(table.name, table.id),
    index('routers_flavor').on(table.flavor_id).where(sql`${table.flavor_id} is not null`),
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

/** Which L3 agents have a router. The place makes two schedulers that choose at once meet: there is one agent in each. */
export const routerL3Agents = pgTable(
  'router_l3_agents',
  {
    router_id: uuid()
      .notNull()
      .references(() => routers.id, { onDelete: 'cascade' }),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    /** 1, 2, ... up to `max_l3_agents_per_router` of highly available routers; 1 of all others. */
    place: smallint().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.router_id, table.agent_id] }),
    unique('router_l3_agents_place').on(table.router_id, table.place),
    index().on(table.agent_id),
  ],
);

/** The network on which a project's highly available routers hear of each other. */
export const haNetworks = pgTable('ha_networks', {
  project_id: varchar({ length: 255 }).primaryKey(),
  network_id: uuid()
    .notNull()
    .unique('ha_networks_network')
    .references(() => networks.id, { onDelete: 'cascade' }),
});

/** Virtual router ids of VRRP, 1 to 255 on each network. */
export const routerVrIds = pgTable(
  'router_vr_ids',
  {
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    vr_id: smallint().notNull(),
    router_id: uuid()
      .notNull()
      .unique('router_vr_ids_router')
      .references(() => routers.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.network_id, table.vr_id] })],
);

/** The ports of highly available routers on their network, one for each agent, and what the agent says of itself. */
export const routerHaPorts = pgTable(
  'router_ha_ports',
  {
    port_id: uuid().primaryKey().references(port, { onDelete: 'cascade' }),
    router_id: uuid()
      .notNull()
      .references(() => routers.id),
    /** Null until an agent has it, and again when its agent is gone. */
    agent_id: uuid().references(() => agents.id, { onDelete: 'set null' }),
    /** `active`, `standby`, `unknown` */
    state: varchar({ length: 16 }).notNull().default('standby'),
  },
  (table) => [
    unique('router_ha_ports_once').on(table.router_id, table.agent_id),
    uniqueIndex('router_ha_ports_one_active').on(table.router_id).where(sql`${table.state} = 'active'`),
    index().on(table.agent_id),
  ],
);

/** The ports by which hosts lead floating IPs of distributed routers to external networks: one for each agent and network. */
export const agentGatewayPorts = pgTable(
  'agent_gateway_ports',
  {
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    /** Null while it is made. */
    port_id: uuid().unique('agent_gateway_ports_port').references(port, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.network_id, table.agent_id] })],
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
