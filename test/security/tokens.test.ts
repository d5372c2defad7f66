/** What is not a token of ours, or is one no longer, opens nothing: neither the Networking API nor the Identity service. */
import { CompactSign, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, Stack } from '../support/stack.ts';

const PASSWORD = 'the administrator has a password';
const IDENTITY = '/identity/v3';

let stack: Stack;
let admin: string;
/** A member of a project, with a token for it. */
let user: { readonly id: string; readonly project: string; readonly token: string };

async function logIn(name: string, password: string, project: string): Promise<string> {
  const domain = { id: 'default' };
  const answer = await stack.call('POST', `${IDENTITY}/auth/tokens`, {
    as: 'nobody',
    body: {
      auth: {
        identity: { methods: ['password'], password: { user: { name, domain, password } } },
        scope: { project: { name: project, domain } },
      },
    },
  });
  return answer.headers.get('X-Subject-Token') ?? '';
}

const identity = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  stack.call(method, `${IDENTITY}${path}`, { as: { token }, ...(body === undefined ? {} : { body }) });

async function tenant(name: string, role: string): Promise<typeof user> {
  const project = (await identity(admin, 'POST', '/projects', { project: { name } })).body.project.id;
  const id = (await identity(admin, 'POST', '/users', { user: { name, password: 'secret' } })).body.user.id;
  const [{ id: roleId }] = (await identity(admin, 'GET', `/roles?name=${role}`)).body.roles;
  await identity(admin, 'PUT', `/projects/${project}/users/${id}/roles/${roleId}`);
  return { id, project, token: await logIn(name, 'secret', name) };
}

beforeAll(async () => {
  stack = await Stack.start('tokens', {
    DEFAULT: { auth_strategy: 'embedded' },
    identity: { password_hash_cost: 10 },
  });
  await stack.api.identity!.bootstrap(PASSWORD);
  admin = await logIn('admin', PASSWORD, 'admin');
  user = await tenant('alice', 'member');
});
afterAll(() => stack.stop());

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens that somebody might make up from one that is good. */
const FORGED: Readonly<Record<string, (good: string) => string | Promise<string>>> = {
  'with the claims of another': (good) => {
    const [header, , signature] = good.split('.');
    return `${header}.${admin.split('.')[1]}.${signature}`;
  },
  'with an administrator among its roles': (good) => {
    const [header, payload, signature] = good.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    return `${header}.${base64url({ ...claims, r: [...claims.r, ['x', 'admin']] })}.${signature}`;
  },
  'without algorithm': (good) => {
    const header = { ...decodeProtectedHeader(good), alg: 'none' };
    return `${base64url(header)}.${good.split('.')[1]}.`;
  },
  'without algorithm, with a signature': (good) => {
    const header = { ...decodeProtectedHeader(good), alg: 'none' };
    return `${base64url(header)}.${good.split('.')[1]}.${good.split('.')[2]}`;
  },
  'signed with the name of the key': (good) => {
    const header = decodeProtectedHeader(good) as { alg: string; kid: string };
    return new CompactSign(Buffer.from(good.split('.')[1]!, 'base64url'))
      .setProtectedHeader(header)
      .sign(Buffer.from(header.kid.padEnd(32, '0')));
  },
  'signed with an empty-looking key': (good) =>
    new CompactSign(Buffer.from(good.split('.')[1]!, 'base64url'))
      .setProtectedHeader(decodeProtectedHeader(good) as { alg: string })
      .sign(new Uint8Array(32)),
  'signed with another algorithm': async (good) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const header = { ...decodeProtectedHeader(good), alg: 'ES256', jwk: await exportJWK(publicKey) };
    return new CompactSign(Buffer.from(good.split('.')[1]!, 'base64url')).setProtectedHeader(header).sign(privateKey);
  },
  'of a key that nobody has': (good) =>
    `${base64url({ ...decodeProtectedHeader(good), kid: 'f'.repeat(32) })}.${good.split('.').slice(1).join('.')}`,
  'of a key whose name is SQL': (good) =>
    `${base64url({ ...decodeProtectedHeader(good), kid: "' or true --" })}.${good.split('.').slice(1).join('.')}`,
  'of another type': (good) =>
    `${base64url({ ...decodeProtectedHeader(good), typ: 'JWT' })}.${good.split('.').slice(1).join('.')}`,
  'cut short': (good) => good.slice(0, -1),
  'with something behind': (good) => `${good}A`,
  'said twice': (good) => `${good}, ${good}`,
  'without signature': (good) => good.split('.').slice(0, 2).join('.'),
  empty: () => '',
  'that is long': () => 'a'.repeat(15_000),
  'that is a UUID': () => crypto.randomUUID(),
};

