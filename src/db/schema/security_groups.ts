/**
 * Security groups with their rules, the address groups that rules point to, and the ports they hold for: ports, agents' RPC and
 * packet logging all read them.
 */
import { sql } from 'drizzle-orm';
import {
  boolean,
  cidr,
  index,
  integer,
  pgTable,
  primaryKey,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { hasId, hasProject, hasStandardAttributes } from '../columns.ts';
import { ports } from './ports.ts';
import { rbacTable } from './rbac.ts';

export const addressGroups = pgTable(
  'address_groups',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull(),
  },
  (table) => [
    index().on(table.project_id),
    index('address_groups_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

export const addressGroupAddresses = pgTable(
  'address_group_addresses',
  {
    address_group_id: uuid()
      .notNull()
      .references(() => addressGroups.id, { onDelete: 'cascade' }),
    address: cidr().notNull(),
  },
  (table) => [primaryKey({ columns: [table.address_group_id, table.address] })],
);

export const addressGroupRbacs = rbacTable('address_group', () => addressGroups.id);

export const securityGroups = pgTable(
  'security_groups',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    name: varchar({ length: 255 }).notNull().default(''),
    stateful: boolean().notNull().default(true),
    /** The group that ports of the project are in for which nobody names one: made when it is first needed. */
    is_default: boolean().notNull().default(false),
  },
  (table) => [
    index().on(table.project_id),
    uniqueIndex('security_groups_one_default').on(table.project_id).where(sql`${table.is_default}`),
    index('security_groups_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

export const securityGroupRbacs = rbacTable('security_group', () => securityGroups.id);

/** What a rule lets through; nulls stand for any. */
const matches = () => ({
  /** `ingress` or `egress` */
  direction: varchar({ length: 16 }).notNull(),
  /** `IPv4` or `IPv6` */
  ethertype: varchar({ length: 16 }).notNull(),
  /** A name (`tcp`) or a number as text. */
  protocol: varchar({ length: 40 }),
  port_range_min: integer(),
  port_range_max: integer(),
  remote_ip_prefix: varchar({ length: 255 }),
});

export const securityGroupRules = pgTable(
  'security_group_rules',
  {
    ...hasId(),
    ...hasProject(),
    ...hasStandardAttributes(),
    security_group_id: uuid()
      .notNull()
      .references(() => securityGroups.id, { onDelete: 'cascade' }),
    ...matches(),
    remote_group_id: uuid().references(() => securityGroups.id, { onDelete: 'cascade' }),
    remote_address_group_id: uuid().references(() => addressGroups.id),
  },
  (table) => [
    // Expressions without nulls, so that the rule that matches the same is found by the index too.
    uniqueIndex('security_group_rules_once').on(
      table.security_group_id,
      table.direction,
      table.ethertype,
      sql`coalesce(${table.protocol}, '')`,
      sql`coalesce(${table.port_range_min}, -1)`,
      sql`coalesce(${table.port_range_max}, -1)`,
      sql`coalesce(${table.remote_ip_prefix}, '')`,
      sql`coalesce(${table.remote_group_id}, '00000000-0000-0000-0000-000000000000')`,
      sql`coalesce(${table.remote_address_group_id}, '00000000-0000-0000-0000-000000000000')`,
    ),
    index().on(table.project_id),
    // Few rules have these.
    index().on(table.remote_group_id).where(sql`${table.remote_group_id} is not null`),
    index().on(table.remote_address_group_id).where(sql`${table.remote_address_group_id} is not null`),
    index('security_group_rules_tags').using('gin', table.tags).where(sql`${table.tags} <> '{}'`),
  ],
);

/** The rules that new groups start with, changed by administrators. */
export const defaultSecurityGroupRules = pgTable('default_security_group_rules', {
  ...hasId(),
  ...hasStandardAttributes(),
  ...matches(),
  /** A group's id, or `PARENT` for the group itself. */
  remote_group_id: varchar({ length: 36 }),
  remote_address_group_id: uuid().references(() => addressGroups.id),
  used_in_default_sg: boolean().notNull().default(false),
  used_in_non_default_sg: boolean().notNull().default(true),
});

/** Whether new groups are stateful where the request does not say: of a project, or (null) of all that have no setting. */
export const securityGroupsDefaultStatefulness = pgTable(
  'security_groups_default_statefulness',
  {
    ...hasId(),
    project_id: varchar({ length: 255 }),
    stateful: boolean().notNull(),
  },
  (table) => [unique('security_groups_default_statefulness_once').on(table.project_id).nullsNotDistinct()],
);

/** Not cascading from groups: a group that ports are in is not deleted. */
export const portSecurityGroups = pgTable(
  'port_security_groups',
  {
    port_id: uuid()
      .notNull()
      .references(() => ports.id, { onDelete: 'cascade' }),
    security_group_id: uuid()
      .notNull()
      .references(() => securityGroups.id),
  },
  (table) => [primaryKey({ columns: [table.port_id, table.security_group_id] }), index().on(table.security_group_id)],
);
