import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenOf } from './client.ts';
import { ADMIN, ADMIN_SCOPE, makeTenant, openRealm, type Realm } from './realm.ts';
import { openIdentity } from './support.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await openRealm('tokens');
});
afterAll(() => realm.stop());

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

test('a password token for a project has the body that Keystone gives it', async () => {
  const answer = await realm.client.login({ methods: ['password'], password: { user: ADMIN } }, ADMIN_SCOPE);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('Vary')).toBe('X-Auth-Token');
  expect(tokenOf(answer).length).toBeLessThan(4096);
  expect(answer.body['token']).toEqual({
    methods: ['password'],
    user: {
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'admin',
      domain: { id: 'default', name: 'Default' },
      password_expires_at: null,
    },
    audit_ids: [expect.stringMatching(/^[\w-]{22}$/)],
    issued_at: expect.stringMatching(TIME),
    expires_at: expect.stringMatching(TIME),
    project: { id: expect.any(String), name: 'admin', domain: { id: 'default', name: 'Default' } },
    is_domain: false,
    roles: ['admin', 'manager', 'member', 'reader'].map((name) => ({ id: expect.any(String), name })),
    catalog: [
      { type: 'identity', name: 'keystone', id: expect.any(String), endpoints: faces('http://api.example/identity') },
      { type: 'network', name: 'neutron', id: expect.any(String), endpoints: faces('http://api.example') },
    ],
  });
});

const faces = (url: string) =>
  ['admin', 'internal', 'public'].map((name) => ({
    id: expect.any(String),
    interface: name,
    region: 'RegionOne',
    region_id: 'RegionOne',
    url,
  }));

test('the authenticator knows the caller of a token, implied roles included', async () => {
  const headers = new Headers({ 'X-Auth-Token': realm.admin });
  expect(await realm.identity.authenticator.authenticate(headers, { address: '192.0.2.1' })).toEqual({
    user_id: expect.any(String),
    user_name: 'admin',
    user_domain_id: 'default',
    project_id: expect.any(String),
    project_name: 'admin',
    project_domain_id: 'default',
    system_scope: null,
    domain_id: null,
    roles: ['admin', 'manager', 'member', 'reader'],
  });
});

test('a token is valid in another process that never saw it', async () => {
  const other = openIdentity(realm.database.db);
  const who = await other.authenticator.authenticate(new Headers({ 'X-Auth-Token': realm.admin }), { address: '::1' });
  expect(who.user_name).toBe('admin');
});

test.each([
  ['system', { system: { all: true } }, { system: { all: true } }],
  ['unscoped', 'unscoped' as const, {}],
])('a token can be %s', async (_, scope, shown) => {
  const { body } = await realm.client.login({ methods: ['password'], password: { user: ADMIN } }, scope);
  expect(body['token']).toMatchObject(shown);
  expect(body['token']).not.toHaveProperty('project');
});

test('without a scope the default project is taken, or none where there is no role on it', async () => {
  const { client, admin } = realm;
  const tenant = await makeTenant(client, admin);
  const user = { id: tenant.userId, password: tenant.password };
  const login = () => client.login({ methods: ['password'], password: { user } });
  expect((await login()).body['token']).not.toHaveProperty('project');
  await client.expect(200, 'PATCH', `/users/${tenant.userId}`, admin, {
    user: { default_project_id: tenant.projectId },
  });
  expect((await login()).body['token']).toMatchObject({ project: { id: tenant.projectId } });
  await client.expect(200, 'PATCH', `/users/${tenant.userId}`, admin, { user: { default_project_id: 'gone' } });
  expect((await login()).body['token']).not.toHaveProperty('project');
});

test('a token is exchanged for one of another scope: same end, same chain', async () => {
  const { client } = realm;
  const first = await client.login({ methods: ['password'], password: { user: ADMIN } }, 'unscoped');
  const identity = { methods: ['token'], token: { id: tokenOf(first) } };
  const second = await client.login(identity, ADMIN_SCOPE);
  expect(second.body['token']).toMatchObject({
    methods: ['token', 'password'],
    expires_at: first.body['token']!['expires_at'],
    audit_ids: [expect.any(String), first.body['token']!['audit_ids']![0]],
    project: { name: 'admin' },
  });
});

