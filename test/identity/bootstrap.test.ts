import { afterEach, expect, test } from 'vitest';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { ADMIN, ADMIN_SCOPE, clientOf } from './realm.ts';
import { ADMIN_PASSWORD, openIdentity } from './support.ts';

let database: TestDatabase;
afterEach(() => database.drop());

test('many processes bootstrap an empty database at once: one makes the administrator', async () => {
  database = await migratedDatabase('bootstrap');
  const identities = Array.from({ length: 6 }, () => openIdentity(database.db));
  const accounts = await Promise.all(identities.map((identity, index) => identity.bootstrap(`password ${index}`)));
  expect(accounts.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(accounts.map(({ userId }) => userId)).size).toBe(1);
  const winner = accounts.findIndex(({ created }) => created);
  const client = clientOf(identities[0]!);
  const token = await client.passwordToken({ ...ADMIN, password: `password ${winner}` }, ADMIN_SCOPE);
  for (const [path, collection, count] of [
    ['/roles', 'roles', 5],
    ['/services', 'services', 2],
    ['/endpoints', 'endpoints', 6],
  ] as const) {
    const { body } = await client.expect(200, 'GET', path, token);
    expect(body[collection]).toHaveLength(count);
  }
});

test('a later bootstrap changes nothing, also not what an operator changed or removed', async () => {
  database = await migratedDatabase('bootstrap');
  const identity = openIdentity(database.db);
  await identity.bootstrap(ADMIN_PASSWORD);
  const client = clientOf(identity);
  const token = await client.passwordToken(ADMIN, ADMIN_SCOPE);
  const service = await client.roleId(token, 'service');
  await client.expect(200, 'PATCH', `/roles/${service}`, token, { role: { options: { immutable: false } } });
  await client.expect(204, 'DELETE', `/roles/${service}`, token);
  await client.expect(200, 'PATCH', '/domains/default', token, { domain: { description: 'ours' } });

  expect((await openIdentity(database.db).bootstrap('another')).created).toBe(false);
  expect(await client.passwordToken(ADMIN)).toEqual(expect.any(String));
  const { body } = await client.expect(200, 'GET', '/roles?name=service', token);
  expect(body['roles']).toEqual([]);
  expect((await client.expect(200, 'GET', '/domains/default', token)).body['domain']?.['description']).toBe('ours');
});

test('the administrator who lost the password gets a new one; the old one and its tokens are void', async () => {
  database = await migratedDatabase('bootstrap');
  const identity = openIdentity(database.db);
  await identity.bootstrap(ADMIN_PASSWORD);
  const client = clientOf(identity);
  const token = await client.passwordToken(ADMIN, ADMIN_SCOPE);
  await identity.resetAdminPassword('found again');
  expect((await client.call('GET', '/auth/projects', { token })).status).toBe(401);
  expect((await client.login({ methods: ['password'], password: { user: ADMIN } })).status).toBe(401);
  expect(await client.passwordToken({ ...ADMIN, password: 'found again' })).toEqual(expect.any(String));
});

test('a password hashed at another cost still opens the account and is hashed anew', async () => {
  database = await migratedDatabase('bootstrap');
  await openIdentity(database.db).bootstrap(ADMIN_PASSWORD);
  const client = clientOf(openIdentity(database.db, { settings: { passwordHashCost: 11 } }));
  await client.passwordToken(ADMIN, ADMIN_SCOPE);
  const [row] = await database.sql`select password_hash from identity_users where name = 'admin'`;
  expect(row?.['password_hash']).toMatch(/^scrypt\$11\$/);
  await client.passwordToken(ADMIN, ADMIN_SCOPE);
});
