import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, makeTenant, openRealm, type Realm, type Tenant } from './realm.ts';
import { openIdentity } from './support.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await openRealm('lockout', { settings: { lockoutAttempts: 3 } });
});
afterAll(() => realm.stop());

const attempt = (tenant: Pick<Tenant, 'userId'>, password: string, address: string, identity = realm.identity) =>
  clientOf(identity, address).login({ methods: ['password'], password: { user: { id: tenant.userId, password } } });

test('guessing locks the account for that address, in every process, and not for its owner elsewhere', async () => {
  const tenant = await makeTenant(realm.client, realm.admin);
  const address = '198.51.100.7';
  for (let guess = 0; guess < 4; guess++) expect((await attempt(tenant, 'wrong', address)).status).toBe(401);
  const locked = await attempt(tenant, tenant.password, address);
  expect(locked).toMatchObject({ status: 429, body: { error: { code: 429, title: 'Too Many Requests' } } });
  expect(Number(locked.headers.get('Retry-After'))).toBeGreaterThan(0);
  const elsewhere = openIdentity(realm.database.db, { settings: { lockoutAttempts: 3 } });
  expect((await attempt(tenant, tenant.password, address, elsewhere)).status).toBe(429);
  expect((await attempt(tenant, tenant.password, '203.0.113.9')).status).toBe(201);
});

test('an unknown user is locked like a known one', async () => {
  const nobody = { userId: 'nobody' };
  const address = '198.51.100.8';
  for (let guess = 0; guess < 4; guess++) expect((await attempt(nobody, 'wrong', address)).status).toBe(401);
  expect((await attempt(nobody, 'wrong', address)).status).toBe(429);
});

test('each further failure doubles the wait, up to the limit', async () => {
  const tenant = await makeTenant(realm.client, realm.admin);
  const address = '198.51.100.9';
  const { sql } = realm.database;
  const waits: number[] = [];
  for (let guess = 0; guess < 13; guess++) {
    await attempt(tenant, 'wrong', address);
    const answer = await attempt(tenant, 'wrong', address);
    if (answer.status !== 429) continue;
    waits.push(Number(answer.headers.get('Retry-After')));
    // The wait is over, as far as PostgreSQL can tell.
    await sql`update identity_login_failures set blocked_until = now()`;
  }
  expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
  expect(Math.max(...waits)).toBe(300);
});

test('a success clears what failed before it', async () => {
  const tenant = await makeTenant(realm.client, realm.admin);
  const address = '198.51.100.10';
  for (let round = 0; round < 3; round++) {
    for (let guess = 0; guess < 3; guess++) expect((await attempt(tenant, 'wrong', address)).status).toBe(401);
    expect((await attempt(tenant, tenant.password, address)).status).toBe(201);
  }
});

test('an address that fails for many accounts must wait whatever it tries', async () => {
  const address = '198.51.100.11';
  const tenant = await makeTenant(realm.client, realm.admin);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, (_, index) => attempt({ userId: `nobody${index}` }, 'x', address)),
  );
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([401]));
  for (let index = 60; index < 101; index++) await attempt({ userId: `nobody${index}` }, 'x', address);
  expect((await attempt(tenant, tenant.password, address)).status).toBe(429);
});
