/** The checks that most rules are, and the shape of a plugin's `policy.ts`. */
import type { PolicyDefault } from '#src/lib/policy.ts';

export const ADMIN = 'rule:admin_only';
export const SERVICE = 'rule:service_api';
export const ADMIN_OR_SERVICE = `(${ADMIN}) or (${SERVICE})`;

export const PROJECT_READER = 'role:reader and project_id:%(project_id)s';
export const PROJECT_MEMBER = 'role:member and project_id:%(project_id)s';
export const PROJECT_MANAGER = 'role:manager and project_id:%(project_id)s';
export const ADMIN_OR_PROJECT_READER = `(${ADMIN}) or (${PROJECT_READER})`;
export const ADMIN_OR_PROJECT_MEMBER = `(${ADMIN}) or (${PROJECT_MEMBER})`;
export const ADMIN_OR_PROJECT_MANAGER = `(${ADMIN}) or (${PROJECT_MANAGER})`;

export const NETWORK_OWNER_READER = 'role:reader and rule:network_owner';
export const NETWORK_OWNER_MEMBER = 'role:member and rule:network_owner';
export const NETWORK_OWNER_MANAGER = 'role:manager and rule:network_owner';
export const ADMIN_OR_NETWORK_OWNER_READER = `(${ADMIN}) or (${NETWORK_OWNER_READER})`;
export const ADMIN_OR_NETWORK_OWNER_MEMBER = `(${ADMIN}) or (${NETWORK_OWNER_MEMBER})`;

export const PARENT_OWNER_READER = 'role:reader and rule:ext_parent_owner';
export const PARENT_OWNER_MEMBER = 'role:member and rule:ext_parent_owner';
export const PARENT_OWNER_MANAGER = 'role:manager and rule:ext_parent_owner';
export const ADMIN_OR_PARENT_OWNER_READER = `(${ADMIN}) or (${PARENT_OWNER_READER})`;
export const ADMIN_OR_PARENT_OWNER_MEMBER = `(${ADMIN}) or (${PARENT_OWNER_MEMBER})`;
export const ADMIN_OR_PARENT_OWNER_MANAGER = `(${ADMIN}) or (${PARENT_OWNER_MANAGER})`;

/** A check, or a check and the name it had before. */
export type PolicyTable = Readonly<Record<string, string | { readonly check: string; readonly former_name: string }>>;

/** Rules for project-scoped tokens, as nearly all of Neutron's are. */
export function projectPolicies(table: PolicyTable): readonly PolicyDefault[] {
  return Object.entries(table).map(([name, rule]) => ({
    name,
    ...(typeof rule === 'string' ? { check: rule } : rule),
    scope_types: ['project'],
  }));
}
