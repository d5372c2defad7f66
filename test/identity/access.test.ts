import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '#src/identity/http/mod.ts';
import { makeTenant, openRealm, type Realm, type Tenant } from './realm.ts';

let realm: Realm;
let tenant: Tenant;
let other: Tenant;
/** Tokens by whose they are. */
const tokens: Record<string, string> = {};
let domainId: string;
let domainUserId: string;

beforeAll(async () => {
  realm = await openRealm('access');
  const { client, admin } = realm;
  tenant = await makeTenant(client, admin);
  other = await makeTenant(client, admin);
  const domain = await client.create(admin, 'domains', 'domain', { name: 'theirs' });
  domainId = domain['id']!;
  const domain_id = domainId;
  const inside = await client.create(admin, 'users', 'user', { name: 'inside', password: 'x', domain_id });
  domainUserId = inside['id']!;
  const manager = await client.create(admin, 'users', 'user', { name: 'boss', password: 'boss', domain_id });
  const role = await client.roleId(admin, 'manager');
  await client.expect(204, 'PUT', `/domains/${domainId}/users/${manager['id']}/roles/${role}`, admin);
  const reader = await client.create(admin, 'users', 'user', { name: 'auditor', password: 'auditor' });
  await client.expect(204, 'PUT', `/system/users/${reader['id']}/roles/${await client.roleId(admin, 'reader')}`, admin);

  tokens['admin'] = admin;
  tokens['tenant'] = await tenant.token();
  tokens['domain manager'] = await client.passwordToken(
    { id: manager['id'], password: 'boss' },
    { domain: { id: domainId } },
  );
  tokens['system reader'] = await client.passwordToken(
    { id: reader['id'], password: 'auditor' },
    { system: { all: true } },
  );
});
afterAll(() => realm.stop());

const filled = (path: string) => path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'target' ? 'default' : 'x'));

describe('without a token', () => {
  test.each(ROUTES.filter(({ action }) => action !== 'public').map(({ method, path }) => [method, path] as const))(
    '%s %s is refused with 401',
    async (method, path) => {
      const answer = await realm.client.call(method, filled(path), { body: method === 'GET' ? undefined : {} });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe('Keystone uri="http://api.example/identity"');
    },
  );
});

/** What a token without rights may reach: everything else must answer 403, whether the object exists or not. */
const OPEN_TO_ALL = new Set([
  'get_auth_catalog',
  'get_auth_projects',
  'get_auth_domains',
  'get_auth_system',
  'list_regions',
  'get_region',
]);

describe('an ordinary user', () => {
  const closed = ROUTES.filter(({ action }) => action !== 'public' && !OPEN_TO_ALL.has(action));
  test.each(closed.map(({ method, path }) => [method, path] as const))('may not %s %s', async (method, path) => {
    const bodies: Record<string, unknown> = {
      project: { name: 'x' },
      user: { name: 'x' },
      group: { name: 'x' },
      tags: [],
    };
    const answer = await realm.client.call(method, filled(path), {
      token: tokens['tenant'],
      ...(method === 'GET' ? {} : { body: bodies }),
    } as { token: string });
    expect(answer.status).toBe(403);
    expect(answer.body['error']?.['message']).toMatch(
      /^You are not authorized to perform the requested action: identity:/,
    );
  });
});

type Case = readonly [who: string, status: number, method: string, path: () => string, body?: () => unknown];

const CASES: readonly Case[] = [
  ['tenant', 200, 'GET', () => `/users/${tenant.userId}`],
  ['tenant', 403, 'GET', () => `/users/${other.userId}`],
  ['tenant', 200, 'GET', () => `/users/${tenant.userId}/projects`],
  ['tenant', 200, 'GET', () => `/users/${tenant.userId}/groups`],
  ['tenant', 403, 'GET', () => `/users/${other.userId}/projects`],
  ['tenant', 200, 'GET', () => `/projects/${tenant.projectId}`],
  ['tenant', 403, 'GET', () => `/projects/${other.projectId}`],
  ['tenant', 200, 'GET', () => '/domains/default'],
  ['tenant', 403, 'PATCH', () => `/users/${tenant.userId}`, () => ({ user: { enabled: true } })],
  ['tenant', 403, 'GET', () => `/users/${other.userId}/application_credentials`],
  ['admin', 403, 'POST', () => `/users/${other.userId}/application_credentials`, () => ({})],
  ['admin', 200, 'GET', () => `/users/${other.userId}/application_credentials`],
  ['system reader', 200, 'GET', () => '/users'],
  ['system reader', 200, 'GET', () => '/role_assignments'],
  ['system reader', 200, 'GET', () => '/services'],
  ['system reader', 403, 'POST', () => '/users', () => ({ user: { name: 'x' } })],
  ['system reader', 403, 'DELETE', () => `/projects/${other.projectId}`],
  ['domain manager', 200, 'GET', () => '/users'],
  ['domain manager', 200, 'GET', () => `/users/${domainUserId}`],
  ['domain manager', 403, 'GET', () => `/users/${tenant.userId}`],
  ['domain manager', 201, 'POST', () => '/users', () => ({ user: { name: 'hired' } })],
  ['domain manager', 403, 'POST', () => '/users', () => ({ user: { name: 'hired', domain_id: 'default' } })],
  ['domain manager', 201, 'POST', () => '/projects', () => ({ project: { name: 'theirs' } })],
  ['domain manager', 403, 'POST', () => '/projects', () => ({ project: { name: 'x', is_domain: true } })],
  ['domain manager', 403, 'POST', () => '/domains', () => ({ domain: { name: 'x' } })],
];

for (const [who, status, method, path, body] of CASES) {
  test(`${who} gets ${status} for ${method} ${path.toString().slice(6)}`, async () => {
    await realm.client.expect(status, method, path(), tokens[who]!, body?.());
  });
}

test('a domain manager grants member but not admin, and only within the domain', async () => {
  const { client, admin } = realm;
  const token = tokens['domain manager']!;
  const grant = async (target: string, user: string, role: string) =>
    (await client.call('PUT', `${target}/users/${user}/roles/${await client.roleId(admin, role)}`, { token })).status;
  expect(await grant(`/domains/${domainId}`, domainUserId, 'member')).toBe(204);
  expect(await grant(`/domains/${domainId}`, domainUserId, 'admin')).toBe(403);
  expect(await grant(`/projects/${tenant.projectId}`, domainUserId, 'member')).toBe(403);
  expect(await grant(`/domains/${domainId}`, tenant.userId, 'member')).toBe(403);
  expect(await grant('/system', domainUserId, 'member')).toBe(403);
});

test('a domain manager sees only what is in the domain', async () => {
  const { client } = realm;
  const { body } = await client.expect(200, 'GET', '/users', tokens['domain manager']!);
  const users = body['users'] as unknown as readonly { domain_id: string }[];
  expect(users.length).toBeGreaterThan(0);
  expect(users.every((user) => user.domain_id === domainId)).toBe(true);
});