test('an application credential opens its project with its roles, and nothing else', async () => {
  const { client, admin } = realm;
  const tenant = await makeTenant(client, admin, 'manager');
  const token = await tenant.token();
  const path = `/users/${tenant.userId}/application_credentials`;
  const made = await client.expect(201, 'POST', path, token, {
    application_credential: { name: 'deploy', roles: [{ name: 'member' }] },
  });
  const { id, secret } = made.body['application_credential']!;
  expect(secret).toMatch(/^[\w-]{86}$/);
  const shown = await client.expect(200, 'GET', `${path}/${id}`, token);
  expect(shown.body['application_credential']).not.toHaveProperty('secret');

  const identity = { methods: ['application_credential'], application_credential: { id, secret } };
  const answer = await client.login(identity);
  expect(answer.body['token']).toMatchObject({
    project: { id: tenant.projectId },
    roles: [{ name: 'member' }, { name: 'reader' }],
    application_credential: { id, name: 'deploy', restricted: true },
  });
  const byName = { name: 'deploy', user: { id: tenant.userId }, secret };
  expect((await client.login({ methods: ['application_credential'], application_credential: byName })).status).toBe(
    201,
  );

  expect((await client.login(identity, ADMIN_SCOPE)).status).toBe(401);
  const rescope = { methods: ['token'], token: { id: tokenOf(answer) } };
  expect((await client.login(rescope, { project: { id: tenant.projectId } })).status).toBe(403);
  await client.expect(403, 'POST', path, tokenOf(answer), { application_credential: { name: 'another' } });
  await client.expect(403, 'DELETE', `${path}/${id}`, tokenOf(answer));
  await client.expect(409, 'POST', path, token, { application_credential: { name: 'deploy' } });
  await client.expect(400, 'POST', path, token, { application_credential: { name: 'a', roles: [{ name: 'admin' }] } });
  await client.expect(400, 'POST', path, token, {
    application_credential: { name: 'b', expires_at: '2020-01-01T00:00:00' },
  });
  await client.expect(400, 'POST', path, token, {
    application_credential: { name: 'c', access_rules: [{ path: '/v2.0/ports', method: 'GET', service: 'network' }] },
  });
});

test('a token is shown to its owner and to the administrator, to nobody else', async () => {
  const { client, admin } = realm;
  const tenant = await makeTenant(client, admin);
  const other = await (await makeTenant(client, admin)).token();
  const token = await tenant.token();
  const look = async (by: string) => (await client.call('GET', '/auth/tokens', { token: by, subject: token })).status;
  expect(await look(token)).toBe(200);
  expect(await look(admin)).toBe(200);
  expect(await look(other)).toBe(403);
  expect((await client.call('HEAD', '/auth/tokens', { token: admin, subject: token })).status).toBe(200);
  const unknown = await client.call('GET', '/auth/tokens', { token: admin, subject: 'no.such.token' });
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 404, title: 'Not Found' } } });
  const bare = await client.call('GET', '/auth/tokens?nocatalog', { token: admin, subject: token });
  expect(bare.body['token']).not.toHaveProperty('catalog');
});

test('expired tokens are refused, but shown for two days to those who ask for expired ones', async () => {
  let now = Date.now();
  const identity = openIdentity(realm.database.db, { clock: { now: () => now } });
  const headers = new Headers({ 'X-Auth-Token': realm.admin });
  const authenticate = () => identity.authenticator.authenticate(headers, { address: '192.0.2.1' });
  now += 3_500_000;
  await expect(authenticate()).resolves.toMatchObject({ user_name: 'admin' });
  now += 200_000;
  await expect(authenticate()).rejects.toMatchObject({
    status: 401,
    headers: { 'WWW-Authenticate': 'Keystone uri="http://127.0.0.1:9696/identity"' },
  });
});

test('a service token lets a user token that expired lately through', async () => {
  const { client, admin, database } = realm;
  const user = await (await makeTenant(client, admin)).token();
  let now = Date.now() + 3_700_000;
  const later = openIdentity(database.db, { clock: { now: () => now } });
  // Issued now by PostgreSQL's clock, so good for an hour only: the service's must outlive the user's in this test.
  const longer = openIdentity(database.db, { settings: { tokenSeconds: 400_000 } });
  const { clientOf } = await import('./realm.ts');
  const service = await (await makeTenant(clientOf(longer), admin, 'service')).token();
  const headers = new Headers({ 'X-Auth-Token': user, 'X-Service-Token': service });
  const authenticate = () => later.authenticator.authenticate(headers, { address: '192.0.2.1' });
  await expect(authenticate()).resolves.toMatchObject({ project_name: expect.stringContaining('tenant') });
  now += 2 * 86_400_000;
  await expect(authenticate()).rejects.toMatchObject({ status: 401 });
  headers.set('X-Service-Token', user);
  await expect(authenticate()).rejects.toMatchObject({ status: 401 });
});

