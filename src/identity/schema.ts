/**
 * The tables of the embedded identity. A domain is a project that acts as one (`is_domain`), as in Keystone, so one table and
 * one unique constraint arbitrate the names of both. Ids are 32 hex digits, except where a caller chooses them (`default`,
 * regions). Constraint names are part of the contract: the stores turn them into Keystone's errors.
 */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  varchar,
} from 'drizzle-orm/pg-core';

const id = () => varchar({ length: 64 });
const time = () => timestamp({ withTimezone: true });
/** What Keystone keeps beside the columns it knows: any attribute a client sends. */
const extra = () => jsonb().$type<Record<string, unknown>>().notNull().default({});
const options = () => jsonb().$type<Record<string, unknown>>().notNull().default({});

export const identityProjects = pgTable(
  'identity_projects',
  {
    id: id().primaryKey(),
    name: varchar({ length: 64 }).notNull(),
    /** Null for a domain. */
    domain_id: id().references((): AnyPgColumn => identityProjects.id, { onDelete: 'cascade' }),
    /** The domain for a project without a parent project; null for a domain. */
    parent_id: id().references((): AnyPgColumn => identityProjects.id),
    is_domain: boolean().notNull().default(false),
    enabled: boolean().notNull().default(true),
    description: text().notNull().default(''),
    tags: text().array().notNull().default(sql`'{}'`),
    options: options(),
    extra: extra(),
  },
  (table) => [
    unique('identity_projects_name').on(table.domain_id, table.name).nullsNotDistinct(),
    index('identity_projects_parent').on(table.parent_id),
  ],
);

export const identityUsers = pgTable(
  'identity_users',
  {
    id: id().primaryKey(),
    name: varchar({ length: 255 }).notNull(),
    domain_id: id()
      .notNull()
      .references(() => identityProjects.id, { onDelete: 'cascade' }),
    /** `passwords.ts` gives its form; null: no password opens this account. */
    password_hash: text(),
    /** May name a project that is gone, as in Keystone: then a login without scope is unscoped. */
    default_project_id: id(),
    enabled: boolean().notNull().default(true),
    options: options(),
    extra: extra(),
  },
  (table) => [unique('identity_users_name').on(table.domain_id, table.name)],
);

export const identityGroups = pgTable(
  'identity_groups',
  {
    id: id().primaryKey(),
    name: varchar({ length: 64 }).notNull(),
    domain_id: id()
      .notNull()
      .references(() => identityProjects.id, { onDelete: 'cascade' }),
    description: text().notNull().default(''),
    extra: extra(),
  },
  (table) => [unique('identity_groups_name').on(table.domain_id, table.name)],
);

export const identityGroupMembers = pgTable(
  'identity_group_members',
  {
    group_id: id()
      .notNull()
      .references(() => identityGroups.id, { onDelete: 'cascade' }),
    user_id: id()
      .notNull()
      .references(() => identityUsers.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.group_id, table.user_id] }),
    index('identity_group_members_user').on(table.user_id),
  ],
);

export const identityRoles = pgTable(
  'identity_roles',
  {
    id: id().primaryKey(),
    name: varchar({ length: 255 }).notNull(),
    /** A role of a domain never shows in a token; what it implies does. */
    domain_id: id().references(() => identityProjects.id, { onDelete: 'cascade' }),
    description: text().notNull().default(''),
    options: options(),
    extra: extra(),
  },
  (table) => [unique('identity_roles_name').on(table.domain_id, table.name).nullsNotDistinct()],
);

export const identityRoleImplications = pgTable(
  'identity_role_implications',
  {
    prior_role_id: id()
      .notNull()
      .references(() => identityRoles.id, { onDelete: 'cascade' }),
    implied_role_id: id()
      .notNull()
      .references(() => identityRoles.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.prior_role_id, table.implied_role_id] })],
);

