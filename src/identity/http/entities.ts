/** The kinds of objects that the service keeps, as tables: what may be sent of each, what lists filter by, what is shown. */
import * as v from 'valibot';
import type {
  identityEndpoints,
  identityGroups,
  identityProjects,
  identityRegions,
  identityRoles,
  identityServices,
  identityUsers,
} from '../schema.ts';
import { Description, type Entity, Id, nameOf, Options } from './entity.ts';

/** A domain is one too. */
export type ProjectRow = typeof identityProjects.$inferSelect;
export type UserRow = typeof identityUsers.$inferSelect;
export type GroupRow = typeof identityGroups.$inferSelect;
export type RoleRow = typeof identityRoles.$inferSelect;
export type RegionRow = typeof identityRegions.$inferSelect;
export type ServiceRow = typeof identityServices.$inferSelect;
export type EndpointRow = typeof identityEndpoints.$inferSelect;

const Tag = v.pipe(nameOf(255), v.regex(/^[^,/]+$/, 'a tag holds neither "/" nor ","'));
/** The tags of a project. */
export const Tags = v.pipe(v.array(Tag), v.maxLength(80));
/** What a password may be. */
export const Password = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
const RegionId = v.pipe(v.string(), v.maxLength(255));
const Url = v.pipe(v.string(), v.maxLength(2048), v.regex(/^(https?:\/\/|\$\()/, 'is not an http URL'));

export const domains: Entity<ProjectRow> = {
  member: 'domain',
  collection: 'domains',
  table: 'identity_projects',
  kind: 'is_domain',
  filters: { name: 'text', enabled: 'boolean' },
  attributes: { name: nameOf(64), description: Description, enabled: v.boolean(), options: Options, tags: Tags },
  required: ['name'],
  reserved: ['explicit_domain_id', 'is_domain', 'domain_id', 'parent_id'],
  view: ({ id, name, description, enabled, tags, options }) => ({ id, name, description, enabled, tags, options }),
};

export const projects: Entity<ProjectRow> = {
  member: 'project',
  collection: 'projects',
  table: 'identity_projects',
  filters: { name: 'text', domain_id: 'text', parent_id: 'text', enabled: 'boolean', is_domain: 'boolean' },
  attributes: {
    name: nameOf(64),
    domain_id: v.nullable(Id),
    parent_id: v.nullable(Id),
    is_domain: v.boolean(),
    description: Description,
    enabled: v.boolean(),
    options: Options,
    tags: Tags,
  },
  required: ['name'],
  view: ({ extra: _, ...row }) => row,
};

export const users: Entity<UserRow> = {
  member: 'user',
  collection: 'users',
  table: 'identity_users',
  filters: { name: 'text', domain_id: 'text', enabled: 'boolean' },
  attributes: {
    name: nameOf(255),
    domain_id: Id,
    default_project_id: v.nullable(Id),
    enabled: v.boolean(),
    options: Options,
    password: v.nullable(Password),
  },
  required: ['name'],
  reserved: ['password_hash', 'original_password', 'password_expires_at', 'federated'],
  view: ({ id, name, domain_id, enabled, options, default_project_id }) => ({
    id,
    name,
    domain_id,
    enabled,
    password_expires_at: null,
    options,
    ...(default_project_id === null ? {} : { default_project_id }),
  }),
};

export const groups: Entity<GroupRow> = {
  member: 'group',
  collection: 'groups',
  table: 'identity_groups',
  filters: { name: 'text', domain_id: 'text' },
  attributes: { name: nameOf(64), domain_id: Id, description: Description },
  required: ['name'],
  view: ({ extra: _, ...row }) => row,
};

export const roles: Entity<RoleRow> = {
  member: 'role',
  collection: 'roles',
  table: 'identity_roles',
  filters: { name: 'text', domain_id: 'text' },
  attributes: { name: nameOf(255), domain_id: v.nullable(Id), description: Description, options: Options },
  required: ['name'],
  view: ({ extra: _, ...row }) => row,
};

export const regions: Entity<RegionRow> = {
  member: 'region',
  collection: 'regions',
  table: 'identity_regions',
  filters: { parent_region_id: 'text' },
  attributes: { description: Description, parent_region_id: v.nullable(RegionId) },
  required: [],
  view: ({ extra: _, ...row }) => row,
};

export const services: Entity<ServiceRow> = {
  member: 'service',
  collection: 'services',
  table: 'identity_services',
  filters: { type: 'text' },
  attributes: { type: nameOf(255), enabled: v.boolean() },
  required: ['type'],
  view: ({ extra: _, ...row }) => row,
};

export const endpoints: Entity<EndpointRow> = {
  member: 'endpoint',
  collection: 'endpoints',
  table: 'identity_endpoints',
  filters: { service_id: 'text', region_id: 'text', interface: 'text' },
  attributes: {
    service_id: Id,
    region_id: v.nullable(RegionId),
    interface: v.picklist(['public', 'internal', 'admin']),
    url: Url,
    enabled: v.boolean(),
  },
  required: ['service_id', 'interface', 'url'],
  reserved: ['region', 'legacy_endpoint_id'],
  view: ({ extra: _, ...row }) => ({ ...row, region: row.region_id }),
};

/** `description: null` is kept as no text. */
export const textOrEmpty = (known: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  known['description'] === null ? { ...known, description: '' } : known;
