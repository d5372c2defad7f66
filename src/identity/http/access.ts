/**
 * Who may do what: Keystone's default policy in reasonable measure. The administrator may do all; a reader of the system may
 * read; a domain's readers read and its managers manage what is in their domain; everybody may see and use what is
 * their own.
 */
import type { TokenClaims } from '../claims.ts';

/** What an action is about, as far as access depends on it. */
export interface AccessTarget {
  /** The user whose own affair it is. */
  readonly user_id?: string | undefined;
  readonly project_id?: string | undefined;
  /** All domains that the objects concerned are in; a domain's people need every one to be theirs. */
  readonly domain_ids?: readonly string[] | undefined;
  /** The role that is granted or taken. */
  readonly role_name?: string | undefined;
}

type Rule = (caller: TokenClaims, target: AccessTarget) => boolean;

const has = (caller: TokenClaims, role: string): boolean =>
  caller.roles.some(({ name }) => name.toLowerCase() === role);

const anyone: Rule = () => true;
const admin: Rule = (caller) => has(caller, 'admin');
const service: Rule = (caller) => has(caller, 'service');
const systemReader: Rule = (caller) => caller.scope.kind === 'system' && has(caller, 'reader');
const owner: Rule = (caller, { user_id }) => user_id === caller.user.id;
const ownProject: Rule = ({ scope }, { project_id }) => scope.kind === 'project' && scope.project.id === project_id;
const ofDomain =
  (role: string): Rule =>
  (caller, { domain_ids = [] }) => {
    const { scope } = caller;
    if (scope.kind !== 'domain' || !has(caller, role)) return false;
    return domain_ids.length > 0 && domain_ids.every((id) => id === scope.domain.id);
  };
const domainReader = ofDomain('reader');
const domainManager = ofDomain('manager');
const anyDomainManager: Rule = (caller) => caller.scope.kind === 'domain' && has(caller, 'manager');
/** A domain's manager hands out only these: never what would reach beyond the domain. */
const GRANTED_BY_MANAGERS: ReadonlySet<string | undefined> = new Set(['manager', 'member', 'reader']);
const managedGrant: Rule = (caller, target) =>
  GRANTED_BY_MANAGERS.has(target.role_name) && domainManager(caller, target);
const inOwnDomain: Rule = ({ scope }, { domain_ids = [] }) =>
  (scope.kind === 'domain' || scope.kind === 'project') && domain_ids.includes(scope.domain.id);

const any =
  (...rules: readonly Rule[]): Rule =>
  (caller, target) =>
    rules.some((rule) => rule(caller, target));

const reads = any(admin, systemReader, domainReader);
const manages = any(admin, domainManager);

const RULES = {
  validate_token: any(admin, service, systemReader, owner),
  revoke_token: any(admin, owner),
  get_auth_catalog: anyone,
  get_auth_projects: anyone,
  get_auth_domains: anyone,
  get_auth_system: anyone,

  list_domains: any(admin, systemReader),
  get_domain: any(admin, systemReader, inOwnDomain),
  create_domain: admin,
  update_domain: admin,
  delete_domain: admin,

  list_projects: reads,
  get_project: any(reads, ownProject),
  create_project: manages,
  update_project: manages,
  delete_project: manages,
  list_user_projects: any(reads, owner),
  list_project_tags: any(reads, ownProject),
  update_project_tags: manages,

  list_users: reads,
  get_user: any(reads, owner),
  create_user: manages,
  update_user: manages,
  delete_user: manages,

  list_groups: reads,
  get_group: reads,
  create_group: manages,
  update_group: manages,
  delete_group: manages,
  list_groups_for_user: any(reads, owner),
  list_users_in_group: reads,
  check_user_in_group: any(reads, owner),
  add_user_to_group: manages,
  remove_user_from_group: manages,

  list_roles: any(admin, systemReader, anyDomainManager),
  get_role: any(admin, systemReader, anyDomainManager),
  create_role: admin,
  update_role: admin,
  delete_role: admin,
  list_implied_roles: any(admin, systemReader),
  get_implied_role: any(admin, systemReader),
  create_implied_role: admin,
  delete_implied_role: admin,
  list_role_inference_rules: any(admin, systemReader),

  list_role_assignments: reads,
  list_grants: reads,
  check_grant: reads,
  create_grant: any(admin, managedGrant),
  revoke_grant: any(admin, managedGrant),
  list_system_grants: any(admin, systemReader),
  check_system_grant: any(admin, systemReader),
  create_system_grant: admin,
  revoke_system_grant: admin,

  list_application_credentials: any(admin, systemReader, owner),
  get_application_credential: any(admin, systemReader, owner),
  create_application_credential: owner,
  delete_application_credential: any(admin, owner),

  list_services: any(admin, systemReader),
  get_service: any(admin, systemReader),
  create_service: admin,
  update_service: admin,
  delete_service: admin,
  list_endpoints: any(admin, systemReader),
  get_endpoint: any(admin, systemReader),
  create_endpoint: admin,
  update_endpoint: admin,
  delete_endpoint: admin,
  list_regions: anyone,
  get_region: anyone,
  create_region: admin,
  update_region: admin,
  delete_region: admin,
} as const satisfies Readonly<Record<string, Rule>>;

/** What a route does; clients see it as `identity:list_users`. */
export type Action = keyof typeof RULES;

/** Whether the caller may do the action to the target. */
export function mayDo(action: Action, caller: TokenClaims, target: AccessTarget): boolean {
  return RULES[action](caller, target);
}

/** The domain that a list is narrowed to for somebody who may only read that domain. */
export function narrowedToDomain(caller: TokenClaims): string | undefined {
  return caller.scope.kind === 'domain' && !admin(caller, {}) ? caller.scope.domain.id : undefined;
}
