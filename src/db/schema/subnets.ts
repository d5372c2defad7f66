/**
 * Subnets. What is always read and written with its subnet (allocation pools, name servers, routes, service types) is
 * kept in the row itself, in order: one row to read, lock and write.
 */
import { sql } from 'drizzle-orm';
import { boolean, cidr, index, inet, json, pgTable, smallint, text, uuid, varchar } from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { networkSegments, networks } from './networks.ts';
import { subnetPools } from './subnet_pools.ts';

export const subnets = pgTable(
  'subnets',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    /** Not cascading: whoever deletes a network deletes its subnets knowingly. */
    network_id: uuid()
      .notNull()
      .references(() => networks.id),
    segment_id: uuid().references(() => networkSegments.id),
    subnetpool_id: uuid().references(() => subnetPools.id),
    /** Its prefix comes by prefix delegation; the pool reads `prefix_delegation` then. */
    prefix_delegated: boolean().notNull().default(false),
    ip_version: smallint().notNull(),
    cidr: cidr().notNull(),
    gateway_ip: inet(),
    enable_dhcp: boolean().notNull().default(true),
    ipv6_ra_mode: varchar({ length: 16 }),
    ipv6_address_mode: varchar({ length: 16 }),
    /** `[{"start": "10.0.0.2", "end": "10.0.0.254"}]` */
    allocation_pools: json().notNull().$type<readonly { readonly start: string; readonly end: string }[]>(),
    dns_nameservers: text().array().notNull().default(sql`'{}'`),
    /** `[{"destination": "10.1.0.0/24", "nexthop": "10.0.0.9"}]` */
    host_routes: json()
      .notNull()
      .default(sql`'[]'`)
      .$type<readonly { readonly destination: string; readonly nexthop: string }[]>(),
    service_types: text().array().notNull().default(sql`'{}'`),
    dns_publish_fixed_ip: boolean().notNull().default(false),
  },
  (table) => [
    index().on(table.network_id),
    index().on(table.project_id),
    index().on(table.cidr),
    index().on(table.subnetpool_id),
    index('subnets_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);