const BAD: readonly (readonly [what: string, body: unknown, status: number, message: string])[] = [
  ['nothing', {}, 400, 'auth'],
  ['no identity', { auth: {} }, 400, 'identity'],
  ['an unknown method', { auth: { identity: { methods: ['totp'], totp: {} } } }, 401, 'unsupported method'],
  ['a method without its part', { auth: { identity: { methods: ['password'] } } }, 400, 'password'],
  ['a user without a domain', login({ name: 'admin', password: 'x' }), 400, 'domain'],
  ['a user of the wrong type', login({ id: 5, password: 'x' }), 400, 'user'],
  ['a scope of two kinds', login(ADMIN, { project: { id: 'x' }, domain: { id: 'y' } }), 400, 'scope'],
  ['a trust', login(ADMIN, { 'OS-TRUST:trust': { id: 'x' } }), 400, 'OS-TRUST:trust'],
  ['a project that is not there', login(ADMIN, { project: { id: 'x' } }), 401, 'requires authentication'],
  ['a token that is none', { auth: { identity: { methods: ['token'], token: { id: 'x' } } } }, 404, 'token'],
];

function login(user: unknown, scope?: unknown): unknown {
  return {
    auth: { identity: { methods: ['password'], password: { user } }, ...(scope === undefined ? {} : { scope }) },
  };
}

test.each(BAD)('a login with %s is refused in the shape of Keystone', async (_, body, status, message) => {
  const answer = await realm.client.call('POST', '/auth/tokens', { body });
  expect(answer.status).toBe(status);
  expect(answer.body['error']).toEqual({
    code: status,
    title: expect.any(String),
    message: expect.stringContaining(message),
  });
  expect(answer.headers.has('WWW-Authenticate')).toBe(status === 401);
});

test('a wrong password, an unknown user, a disabled user and a disabled domain are refused alike', async () => {
  const { client, admin } = realm;
  const disabled = await makeTenant(client, admin);
  await client.expect(200, 'PATCH', `/users/${disabled.userId}`, admin, { user: { enabled: false } });
  const domain = await client.create(admin, 'domains', 'domain', { name: 'closed' });
  const inside = { domain_id: domain['id'], name: 'inside', password: 'inside' };
  await client.create(admin, 'users', 'user', inside);
  await client.expect(200, 'PATCH', `/domains/${domain['id']}`, admin, { domain: { enabled: false } });
  const users = [
    { ...ADMIN, password: 'wrong' },
    { ...ADMIN, name: 'nobody' },
    { id: disabled.userId, password: disabled.password },
    { name: 'inside', domain: { name: 'closed' }, password: 'inside' },
  ];
  const answers = await Promise.all(users.map((user) => client.login({ methods: ['password'], password: { user } })));
  for (const answer of answers) {
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(answers[0]?.body);
  }
});

test('a refusal never repeats a password', async () => {
  const { body } = await realm.client.call('POST', '/auth/tokens', { body: login({ ...ADMIN, password: 8_675_309 }) });
  expect(body['error']).toMatchObject({ code: 400, message: expect.stringContaining('password must be string') });
  expect(JSON.stringify(body)).not.toContain('8675309');
});

test('a token with the longest names and ten roles fits into 4 KiB', async () => {
  const { client, admin } = realm;
  const domain = await client.create(admin, 'domains', 'domain', { name: 'd'.repeat(64) });
  const domain_id = domain['id'];
  const project = await client.create(admin, 'projects', 'project', { name: 'p'.repeat(64), domain_id });
  const user = await client.create(admin, 'users', 'user', { name: 'u'.repeat(255), password: 'x', domain_id });
  for (let index = 0; index < 10; index++) {
    const role = await client.create(admin, 'roles', 'role', { name: `a_role_with_a_long_name_${index}` });
    await client.expect(204, 'PUT', `/projects/${project['id']}/users/${user['id']}/roles/${role['id']}`, admin);
  }
  const token = await client.passwordToken({ id: user['id'], password: 'x' }, { project: { id: project['id'] } });
  expect(token.length).toBeLessThan(4096);
});
