/**
 * How the API learns who asks. `src/identity` implements it for each `auth_strategy` (keystone, embedded, noauth); the auth
 * middleware of `src/api` asks it once per request and adds the request's ids and what policy says of the caller.
 */
import type { Context } from './context.ts';

/** What a token or the headers say of the caller: the context without what the request and the policy add. */
export type Identity = Omit<Context, 'is_admin' | 'is_advsvc' | 'is_service' | 'request_id' | 'global_request_id'>;

export interface Authenticator {
  /** Throws HttpUnauthorized, with a `WWW-Authenticate` header, for whom it does not know. */
  authenticate(headers: Headers, remote: { readonly address: string }): Promise<Identity>;
}
