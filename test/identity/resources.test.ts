import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant, openRealm, type Realm } from './realm.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await openRealm('identity_resources');
});
afterAll(() => realm.stop());

const api = (status: number, method: string, path: string, body?: unknown) =>
  realm.client.expect(status, method, path, realm.admin, body);
const create = (collection: string, member: string, body: Record<string, unknown>) =>
  realm.client.create(realm.admin, collection, member, body);
const names = async (path: string, collection: string) =>
  ((await api(200, 'GET', path)).body[collection] as unknown as readonly { name: string }[]).map(({ name }) => name);

test('discovery names version 3 at both places, with or without a slash', async () => {
  const self = [{ rel: 'self', href: 'http://api.example/identity/v3/' }];
  const one = await realm.client.call('GET', '');
  expect(one).toMatchObject({ status: 200, body: { version: { id: 'v3.14', status: 'stable', links: self } } });
  expect((await realm.client.call('GET', '/')).status).toBe(200);
  const all = await realm.identity.handle(new Request('http://api.example/identity'), { address: '::1' });
  expect(all.status).toBe(300);
  expect(await all.json()).toMatchObject({ versions: { values: [{ id: 'v3.14', links: self }] } });
});

test.each([
  ['GET', '/limits', 404],
  ['GET', '/policies', 404],
  ['GET', '/nothing/here', 404],
  ['DELETE', '/users', 405],
  ['PUT', '/auth/tokens', 405],
])('%s %s answers %i as Keystone words it', async (method, path, status) => {
  const { body, headers } = await realm.client.call(method, path, { token: realm.admin });
  expect(body).toEqual({
    error: { code: status, title: expect.any(String), message: expect.any(String) },
  });
  expect(headers.has('Allow')).toBe(status === 405);
});

test('a user is created, shown, listed, changed and deleted, with attributes of any name', async () => {
  const user = await create('users', 'user', { name: 'ada', password: 'p', email: 'a@example.org', foo: { a: 1 } });
  const path = `/users/${user['id']}`;
  const view = {
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    name: 'ada',
    domain_id: 'default',
    enabled: true,
    email: 'a@example.org',
    foo: { a: 1 },
    options: {},
    password_expires_at: null,
    links: { self: `http://api.example/identity/v3${path}` },
  };
  expect(user).toEqual(view);
  expect((await api(200, 'GET', path)).body['user']).toEqual(view);
  expect((await api(200, 'GET', '/users?name=ada')).body).toEqual({
    users: [view],
    links: { next: null, previous: null, self: 'http://api.example/identity/v3/users?name=ada' },
  });
  const changed = await api(200, 'PATCH', path, { user: { name: 'ada2', email: 'b@example.org', enabled: false } });
  expect(changed.body['user']).toEqual({ ...view, name: 'ada2', email: 'b@example.org', enabled: false });
  await api(400, 'PATCH', path, { user: { domain_id: 'another' } });
  await api(204, 'DELETE', path);
  await api(404, 'GET', path);
  await api(404, 'DELETE', path);
});

test('lists are filtered by name, patterns of names, enabled, domain and parent', async () => {
  const parent = await create('projects', 'project', { name: 'red' });
  await create('projects', 'project', { name: 'redder', parent_id: parent['id'], enabled: false });
  await create('projects', 'project', { name: '50% of_red' });
  expect(await names('/projects?name=red', 'projects')).toEqual(['red']);
  expect((await names('/projects?name__contains=red', 'projects')).sort()).toEqual(['50% of_red', 'red', 'redder']);
  expect((await names('/projects?name__istartswith=RED', 'projects')).sort()).toEqual(['red', 'redder']);
  expect(await names('/projects?name__contains=%25', 'projects')).toEqual(['50% of_red']);
  expect(await names(`/projects?parent_id=${parent['id']}`, 'projects')).toEqual(['redder']);
  expect(await names('/projects?enabled=false', 'projects')).toEqual(['redder']);
  expect(await names('/projects?domain_id=elsewhere', 'projects')).toEqual([]);
  expect(await names('/projects?unknown=x&name=red', 'projects')).toEqual(['red']);
});

