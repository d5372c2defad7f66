/** Address scopes and subnet pools: where subnets' addresses come from, and which of them must not overlap. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  cidr,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { rbacTable } from './rbac.ts';

export const addressScopes = pgTable(
  'address_scopes',
  {
    ...hasId(),
    ...hasProject(),
    name: varchar({ length: 255 }).notNull(),
    ip_version: smallint().notNull(),
  },
  (table) => [index().on(table.project_id)],
);

export const addressScopeRbacs = rbacTable('address_scope', () => addressScopes.id);

export const subnetPools = pgTable(
  'subnetpools',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull(),
    ip_version: smallint().notNull(),
    default_prefixlen: integer().notNull(),
    min_prefixlen: integer().notNull(),
    max_prefixlen: integer().notNull(),
    /** What one project may have of it: addresses of IPv4, /64 networks of IPv6; null: no limit. */
    default_quota: integer(),
    is_default: boolean().notNull().default(false),
    address_scope_id: uuid().references(() => addressScopes.id),
  },
  (table) => [
    index().on(table.project_id),
    index().on(table.address_scope_id),
    uniqueIndex('subnetpools_one_default').on(table.ip_version).where(sql`${table.is_default}`),
    index('subnetpools_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

export const subnetPoolPrefixes = pgTable(
  'subnetpool_prefixes',
  {
    subnetpool_id: uuid()
      .notNull()
      .references(() => subnetPools.id, { onDelete: 'cascade' }),
    cidr: cidr().notNull(),
  },
  (table) => [primaryKey({ columns: [table.subnetpool_id, table.cidr] })],
);

export const subnetPoolRbacs = rbacTable('subnetpool', () => subnetPools.id);