describe('a token', () => {
  it('that is good opens its project', async () => {
    expect((await stack.call('GET', '/v2.0/networks', { as: { token: user.token } })).status).toBe(200);
  });

  it.each(Object.entries(FORGED))('%s opens nothing', async (_, forge) => {
    const token = await forge(user.token);
    const networking = await stack.call('GET', '/v2.0/networks', { as: { token } });
    expect(networking.status).toBe(401);
    expect(networking.text).not.toContain(token === '' ? '\0' : token);
    expect((await identity(token, 'GET', '/users')).status).toBe(401);
    const shown = await stack.call('GET', `${IDENTITY}/auth/tokens`, {
      as: { token: admin },
      headers: { 'X-Subject-Token': token },
    });
    expect(shown.status).toBe(404);
  });

  it('in the place of another header opens nothing', async () => {
    for (const name of ['Authorization', 'X-Subject-Token', 'X-Service-Token', 'X-Storage-Token', 'Cookie']) {
      const answer = await stack.call('GET', '/v2.0/networks', {
        as: { token: '' },
        headers: { [name]: name === 'Authorization' ? `Bearer ${user.token}` : user.token },
      });
      expect(answer.status).toBe(401);
    }
  });

  it('is not widened by headers that say who one is', async () => {
    const headers = {
      'X-Roles': 'admin',
      'X-Role': 'admin',
      'X-Project-Id': 'admin',
      'X-Tenant-Id': 'admin',
      'X-User-Id': 'admin',
      'X-Is-Admin-Project': 'True',
      'OpenStack-System-Scope': 'all',
      'X-Identity-Status': 'Confirmed',
      'X-Service-Roles': 'service',
    };
    const made = await stack.call('POST', '/v2.0/networks', {
      as: { token: user.token },
      headers,
      body: { network: { shared: true } },
    });
    expect(made.status).toBe(403);
    const own = await stack.call('POST', '/v2.0/networks', {
      as: { token: user.token },
      headers,
      body: { network: {} },
    });
    expect(own.body.network.project_id).toBe(user.project);
  });

  it('of a user is no service token', async () => {
    const other = await tenant('served', 'member');
    await identity(admin, 'DELETE', '/auth/tokens');
    const answer = await stack.call('GET', '/v2.0/networks', {
      as: { token: 'no token' },
      headers: { 'X-Service-Token': other.token },
    });
    expect(answer.status).toBe(401);
  });

  it('without one, every address of the API tells the same', async () => {
    const paths = stack.resources().map(({ collection }) => `/v2.0/${collection}`);
    for (const path of [...paths, '/v2.0/nothing', '/v2.0/networks/x', '/v2.0/extensions', '/nothing']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const { status, body } = await stack.call(method, path, { as: { token: 'none' } });
        expect([status, body?.NeutronError?.type], `${method} ${path}`).toEqual([401, 'HTTPUnauthorized']);
      }
    }
  });
});