test('names are unique within a domain, also when they are taken at the same moment', async () => {
  const body = { user: { name: 'twin' } };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => realm.client.call('POST', '/users', { token: realm.admin, body })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  const conflict = answers.find(({ status }) => status === 409);
  expect(conflict?.body['error']).toEqual({
    code: 409,
    title: 'Conflict',
    message: 'Conflict occurred attempting to store user - Duplicate entry found with name twin at domain ID default.',
  });
  const domain = await create('domains', 'domain', { name: 'twins' });
  await create('users', 'user', { name: 'twin', domain_id: domain['id'] });
  await api(409, 'POST', '/domains', { domain: { name: 'twins' } });
});

test.each([
  ['an empty name', '/users', { user: { name: '' } }, 400],
  ['no name', '/users', { user: {} }, 400],
  ['a name that is a number', '/users', { user: { name: 5 } }, 400],
  ['no user at all', '/users', { project: {} }, 400],
  ['a text for a boolean', '/users', { user: { name: 'x', enabled: 'yes' } }, 400],
  ['a domain that is not there', '/users', { user: { name: 'x', domain_id: 'nowhere' } }, 404],
  ['a parent that is not there', '/projects', { project: { name: 'x', parent_id: 'nowhere' } }, 400],
  ['a name that is too long', '/projects', { project: { name: 'x'.repeat(65) } }, 400],
  [
    'a service that is not there',
    '/endpoints',
    { endpoint: { service_id: 'x', interface: 'public', url: 'http://x' } },
    400,
  ],
  [
    'an interface of another kind',
    '/endpoints',
    { endpoint: { service_id: 'x', interface: 'back', url: 'http://x' } },
    400,
  ],
])('%s is refused', async (_, path, body, status) => {
  await api(status, 'POST', path, body);
});

test('a body that is no JSON, or too long, is refused', async () => {
  const send = (body: string) =>
    realm.identity.handle(new Request('http://api.example/identity/v3/auth/tokens', { method: 'POST', body }), {
      address: '::1',
    });
  expect((await send('{')).status).toBe(400);
  expect((await send(`"${'x'.repeat(200_000)}"`)).status).toBe(413);
});

test('projects form a tree: shown both ways, deleted from the leaves, within one domain', async () => {
  const top = await create('projects', 'project', { name: 'top' });
  const middle = await create('projects', 'project', { name: 'middle', parent_id: top['id'] });
  const leaf = await create('projects', 'project', { name: 'leaf', parent_id: middle['id'] });
  const [topId, middleId, leafId] = [top['id']!, middle['id']!, leaf['id']!];
  const up = await api(200, 'GET', `/projects/${leafId}?parents_as_ids`);
  expect(up.body['project']?.['parents']).toEqual({ [middleId]: { [topId]: { default: null } } });
  const down = await api(200, 'GET', `/projects/${topId}?subtree_as_ids`);
  expect(down.body['project']?.['subtree']).toEqual({ [middleId]: { [leafId]: null } });
  const list = await api(200, 'GET', `/projects/${leafId}?parents_as_list`);
  expect(list.body['project']?.['parents']).toMatchObject([{ project: { id: middleId } }, { project: { id: topId } }]);
  await api(403, 'DELETE', `/projects/${middleId}`);
  await api(403, 'PATCH', `/projects/${leafId}`, { project: { parent_id: topId } });
  await api(204, 'DELETE', `/projects/${leafId}`);
  await api(204, 'DELETE', `/projects/${middleId}`);
});

test('projects are tagged and found by tags', async () => {
  const project = await create('projects', 'project', { name: 'tagged', tags: ['a'] });
  const path = `/projects/${project['id']}/tags`;
  await api(201, 'PUT', `${path}/b`);
  expect((await api(200, 'GET', path)).body['tags']).toEqual(['a', 'b']);
  expect(await names('/projects?tags=a,b', 'projects')).toEqual(['tagged']);
  expect(await names('/projects?tags-any=b,z', 'projects')).toEqual(['tagged']);
  expect(await names('/projects?not-tags-any=a&name=tagged', 'projects')).toEqual([]);
  await api(204, 'GET', `${path}/b`);
  await api(204, 'DELETE', `${path}/b`);
  await api(404, 'GET', `${path}/b`);
  await api(400, 'PUT', path, { tags: ['no/slash'] });
  await api(204, 'DELETE', path);
  expect((await api(200, 'GET', path)).body['tags']).toEqual([]);
});

