/** An embedded identity with an administrator, an ordinary user and a project: what most tests start from. */
import type { EmbeddedIdentity } from '#src/identity/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { IdentityClient } from './client.ts';
import { ADMIN_PASSWORD, type IdentityOptions, openIdentity } from './support.ts';

export interface Realm {
  readonly database: TestDatabase;
  readonly identity: EmbeddedIdentity;
  readonly client: IdentityClient;
  /** A token of the administrator on the project admin. */
  readonly admin: string;
  stop(): Promise<void>;
}

export const ADMIN = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
export const ADMIN_SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };

export function clientOf(identity: EmbeddedIdentity, address = '192.0.2.1'): IdentityClient {
  return new IdentityClient({
    base: 'http://api.example/identity/v3',
    handler: (request) => identity.handle(request, { address }),
  });
}

export async function openRealm(name: string, options: IdentityOptions = {}): Promise<Realm> {
  const database = await migratedDatabase(name);
  const identity = openIdentity(database.db, options);
  await identity.bootstrap(ADMIN_PASSWORD);
  const client = clientOf(identity);
  const admin = await client.passwordToken(ADMIN, ADMIN_SCOPE);
  return { database, identity, client, admin, stop: () => database.drop() };
}

export interface Tenant {
  readonly projectId: string;
  readonly userId: string;
  readonly username: string;
  readonly password: string;
  /** A fresh token of the user on the project. */
  token(): Promise<string>;
}

let tenants = 0;

/** A project and a user who has a role on it. */
export async function makeTenant(client: IdentityClient, admin: string, role = 'member'): Promise<Tenant> {
  const name = `tenant${++tenants}`;
  const password = `password of ${name}`;
  const project = await client.create(admin, 'projects', 'project', { name });
  const user = await client.create(admin, 'users', 'user', { name, password });
  const projectId = project['id']!;
  const userId = user['id']!;
  const roleId = await client.roleId(admin, role);
  await client.expect(204, 'PUT', `/projects/${projectId}/users/${userId}/roles/${roleId}`, admin);
  return {
    projectId,
    userId,
    username: name,
    password,
    token: () => client.passwordToken({ id: userId, password }, { project: { id: projectId } }),
  };
}
