/**
 * `auth_strategy = noauth`, for development: whoever reaches the port is who the headers say. No header at all is the
 * administrator, of a project of its own. Because this is no protection, it refuses to be anywhere but on loopback unless it is forced.
 */
import type { Authenticator, Identity } from '#src/lib/auth.ts';
import { DEFAULT_IMPLICATIONS, ROLES_OF_ADMIN } from './default_roles.ts';

export interface NoauthOptions {
  /** The address that the API listens on. */
  readonly bindHost: string;
  /** Set by configuration: listen elsewhere than on loopback all the same. */
  readonly forced: boolean;
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/;

/** Whose the objects are that the administrator without headers makes; the name is Neutron's. */
const PROJECT_OF_NOBODY = 'fake_project_id';

/** Any of these headers makes the caller somebody; none of them makes the administrator. */
const IDENTITY_HEADERS = ['X-User-Id', 'X-Project-Id', 'X-Tenant-Id', 'X-Roles'] as const;

/** The authenticator that believes the headers; throws when it would listen to the world. */
export function createNoauth(options: NoauthOptions): Authenticator {
  if (!options.forced && !LOOPBACK.test(options.bindHost)) {
    throw new Error(
      `auth_strategy = noauth would make everybody who reaches ${options.bindHost} an administrator: ` +
        'set [DEFAULT] bind_host to 127.0.0.1, or choose auth_strategy = embedded or keystone',
    );
  }
  return { authenticate: async (headers) => identityOf(headers) };
}

function identityOf(headers: Headers): Identity {
  const first = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = headers.get(name)?.trim();
      if (value !== undefined && value !== '') return value;
    }
    return null;
  };
  const administrator = IDENTITY_HEADERS.every((name) => first(name) === null);
  return {
    user_id: first('X-User-Id'),
    user_name: first('X-User-Name', 'X-User'),
    user_domain_id: first('X-User-Domain-Id'),
    project_id: administrator ? PROJECT_OF_NOBODY : first('X-Project-Id', 'X-Tenant-Id'),
    project_name: first('X-Project-Name', 'X-Tenant-Name', 'X-Tenant'),
    project_domain_id: first('X-Project-Domain-Id'),
    system_scope: first('OpenStack-System-Scope'),
    domain_id: first('X-Domain-Id'),
    roles: administrator ? ROLES_OF_ADMIN : rolesOf(first('X-Roles', 'X-Role')),
  };
}

/** Somebody who names no role may do what an ordinary member of the project may; a role brings those it implies. */
function rolesOf(header: string | null): readonly string[] {
  const roles = new Set((header ?? 'member').split(',').map((role) => role.trim().toLowerCase()));
  roles.delete('');
  // A set's iteration also visits what is added on the way.
  for (const role of roles) for (const implied of DEFAULT_IMPLICATIONS[role] ?? []) roles.add(implied);
  return [...roles];
}
