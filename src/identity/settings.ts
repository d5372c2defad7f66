/** What the configuration says of identity: `[identity]` for the embedded one, `[keystone_authtoken]` for a real Keystone. */
import type { Config } from '#src/lib/config.ts';

export interface IdentitySettings {
  /** How long a token is good for. */
  readonly tokenSeconds: number;
  /** Wrong passwords for one user from one address that cost nothing. */
  readonly lockoutAttempts: number;
  /** The longest that a further wrong password locks that user for that address. */
  readonly lockoutSeconds: number;
  /** scrypt's N is 2 to the power of this. */
  readonly passwordHashCost: number;
  readonly adminUsername: string;
  readonly adminProject: string;
  readonly region: string;
  /** `http://host:port` of the catalogue's own endpoints; null: the one that the caller used. */
  readonly publicEndpoint: string | null;
}

/** The embedded identity's settings from `[identity]`. */
export function identitySettings(config: Config): IdentitySettings {
  return {
    tokenSeconds: config.integer('identity', 'token_expiration'),
    lockoutAttempts: config.integer('identity', 'lockout_failure_attempts'),
    lockoutSeconds: config.integer('identity', 'lockout_duration'),
    passwordHashCost: config.integer('identity', 'password_hash_cost'),
    adminUsername: config.string('identity', 'admin_username'),
    adminProject: config.string('identity', 'admin_project'),
    region: config.string('identity', 'region'),
    publicEndpoint: config.optionalString('identity', 'public_endpoint')?.replace(/\/+$/, '') ?? null,
  };
}

/** How a project or user is named to Keystone: by id, or by name within a domain. */
export interface KeystoneName {
  readonly id: string | null;
  readonly name: string | null;
  readonly domainId: string | null;
  readonly domainName: string | null;
}

export type KeystoneCredentials =
  | {
      readonly kind: 'password';
      readonly user: KeystoneName;
      readonly password: string;
      readonly project: KeystoneName;
      readonly systemScope: boolean;
    }
  | { readonly kind: 'application_credential'; readonly id: string; readonly secret: string };

export interface KeystoneSettings {
  /** With or without `/v3`. */
  readonly authUrl: string;
  /** Told to callers in `WWW-Authenticate`. */
  readonly wwwAuthenticateUri: string;
  readonly credentials: KeystoneCredentials;
  /** How long a validated token is believed without asking again; 0: never. */
  readonly cacheSeconds: number;
  readonly serviceTokenRoles: readonly string[];
  readonly serviceTokenRolesRequired: boolean;
  /** Per request to Keystone. */
  readonly timeoutSeconds: number;
  /** Further tries of a request that Keystone could not answer. */
  readonly retries: number;
}

/** How this server calls another service that Keystone's catalogue knows. */
export interface ServiceSettings {
  /** With or without `/v3`. */
  readonly authUrl: string;
  readonly credentials: KeystoneCredentials;
  /** `public`, `internal`, `admin` */
  readonly interface: string;
  /** Null: any. */
  readonly region: string | null;
  /** Per request. */
  readonly timeoutSeconds: number;
}

/** Keystone's settings from `[keystone_authtoken]`; says which option is missing. */
export function keystoneSettings(config: Config): KeystoneSettings {
  const authUrl =
    config.optionalString('keystone_authtoken', 'auth_url') ??
    login(config, 'keystone_authtoken', VALIDATING).needed('www_authenticate_uri');
  return {
    authUrl,
    wwwAuthenticateUri: config.optionalString('keystone_authtoken', 'www_authenticate_uri') ?? authUrl,
    credentials: login(config, 'keystone_authtoken', VALIDATING).credentials(),
    cacheSeconds: Math.max(0, config.integer('keystone_authtoken', 'token_cache_time')),
    serviceTokenRoles: config.list('keystone_authtoken', 'service_token_roles'),
    serviceTokenRolesRequired: config.boolean('keystone_authtoken', 'service_token_roles_required'),
    timeoutSeconds: config.isSet('keystone_authtoken', 'http_connect_timeout')
      ? config.integer('keystone_authtoken', 'http_connect_timeout')
      : 10,
    retries: config.integer('keystone_authtoken', 'http_request_max_retries'),
  };
}

const VALIDATING = (name: string): string =>
  `auth_strategy = keystone needs [keystone_authtoken] ${name}: set it to validate tokens`;
const SERVICE_TIMEOUT = 30;

/** How to call the service that a group is about (`[nova]`); says which option is missing. */
export function serviceSettings(config: Config, group: string): ServiceSettings {
  const missing = (name: string) => `[${group}] ${name} is needed to log in at Keystone: set it`;
  return {
    authUrl: login(config, group, missing).needed('auth_url'),
    credentials: login(config, group, missing).credentials({
      id: config.optionalString(group, 'default_domain_id'),
      name: config.optionalString(group, 'default_domain_name'),
    }),
    interface: config.string(group, 'endpoint_type'),
    region: config.optionalString(group, 'region_name'),
    timeoutSeconds: config.isSet(group, 'timeout') ? config.float(group, 'timeout') : SERVICE_TIMEOUT,
  };
}

interface Domain {
  readonly id: string | null;
  readonly name: string | null;
}

/** The options of keystoneauth in a group; `missing` says what is wrong where one is not set. */
function login(config: Config, group: string, missing: (name: string) => string) {
  const option = (name: string) => config.optionalString(group, name);
  const needed = (name: string): string => {
    const value = option(name);
    if (value === null || value === '') throw new Error(missing(name));
    return value;
  };
  const named = (what: 'user' | 'project', name: string | null, domain: Domain): KeystoneName => {
    const [domainId, domainName] = [option(`${what}_domain_id`), option(`${what}_domain_name`)];
    const own = domainId !== null || domainName !== null;
    return {
      id: option(`${what}_id`),
      name,
      domainId: own ? domainId : domain.id,
      domainName: own ? domainName : domain.name,
    };
  };
  const credentials = (domain: Domain = { id: null, name: null }): KeystoneCredentials => {
    const type = option('auth_type') ?? 'password';
    if (type.endsWith('applicationcredential')) {
      return {
        kind: 'application_credential',
        id: needed('application_credential_id'),
        secret: needed('application_credential_secret'),
      };
    }
    return {
      kind: 'password',
      user: named('user', option('user_id') === null ? needed('username') : option('username'), domain),
      password: needed('password'),
      project: named('project', option('project_name'), domain),
      systemScope: option('system_scope') === 'all',
    };
  };
  return { needed, credentials };
}
