/**
 * Who asks, and under which request. Made once by the auth middleware (`src/identity`) or by the RPC server, read by all
 * below it; never a global. The fields are those of neutron_lib.context.Context that anything here reads.
 */

export interface Context {
  /** `req-<uuid>`, made by the request-id middleware. */
  readonly request_id: string;
  /** The id that the caller sent in `X-Openstack-Request-Id`, if it was well-formed. */
  readonly global_request_id: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_domain_id: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly project_domain_id: string | null;
  /** `all` for a system-scoped token. */
  readonly system_scope: string | null;
  readonly domain_id: string | null;
  /** Lower-case role names, implied roles included. */
  readonly roles: readonly string[];
  /** What the policy rule context_is_admin says of the caller. */
  readonly is_admin: boolean;
  /** What the policy rule context_is_advsvc says of the caller. */
  readonly is_advsvc: boolean;
  /** What the policy rule service_api says of the caller. */
  readonly is_service: boolean;
}

/** The administrator that the server itself acts as (periodic work, RPC, start-up). */
export function adminContext(request_id = `req-${crypto.randomUUID()}`): Context {
  return {
    request_id,
    global_request_id: null,
    user_id: null,
    user_name: null,
    user_domain_id: null,
    project_id: null,
    project_name: null,
    project_domain_id: null,
    system_scope: null,
    domain_id: null,
    roles: ['admin', 'manager', 'member', 'reader'],
    is_admin: true,
    is_advsvc: false,
    is_service: false,
  };
}

/** The same request with administrator's rights, for what the server does on the caller's behalf. */
export function elevated(context: Context): Context {
  return context.is_admin ? context : { ...context, is_admin: true, roles: [...context.roles, 'admin'] };
}
