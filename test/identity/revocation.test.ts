import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmbeddedIdentity } from '#src/identity/mod.ts';
import { tokenOf } from './client.ts';
import { makeTenant, openRealm, type Realm, type Tenant } from './realm.ts';
import { openIdentity } from './support.ts';

let realm: Realm;
/** Another process: knows of revocations only through the database. Its clock runs ahead to make its copies old. */
let other: EmbeddedIdentity;
let ahead = 0;

beforeAll(async () => {
  realm = await openRealm('revocation');
  other = openIdentity(realm.database.db, { clock: { now: () => Date.now() + ahead } });
});
afterAll(() => realm.stop());

const accepted = async (identity: EmbeddedIdentity, token: string): Promise<boolean> => {
  try {
    await identity.authenticator.authenticate(new Headers({ 'X-Auth-Token': token }), { address: '192.0.2.1' });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 401 });
    return false;
  }
};

type Step = (tenant: Tenant, token: string) => Promise<unknown>;

const api = (status: number, method: string, path: string, body?: unknown) =>
  realm.client.expect(status, method, path, realm.admin, body);

const VOIDS: Readonly<Record<string, Step>> = {
  'its revocation': (_, token) => realm.client.call('DELETE', '/auth/tokens', { token, subject: token }),
  'a password set by the administrator': ({ userId }) =>
    api(200, 'PATCH', `/users/${userId}`, { user: { password: 'new' } }),
  'a password changed by the user': ({ userId, password }) =>
    realm.client.call('POST', `/users/${userId}/password`, {
      body: { user: { original_password: password, password: 'new' } },
    }),
  'disabling the user': ({ userId }) => api(200, 'PATCH', `/users/${userId}`, { user: { enabled: false } }),
  'deleting the user': ({ userId }) => api(204, 'DELETE', `/users/${userId}`),
  'disabling the project': ({ projectId }) =>
    api(200, 'PATCH', `/projects/${projectId}`, { project: { enabled: false } }),
  'deleting the project': ({ projectId }) => api(204, 'DELETE', `/projects/${projectId}`),
  'taking the role away': async ({ userId, projectId }) => {
    const role = await realm.client.roleId(realm.admin, 'member');
    await api(204, 'DELETE', `/projects/${projectId}/users/${userId}/roles/${role}`);
  },
};

describe('a token is void in every process after', () => {
  test.each(Object.entries(VOIDS))('%s', async (_, step) => {
    const tenant = await makeTenant(realm.client, realm.admin);
    const bystander = await (await makeTenant(realm.client, realm.admin)).token();
    const token = await tenant.token();
    expect(await accepted(realm.identity, token)).toBe(true);
    expect(await accepted(other, token)).toBe(true);
    await step(tenant, token);
    expect(await accepted(realm.identity, token)).toBe(false);
    ahead += 1_001;
    expect(await accepted(other, token)).toBe(false);
    expect(await accepted(other, bystander)).toBe(true);
  });
});

test('changing the password does not void what the new password opens', async () => {
  const { client, identity } = realm;
  const { userId, projectId, password } = await makeTenant(client, realm.admin);
  await client.call('POST', `/users/${userId}/password`, {
    body: { user: { original_password: password, password: 'new' } },
  });
  const token = await client.passwordToken({ id: userId, password: 'new' }, { project: { id: projectId } });
  expect(await accepted(identity, token)).toBe(true);
});

test('leaving a group voids the tokens of who leaves', async () => {
  const { client, admin, identity } = realm;
  const tenant = await makeTenant(client, admin);
  const group = await client.create(admin, 'groups', 'group', { name: 'leaving' });
  await client.expect(204, 'PUT', `/groups/${group['id']}/users/${tenant.userId}`, admin);
  const token = await tenant.token();
  await client.expect(204, 'DELETE', `/groups/${group['id']}/users/${tenant.userId}`, admin);
  expect(await accepted(identity, token)).toBe(false);
});

test('deleting a role voids the tokens that carry it', async () => {
  const { client, admin, identity } = realm;
  const role = await client.create(admin, 'roles', 'role', { name: 'passing' });
  const token = await (await makeTenant(client, admin, 'passing')).token();
  await client.expect(204, 'DELETE', `/roles/${role['id']}`, admin);
  expect(await accepted(identity, token)).toBe(false);
});

test('deleting an application credential voids its tokens and no others', async () => {
  const { client, admin, identity } = realm;
  const tenant = await makeTenant(client, admin);
  const own = await tenant.token();
  const path = `/users/${tenant.userId}/application_credentials`;
  const made = await client.expect(201, 'POST', path, own, { application_credential: { name: 'c' } });
  const { id, secret } = made.body['application_credential']!;
  const methods = ['application_credential'];
  const token = tokenOf(await client.login({ methods, application_credential: { id, secret } }));
  await client.expect(204, 'DELETE', `${path}/${id}`, own);
  expect(await accepted(identity, token)).toBe(false);
  expect(await accepted(identity, own)).toBe(true);
  expect((await client.login({ methods, application_credential: { id, secret } })).status).toBe(401);
});

test('no token with a role outlives its removal, however logins and the removal interleave', async () => {
  const { client, admin, identity } = realm;
  const tenant = await makeTenant(client, admin);
  const role = await client.roleId(admin, 'member');
  const path = `/projects/${tenant.projectId}/users/${tenant.userId}/roles/${role}`;
  for (let round = 0; round < 5; round++) {
    const logins = Array.from({ length: 8 }, () => tenant.token().catch(() => undefined));
    await Promise.all([logins[round], client.expect(204, 'DELETE', path, admin)]);
    const tokens = await Promise.all(logins);
    for (const token of tokens) if (token !== undefined) expect(await accepted(identity, token)).toBe(false);
    await client.expect(204, 'PUT', path, admin);
  }
});
