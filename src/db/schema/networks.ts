/**
 * Networks, their segments and who may use them: shared by ML2 and by every plugin that stands on networks.
 *
 * A segment row is its own reservation: the unique index makes a VLAN or VNI belong to one network, so that reserving,
 * racing for and releasing an id need no second table.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';

export const networks = pgTable(
  'networks',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    admin_state_up: boolean().notNull().default(true),
    status: varchar({ length: 16 }).notNull(),
    mtu: integer().notNull(),
    port_security_enabled: boolean().notNull().default(true),
    availability_zone_hints: text().array().notNull().default(sql`'{}'`),
    dns_domain: varchar({ length: 255 }).notNull().default(''),
    /** Null: nobody asked for it. */
    vlan_transparent: boolean(),
    qinq: boolean(),
  },
  (table) => [
    index().on(table.project_id),
    index('networks_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

export const networkSegments = pgTable(
  'network_segments',
  {
    ...hasId(),
    ...hasStandardAttributes(),
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    name: varchar({ length: 255 }),
    network_type: varchar({ length: 32 }).notNull(),
    physical_network: varchar({ length: 64 }),
    /** bigint: GRE keys use all 32 bits. */
    segmentation_id: bigint({ mode: 'number' }),
    segment_index: integer().notNull().default(0),
    is_dynamic: boolean().notNull().default(false),
  },
  (table) => [
    index().on(table.network_id),
    // Local networks may be many; of all others there is one per type, physical network and id.
    uniqueIndex('network_segments_reservation')
      .on(table.network_type, sql`coalesce(${table.physical_network}, '')`, sql`coalesce(${table.segmentation_id}, 0)`)
      .where(sql`${table.network_type} <> 'local'`),
    // Made when a port needs one: by whoever is first, for all that come after.
    uniqueIndex('network_segments_one_dynamic')
      .on(table.network_id, table.network_type, sql`coalesce(${table.physical_network}, '')`)
      .where(sql`${table.is_dynamic}`),
  ],
);

/** Networks that routers may have their gateway on (`router:external`). */
export const externalNetworks = pgTable(
  'external_networks',
  {
    network_id: uuid()
      .primaryKey()
      .references(() => networks.id, { onDelete: 'cascade' }),
    is_default: boolean().notNull().default(false),
  },
  (table) => [uniqueIndex('external_networks_one_default').on(table.is_default).where(sql`${table.is_default}`)],
);

/** Who else may use a network: a project, or `*`; as shared (ports) or as external (gateways, floating IPs). */
export const networkRbacs = pgTable(
  'network_rbacs',
  {
    ...hasId(),
    ...hasProject(),
    network_id: uuid()
      .notNull()
      .references(() => networks.id, { onDelete: 'cascade' }),
    action: varchar({ length: 255 }).notNull(),
    target_project: varchar({ length: 255 }).notNull(),
  },
  (table) => [
    unique('network_rbacs_once').on(table.network_id, table.action, table.target_project),
    index().on(table.target_project, table.action),
    index().on(table.project_id),
  ],
);
