/** How a service user logs in at Keystone: where, and with what body. */
import type { KeystoneCredentials, KeystoneName } from '../settings.ts';

/** Where tokens are had. */
export function tokensUrl(authUrl: string): string {
  const base = authUrl.replace(/\/+$/, '');
  return `${/\/v3$/.test(base) ? base : `${base}/v3`}/auth/tokens`;
}

/** The body of a login. */
export function loginOf(credentials: KeystoneCredentials): unknown {
  if (credentials.kind === 'application_credential') {
    const { id, secret } = credentials;
    return { auth: { identity: { methods: [credentials.kind], application_credential: { id, secret } } } };
  }
  const { user, password, project, systemScope } = credentials;
  const identity = { methods: ['password'], password: { user: { ...reference(user), password } } };
  if (systemScope) return { auth: { identity, scope: { system: { all: true } } } };
  const scoped = project.id !== null || project.name !== null;
  return { auth: { identity, ...(scoped ? { scope: { project: reference(project) } } : {}) } };
}

function reference({ id, name, domainId, domainName }: KeystoneName): object {
  if (id !== null) return { id };
  return { name, domain: domainId === null ? { name: domainName ?? 'Default' } : { id: domainId } };
}