test('a domain goes only when it is disabled, and takes what is in it along', async () => {
  const domain = await create('domains', 'domain', { name: 'whole' });
  const domain_id = domain['id']!;
  const parent = await create('projects', 'project', { name: 'parent', domain_id });
  const child = await create('projects', 'project', { name: 'child', parent_id: parent['id'] });
  const user = await create('users', 'user', { name: 'inside', domain_id });
  await create('groups', 'group', { name: 'inside', domain_id });
  await api(403, 'DELETE', `/domains/${domain_id}`);
  await api(200, 'PATCH', `/domains/${domain_id}`, { domain: { enabled: false } });
  await api(204, 'DELETE', `/domains/${domain_id}`);
  for (const path of [`/domains/${domain_id}`, `/projects/${child['id']}`, `/users/${user['id']}`])
    await api(404, 'GET', path);
});

test('the roles of a deployment are immutable until that is taken off', async () => {
  const id = await realm.client.roleId(realm.admin, 'service');
  await api(403, 'PATCH', `/roles/${id}`, { role: { name: 'x' } });
  await api(403, 'DELETE', `/roles/${id}`);
  await api(200, 'PATCH', `/roles/${id}`, { role: { options: { immutable: false } } });
  await api(200, 'PATCH', `/roles/${id}`, { role: { description: 'for services' } });
});

test('roles imply roles, never themselves', async () => {
  const [a, b] = [await create('roles', 'role', { name: 'a' }), await create('roles', 'role', { name: 'b' })];
  const path = `/roles/${a['id']}/implies`;
  await api(201, 'PUT', `${path}/${b['id']}`);
  await api(200, 'GET', `${path}/${b['id']}`);
  expect((await api(200, 'GET', path)).body['role_inference']).toMatchObject({ implies: [{ name: 'b' }] });
  await api(403, 'PUT', `/roles/${b['id']}/implies/${a['id']}`);
  const rules = (await api(200, 'GET', '/role_inferences')).body['role_inferences'];
  expect(rules).toContainEqual(expect.objectContaining({ prior_role: expect.objectContaining({ name: 'a' }) }));
  await api(204, 'DELETE', `${path}/${b['id']}`);
  await api(404, 'GET', `${path}/${b['id']}`);
});

test('grants are given, checked, listed and taken on projects, domains and the system, to users and groups', async () => {
  const { userId, projectId } = await makeTenant(realm.client, realm.admin);
  const group = await create('groups', 'group', { name: 'granted' });
  const role = await realm.client.roleId(realm.admin, 'manager');
  const bases = [`/projects/${projectId}`, '/domains/default', '/system'].flatMap((target) => [
    [`${target}/users/${userId}/roles`, ''] as const,
    [`${target}/groups/${group['id']}/roles`, ''] as const,
    ...(target === '/system'
      ? []
      : [[`/OS-INHERIT${target}/users/${userId}/roles`, '/inherited_to_projects'] as const]),
  ]);
  for (const [base, suffix] of bases) {
    const path = `${base}/${role}${suffix}`;
    await api(404, 'HEAD', path).catch((error: Error) => expect(error.message).toContain('404'));
    await api(204, 'PUT', path);
    await api(204, 'PUT', path);
    await api(204, 'GET', path);
    expect(await names(`${base}${suffix}`, 'roles')).toContain('manager');
    await api(204, 'DELETE', path);
    await api(404, 'DELETE', path);
  }
  await api(404, 'PUT', `/projects/nowhere/users/${userId}/roles/${role}`);
  await api(404, 'PUT', `/projects/${projectId}/users/nobody/roles/${role}`);
  await api(404, 'PUT', `/projects/${projectId}/users/${userId}/roles/none`);
});

