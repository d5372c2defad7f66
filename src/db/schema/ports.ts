/**
 * Ports, the addresses they hold, the hosts they are bound to, and what they wait for. The constraints here are what makes concurrency safe:
 * a MAC address once per network, an address once per subnet, one active binding per port.
 */
import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  inet,
  json,
  jsonb,
  macaddr,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { networkSegments, networks } from './networks.ts';
import { subnets } from './subnets.ts';

export const ports = pgTable(
  'ports',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    network_id: uuid()
      .notNull()
      .references(() => networks.id),
    mac_address: macaddr().notNull(),
    admin_state_up: boolean().notNull().default(true),
    status: varchar({ length: 16 }).notNull(),
    device_id: varchar({ length: 255 }).notNull().default(''),
    device_owner: varchar({ length: 255 }).notNull().default(''),
    port_security_enabled: boolean().notNull().default(true),
    /** `[{"ip_address": "10.0.0.0/24", "mac_address": "fa:16:3e:00:00:01"}]`, read and written as a whole. */
    allowed_address_pairs: json()
      .notNull()
      .default(sql`'[]'`)
      .$type<readonly { readonly ip_address: string; readonly mac_address: string }[]>(),
    /** `[{"opt_name": "mtu", "opt_value": "1400", "ip_version": 4}]` */
    extra_dhcp_opts: json()
      .notNull()
      .default(sql`'[]'`)
      .$type<readonly { readonly opt_name: string; readonly opt_value: string; readonly ip_version: number }[]>(),
    /** `immediate`, `deferred` or `none` */
    ip_allocation: varchar({ length: 16 }).notNull().default('immediate'),
    dns_name: varchar({ length: 255 }).notNull().default(''),
    dns_domain: varchar({ length: 255 }).notNull().default(''),
    data_plane_status: varchar({ length: 16 }),
    propagate_uplink_status: boolean().notNull().default(true),
    device_profile: varchar({ length: 255 }),
    numa_affinity_policy: varchar({ length: 64 }),
    hardware_offload_type: varchar({ length: 255 }),
    hints: json().$type<Readonly<Record<string, unknown>>>(),
    trusted: boolean(),
  },
  (table) => [
    unique('ports_mac_once').on(table.network_id, table.mac_address),
    // With the id behind them, so that a page in the order of ids reads its own rows only, however deep it is.
    index().on(table.project_id, table.id),
    index().on(table.network_id, table.id),
    index().on(table.name, table.id),
    index().on(table.device_id),
    index().on(table.network_id, table.device_owner),
    index('ports_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

export const ipAllocations = pgTable(
  'ip_allocations',
  {
    subnet_id: uuid()
      .notNull()
      .references(() => subnets.id),
    ip_address: inet().notNull(),
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    /** The place in the port's `fixed_ips`, so that they read the same each time. */
    position: smallint().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.subnet_id, table.ip_address] }),
    // A port's addresses, in the order that they are read in.
    index().on(table.port_id, table.position, table.subnet_id),
    index().on(table.ip_address),
  ],
);

export const portBindings = pgTable(
  'port_bindings',
  {
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    /** Empty while nobody has said where the port is to be. */
    host: varchar({ length: 255 }).notNull().default(''),
    vnic_type: varchar({ length: 64 }).notNull().default('normal'),
    profile: jsonb().notNull().default(sql`'{}'`).$type<Readonly<Record<string, unknown>>>(),
    vif_type: varchar({ length: 64 }).notNull().default('unbound'),
    vif_details: jsonb().notNull().default(sql`'{}'`).$type<Readonly<Record<string, unknown>>>(),
    /**
     * ACTIVE: the port's own. INACTIVE, while a live migration prepares the next host. REPLICA, of a port that is on many hosts
     * at once: the interface of a distributed router, or of a highly available one on a host that stands by.
     */
    status: varchar({ length: 16 }).notNull().default('ACTIVE'),
    /** Of a REPLICA, how the port stands on the host: DOWN, BUILD or ACTIVE. */
    host_status: varchar({ length: 16 }),
  },
  (table) => [
    primaryKey({ columns: [table.port_id, table.host] }),
    uniqueIndex('port_bindings_one_active').on(table.port_id).where(sql`${table.status} = 'ACTIVE'`),
    index().on(table.host),
    // Ports that are about to migrate to a host, as Nova says it who prepares no binding there.
    index('port_bindings_migrating_to')
      .using('hash', sql`(${table.profile}->>'migrating_to')`)
      .where(sql`${table.profile}->>'migrating_to' is not null`),
  ],
);

/** The segments that a bound port is on: the top level first, which is the network's; the last is the one that is plugged. */
export const portBindingLevels = pgTable(
  'port_binding_levels',
  {
    port_id: uuid().notNull(),
    host: varchar({ length: 255 }).notNull(),
    level: smallint().notNull(),
    /** The mechanism driver that bound this level. */
    driver: varchar({ length: 64 }).notNull(),
    segment_id: uuid()
      .notNull()
      .references(() => networkSegments.id),
  },
  (table) => [
    primaryKey({ columns: [table.port_id, table.host, table.level] }),
    foreignKey({
      name: 'port_binding_levels_binding',
      columns: [table.port_id, table.host],
      foreignColumns: [portBindings.port_id, portBindings.host],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    index().on(table.segment_id),
  ],
);

/** Why the newest try to bind a port to a host failed, by driver and segment. Gone when it is bound. */
export const portBindingFailures = pgTable(
  'port_binding_failures',
  {
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    host: varchar({ length: 255 }).notNull(),
    /** The order in which drivers and segments were tried. */
    place: smallint().notNull(),
    driver: varchar({ length: 64 }).notNull(),
    /** Null: it is not about a segment. Not a reference: a failure may outlive its segment. */
    segment_id: uuid(),
    reason: text().notNull(),
    failed_at: timestamp({ withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.port_id, table.host, table.place] })],
);

/** Who must still report before a port becomes ACTIVE: `L2` (its L2 agent), `DHCP` (neutron.db.provisioning_blocks). */
export const portProvisioningBlocks = pgTable(
  'port_provisioning_blocks',
  {
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    entity: varchar({ length: 32 }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.port_id, table.entity] })],
);