describe('who may not', () => {
  it('scopes no token to a foreign project, whether there is one or not', async () => {
    const other = await tenant('bob', 'member');
    const told = [];
    for (const id of [other.project, crypto.randomUUID().replaceAll('-', ''), 'admin']) {
      const { status, text } = await stack.call('POST', `${IDENTITY}/auth/tokens`, {
        as: 'nobody',
        body: {
          auth: { identity: { methods: ['token'], token: { id: user.token } }, scope: { project: { id } } },
        },
      });
      told.push({ status, text });
    }
    expect(told[0]!.status).toBe(401);
    expect(new Set(told.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('changes nothing of others, and nothing of the own rights', async () => {
    const other = await tenant('carol', 'member');
    const [{ id: adminRole }] = (await identity(admin, 'GET', '/roles?name=admin')).body.roles;
    const before = await stack.dump();
    const attempts: readonly (readonly [string, string, unknown?])[] = [
      ['PATCH', `/users/${user.id}`, { user: { enabled: true, password: 'x' } }],
      ['PATCH', `/users/${other.id}`, { user: { password: 'x' } }],
      ['DELETE', `/users/${other.id}`],
      ['PUT', `/projects/${user.project}/users/${user.id}/roles/${adminRole}`],
      ['PUT', `/system/users/${user.id}/roles/${adminRole}`],
      ['PUT', `/domains/default/users/${user.id}/roles/${adminRole}`],
      ['PATCH', `/projects/${user.project}`, { project: { is_domain: true } }],
      ['PATCH', `/projects/${other.project}`, { project: { enabled: false } }],
      ['PATCH', `/roles/${adminRole}`, { role: { name: 'x' } }],
      ['POST', '/roles', { role: { name: 'x' } }],
      ['POST', '/users', { user: { name: 'x' } }],
      ['POST', '/projects', { project: { name: 'x', parent_id: user.project } }],
      ['POST', `/users/${other.id}/application_credentials`, { application_credential: { name: 'x' } }],
      ['DELETE', `/projects/${user.project}`],
    ];
    for (const [method, path, body] of attempts) {
      expect((await identity(user.token, method, path, body)).status, `${method} ${path}`).toBe(403);
    }
    expect(await stack.dump()).toBe(before);
  });

  it('learns from an answer about a user, project or group neither that there is one nor that there is none', async () => {
    const other = await tenant('dave', 'member');
    const absent = crypto.randomUUID().replaceAll('-', '');
    for (const [foreign, path] of [
      [other.id, (id: string) => `/users/${id}`],
      [other.id, (id: string) => `/users/${id}/projects`],
      [other.id, (id: string) => `/users/${id}/application_credentials`],
      [other.project, (id: string) => `/projects/${id}`],
      [other.project, (id: string) => `/projects/${id}/tags`],
      [other.id, (id: string) => `/projects/${user.project}/users/${id}/roles`],
    ] as const) {
      const answers = [];
      for (const id of [foreign, absent]) {
        const { status, text } = await identity(user.token, 'GET', path(id));
        answers.push({ status, text: text.replaceAll(id, '<id>') });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]!.status).toBe(403);
    }
  });
});

describe('an application credential', () => {
  it('that is restricted makes and removes none, and gets no other token', async () => {
    const owner = await tenant('erin', 'member');
    const path = `/users/${owner.id}/application_credentials`;
    const body = (name: string, more = {}) => ({ application_credential: { name, ...more } });
    const made = (await identity(owner.token, 'POST', path, body('one'))).body.application_credential;
    const opened = await stack.call('POST', `${IDENTITY}/auth/tokens`, {
      as: 'nobody',
      body: {
        auth: {
          identity: {
            methods: ['application_credential'],
            application_credential: { id: made.id, secret: made.secret },
          },
        },
      },
    });
    const token = opened.headers.get('X-Subject-Token') ?? '';
    expect(opened.status).toBe(201);
    const before = await stack.dump();
    expect((await identity(token, 'POST', path, body('two', { unrestricted: true }))).status).toBe(403);
    expect((await identity(token, 'DELETE', `${path}/${made.id}`)).status).toBe(403);
    const again = await stack.call('POST', `${IDENTITY}/auth/tokens`, {
      as: 'nobody',
      body: { auth: { identity: { methods: ['token'], token: { id: token } } } },
    });
    expect(again.status).toBe(403);
    expect(await stack.dump()).toBe(before);
    // The secret is shown once, and kept nowhere.
    expect((await identity(owner.token, 'GET', `${path}/${made.id}`)).text).not.toContain(made.secret);
    expect(before).not.toContain(made.secret);
  });

  it('carries no role that its maker has not', async () => {
    const owner = await tenant('frank', 'reader');
    const path = `/users/${owner.id}/application_credentials`;
    for (const name of ['admin', 'member', 'manager', 'service']) {
      const body = { application_credential: { name, roles: [{ name }] } };
      expect((await identity(owner.token, 'POST', path, body)).status).toBe(400);
    }
  });
});

it('the Host header of a caller does not break out of the challenge', async () => {
  const { headers } = await stack.call('GET', '/v2.0/networks', {
    as: { token: 'none' },
    headers: { Host: 'a", error="x' },
  });
  expect(headers.get('WWW-Authenticate')).toMatch(/^Keystone uri="http:\/\/[\w.:[\]-]+\/identity"$/);
});