/** Who (a user or a group) has which role where: on a project, a domain, or (target null) the whole system. */
export const identityAssignments = pgTable(
  'identity_assignments',
  {
    user_id: id().references(() => identityUsers.id, { onDelete: 'cascade' }),
    group_id: id().references(() => identityGroups.id, { onDelete: 'cascade' }),
    target_id: id().references(() => identityProjects.id, { onDelete: 'cascade' }),
    role_id: id()
      .notNull()
      .references(() => identityRoles.id, { onDelete: 'cascade' }),
    /** Holds not on the target but on the projects below it (OS-INHERIT). */
    inherited: boolean().notNull().default(false),
  },
  (table) => [
    unique('identity_assignments_key')
      .on(table.user_id, table.group_id, table.target_id, table.role_id, table.inherited)
      .nullsNotDistinct(),
    check('identity_assignments_actor', sql`(${table.user_id} is null) <> (${table.group_id} is null)`),
    index('identity_assignments_group').on(table.group_id),
    index('identity_assignments_target').on(table.target_id),
  ],
);

export const identityApplicationCredentials = pgTable(
  'identity_application_credentials',
  {
    id: id().primaryKey(),
    name: varchar({ length: 255 }).notNull(),
    user_id: id()
      .notNull()
      .references(() => identityUsers.id, { onDelete: 'cascade' }),
    project_id: id()
      .notNull()
      .references(() => identityProjects.id, { onDelete: 'cascade' }),
    secret_hash: text().notNull(),
    description: text(),
    unrestricted: boolean().notNull().default(false),
    expires_at: time(),
  },
  (table) => [unique('identity_application_credentials_name').on(table.user_id, table.name)],
);

export const identityApplicationCredentialRoles = pgTable(
  'identity_application_credential_roles',
  {
    application_credential_id: id().notNull(),
    role_id: id()
      .notNull()
      .references(() => identityRoles.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.application_credential_id, table.role_id] }),
    // Named, because the generated name would be cut at 63 characters and meet another.
    foreignKey({
      name: 'identity_app_cred_roles_fk',
      columns: [table.application_credential_id],
      foreignColumns: [identityApplicationCredentials.id],
    }).onDelete('cascade'),
  ],
);

export const identityRegions = pgTable('identity_regions', {
  id: varchar({ length: 255 }).primaryKey(),
  description: text().notNull().default(''),
  parent_region_id: varchar({ length: 255 }).references((): AnyPgColumn => identityRegions.id),
  extra: extra(),
});

export const identityServices = pgTable('identity_services', {
  id: id().primaryKey(),
  type: varchar({ length: 255 }).notNull(),
  enabled: boolean().notNull().default(true),
  extra: extra(),
});

export const identityEndpoints = pgTable('identity_endpoints', {
  id: id().primaryKey(),
  service_id: id()
    .notNull()
    .references(() => identityServices.id, { onDelete: 'cascade' }),
  region_id: varchar({ length: 255 }).references(() => identityRegions.id),
  interface: varchar({ length: 8 }).notNull(),
  /** May hold `$(project_id)s` and, for our own, `$(public_endpoint)s`. */
  url: text().notNull(),
  enabled: boolean().notNull().default(true),
  extra: extra(),
});

/** Keys that tokens are signed with; the newest signs, all verify until they are of no use. */
export const identitySigningKeys = pgTable('identity_signing_keys', {
  kid: varchar({ length: 32 }).primaryKey(),
  /** base64url */
  secret: text().notNull(),
  created_at: time().notNull().defaultNow(),
});

/** Numbers revocations in the order of their commits (`revocations.ts` serialises them). */
export const identityRevocationSeq = pgSequence('identity_revocation_seq');

/** Tokens that a subject (`user:<id>`, `audit:<id>` ...) concerns are void if they were issued at or before a time. */
export const identityRevocations = pgTable(
  'identity_revocations',
  {
    subject: text().primaryKey(),
    /** Microseconds since the epoch, by PostgreSQL's clock. */
    issued_before: bigint({ mode: 'number' }).notNull(),
    revision: bigint({ mode: 'number' }).notNull(),
    /** When every token concerned has expired. */
    expires_at: time().notNull(),
  },
  (table) => [index('identity_revocations_revision').on(table.revision)],
);

/** Failed logins by whom they were tried for and from where (hashed): what `lockout.ts` counts. */
export const identityLoginFailures = pgTable(
  'identity_login_failures',
  {
    subject: text().primaryKey(),
    failures: integer().notNull(),
    last_failure_at: time().notNull(),
    blocked_until: time().notNull(),
  },
  (table) => [index('identity_login_failures_last').on(table.last_failure_at)],
);