test('assignments come out through groups, inheritance and implications when asked for as effective', async () => {
  const user = await create('users', 'user', { name: 'effective', password: 'p' });
  const group = await create('groups', 'group', { name: 'effective' });
  const parent = await create('projects', 'project', { name: 'above' });
  const child = await create('projects', 'project', { name: 'under', parent_id: parent['id'] });
  const member = await realm.client.roleId(realm.admin, 'member');
  await api(204, 'PUT', `/groups/${group['id']}/users/${user['id']}`);
  await api(
    204,
    'PUT',
    `/OS-INHERIT/projects/${parent['id']}/groups/${group['id']}/roles/${member}/inherited_to_projects`,
  );

  const granted = await api(200, 'GET', `/role_assignments?group.id=${group['id']}&include_names`);
  expect(granted.body['role_assignments']).toEqual([
    {
      group: { id: group['id'], name: 'effective', domain: { id: 'default', name: 'Default' } },
      role: { id: member, name: 'member' },
      scope: {
        project: { id: parent['id'], name: 'above', domain: { id: 'default', name: 'Default' } },
        'OS-INHERIT:inherited_to': 'projects',
      },
      links: { assignment: expect.stringContaining('/OS-INHERIT/projects/') },
    },
  ]);
  const effective = await api(200, 'GET', `/role_assignments?user.id=${user['id']}&effective&include_names`);
  expect(effective.body['role_assignments']).toMatchObject([
    { user: { name: 'effective' }, role: { name: 'member' }, scope: { project: { id: child['id'] } } },
    { user: { name: 'effective' }, role: { name: 'reader' }, scope: { project: { id: child['id'] } } },
  ]);
  expect(await names(`/users/${user['id']}/projects`, 'projects')).toEqual(['under']);
  const token = await realm.client.passwordToken({ id: user['id'], password: 'p' }, { project: { id: child['id'] } });
  const shown = await realm.client.call('GET', '/auth/tokens', { token, subject: token });
  expect(shown.body['token']?.['roles']).toMatchObject([{ name: 'member' }, { name: 'reader' }]);
  const denied = { id: user['id'], password: 'p' };
  const above = { project: { id: parent['id'] } };
  expect((await realm.client.login({ methods: ['password'], password: { user: denied } }, above)).status).toBe(401);
  const tree = await api(200, 'GET', `/role_assignments?scope.project.id=${parent['id']}&include_subtree&effective`);
  expect(tree.body['role_assignments']).toHaveLength(2);
  await api(400, 'GET', `/role_assignments?effective&group.id=${group['id']}`);
});

test('the catalogue is extended, filled in for each token, and never shows what cannot be filled in', async () => {
  await create('regions', 'region', { id: 'RegionTwo' });
  const service = await create('services', 'service', { type: 'compute', name: 'nova' });
  const url = 'http://compute/%(tenant_id)s';
  const body = { service_id: service['id'], interface: 'public', url, region: 'RegionThree' };
  const endpoint = await create('endpoints', 'endpoint', body);
  expect(endpoint).toMatchObject({ region: 'RegionThree', region_id: 'RegionThree', url });
  const catalogue = async (token: string) => {
    const answer = await realm.client.call('GET', '/auth/catalog', { token });
    const entries = answer.body['catalog'] as unknown as readonly { type: string; endpoints: { url: string }[] }[];
    return entries.find(({ type }) => type === 'compute')?.endpoints.map((entry) => entry.url);
  };
  const tenant = await makeTenant(realm.client, realm.admin);
  expect(await catalogue(await tenant.token())).toEqual([`http://compute/${tenant.projectId}`]);
  const own = await api(200, 'GET', '/endpoints?interface=admin');
  expect(own.body['endpoints']).toContainEqual(expect.objectContaining({ url: 'http://api.example' }));
  await api(403, 'DELETE', '/regions/RegionThree');
  await api(204, 'DELETE', `/services/${service['id']}`);
  await api(404, 'GET', `/endpoints/${endpoint['id']}`);
  await api(204, 'DELETE', '/regions/RegionThree');
});
