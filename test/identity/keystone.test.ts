/**
 * `createKeystone` against services that speak Identity v3: the embedded identity of a second instance, and, where
 * NUCLEON_TEST_KEYSTONE_URL (with NUCLEON_TEST_KEYSTONE_PASSWORD of its admin) says so, a real Keystone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeystone, type KeystoneSettings } from '#src/identity/mod.ts';
import type { Authenticator } from '#src/lib/auth.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { migratedDatabase } from '../support/database.ts';
import { IdentityClient } from './client.ts';
import { makeTenant, type Tenant } from './realm.ts';
import { ADMIN_PASSWORD, openIdentity, type Served, serve } from './support.ts';

interface Keystone {
  /** The URL that ends in `/v3`. */
  readonly url: string;
  readonly password: string;
  stop(): Promise<void>;
}

async function embeddedKeystone(): Promise<Keystone> {
  const database = await migratedDatabase('keystone');
  const identity = openIdentity(database.db);
  await identity.bootstrap(ADMIN_PASSWORD);
  const served = await serve((request) => identity.handle(request, { address: '127.0.0.1' }));
  return {
    url: `${served.origin}/identity/v3`,
    password: ADMIN_PASSWORD,
    async stop() {
      await served.stop();
      await database.drop();
    },
  };
}

const realUrl = process.env['NUCLEON_TEST_KEYSTONE_URL'];
const REALMS: readonly (readonly [name: string, open: () => Promise<Keystone>])[] = [
  ['the embedded identity', embeddedKeystone],
  ...(realUrl === undefined
    ? []
    : [
        [
          'a real Keystone',
          async () => ({
            url: realUrl,
            password: process.env['NUCLEON_TEST_KEYSTONE_PASSWORD'] ?? '',
            stop: async () => {},
          }),
        ] as const,
      ]),
];

describe.each(REALMS)('validating against %s', (_, open) => {
  let keystone: Keystone;
  /** What stands between us and Keystone: counts, and fails when it is told to. */
  let between: Served & { requests: string[]; fail: ((path: string) => Response | undefined) | undefined };
  let client: IdentityClient;
  let admin: string;
  let tenant: Tenant;
  let service: Tenant;
  const run = crypto.randomUUID().slice(0, 8);

  beforeAll(async () => {
    keystone = await open();
    const state = { requests: [] as string[], fail: undefined as ((path: string) => Response | undefined) | undefined };
    const served = await serve(async (request) => {
      const url = new URL(request.url);
      const call = `${request.method} ${url.pathname}${url.search}`;
      state.requests.push(call);
      const failure = state.fail?.(call);
      if (failure !== undefined) return failure;
      const body = request.method === 'GET' ? null : await request.text();
      const headers = new Headers(request.headers);
      for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name);
      const answer = await fetch(`${keystone.url}${url.pathname.slice('/v3'.length)}${url.search}`, {
        method: request.method,
        headers,
        body,
      });
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers: passedOn(answer.headers) });
    });
    between = Object.assign(state, served);
    client = new IdentityClient({ base: keystone.url });
    admin = await client.passwordToken(
      { name: 'admin', domain: { id: 'default' }, password: keystone.password },
      { project: { name: 'admin', domain: { id: 'default' } } },
    );
    tenant = await uniqueTenant('member');
    service = await uniqueTenant('admin');
  });
  afterAll(async () => {
    await between.stop();
    await keystone.stop();
  });

  /** A real Keystone outlives a test run: names must be new each time. */
  const uniqueTenant = async (role: string): Promise<Tenant> => {
    const renaming = new Proxy(client, {
      get: (target, name) =>
        name === 'create'
          ? (token: string, collection: string, member: string, body: { name: string }) =>
              target.create(token, collection, member, { ...body, name: `${body.name}-${role}-${run}` })
          : Reflect.get(target, name).bind(target),
    });
    return makeTenant(renaming, admin, role);
  };

  const settings = (changes: Partial<KeystoneSettings> = {}): KeystoneSettings => ({
    authUrl: between.origin,
    wwwAuthenticateUri: 'http://keystone.example',
    credentials: {
      kind: 'password',
      user: { id: service.userId, name: null, domainId: null, domainName: null },
      password: service.password,
      project: { id: service.projectId, name: null, domainId: null, domainName: null },
      systemScope: false,
    },
    cacheSeconds: 300,
    serviceTokenRoles: ['service'],
    serviceTokenRolesRequired: false,
    timeoutSeconds: 5,
    retries: 2,
    ...changes,
  });

  let now = Date.now();
  const authenticator = (changes: Partial<KeystoneSettings> = {}): Authenticator => {
    now = Date.now();
    between.requests.length = 0;
    between.fail = undefined;
    return createKeystone({
      settings: settings(changes),
      fetch,
      clock: { now: () => now },
      log: silentLogger,
      metrics: silentMetrics,
    });
  };
  const ask = (who: Authenticator, token: string, serviceToken?: string) => {
    const headers = new Headers({ 'X-Auth-Token': token });
    if (serviceToken !== undefined) headers.set('X-Service-Token', serviceToken);
    return who.authenticate(headers, { address: '127.0.0.1' });
  };
  const validations = () => between.requests.filter((call) => call.startsWith('GET'));

  test('a valid token gives the caller, with implied roles', async () => {
    expect(await ask(authenticator(), await tenant.token())).toEqual({
      user_id: tenant.userId,
      user_name: expect.any(String),
      user_domain_id: 'default',
      project_id: tenant.projectId,
      project_name: expect.any(String),
      project_domain_id: 'default',
      system_scope: null,
      domain_id: null,
      roles: expect.arrayContaining(['member', 'reader']),
    });
  });

  test('a system token gives the system scope', async () => {
    const token = await client.passwordToken(
      { name: 'admin', domain: { id: 'default' }, password: keystone.password },
      { system: { all: true } },
    );
    expect(await ask(authenticator(), token)).toMatchObject({ system_scope: 'all', project_id: null });
  });

  test('no token, and a token that Keystone does not know, give 401 with the place to get one', async () => {
    const who = authenticator();
    const refused = { status: 401, headers: { 'WWW-Authenticate': 'Keystone uri="http://keystone.example"' } };
    await expect(who.authenticate(new Headers(), { address: '::1' })).rejects.toMatchObject(refused);
    await expect(ask(who, 'unknown')).rejects.toMatchObject(refused);
    await expect(ask(who, 'unknown')).rejects.toMatchObject(refused);
    expect(validations()).toHaveLength(1);
  });

  test('many requests with one token make one validation, and one login', async () => {
    const who = authenticator();
    const token = await tenant.token();
    between.requests.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => ask(who, token)));
    await ask(who, token);
    expect(between.requests).toEqual(['POST /v3/auth/tokens', 'GET /v3/auth/tokens?nocatalog']);
  });

  test('a revoked token is believed until the cache time has passed, then refused', async () => {
    const who = authenticator();
    const token = await tenant.token();
    await ask(who, token);
    await client.call('DELETE', '/auth/tokens', { token, subject: token });
    now += 299_000;
    await ask(who, token);
    now += 2_000;
    await expect(ask(who, token)).rejects.toMatchObject({ status: 401 });
  });

  test('nothing is believed without asking when the cache is off', async () => {
    const who = authenticator({ cacheSeconds: 0 });
    const token = await tenant.token();
    await ask(who, token);
    await ask(who, token);
    expect(validations()).toHaveLength(2);
  });

  test('a Keystone that fails once is asked again; one that fails for long gives 503', async () => {
    const who = authenticator();
    const token = await tenant.token();
    let failures = 2;
    between.fail = () => (failures-- > 0 ? new Response('overloaded', { status: 503 }) : undefined);
    await expect(ask(who, token)).resolves.toMatchObject({ user_id: tenant.userId });
    between.fail = () => new Response('broken', { status: 500 });
    await expect(ask(who, await tenant.token())).rejects.toMatchObject({ status: 503 });
    await expect(ask(who, token)).resolves.toMatchObject({ user_id: tenant.userId });
  });

  test('a Keystone that cannot be reached, or is no Keystone, gives 503', async () => {
    const token = await tenant.token();
    await expect(ask(authenticator({ authUrl: 'http://127.0.0.1:1' }), token)).rejects.toMatchObject({ status: 503 });
    const who = authenticator();
    between.fail = () => new Response('<html>', { status: 200, headers: { 'Content-Type': 'text/html' } });
    await expect(ask(who, token)).rejects.toMatchObject({ status: 503 });
  });

  test('wrong credentials of our own are our trouble: 503, not 401', async () => {
    const credentials = { ...settings().credentials, password: 'wrong' } as KeystoneSettings['credentials'];
    await expect(ask(authenticator({ credentials }), await tenant.token())).rejects.toMatchObject({ status: 503 });
  });

  test('our own token is renewed when Keystone refuses it and before it expires', async () => {
    const who = authenticator();
    await ask(who, await tenant.token());
    let refusals = 1;
    between.fail = (call) =>
      call.startsWith('GET') && refusals-- > 0 ? new Response('{}', { status: 401 }) : undefined;
    await ask(who, await tenant.token());
    between.fail = undefined;
    const logins = () => between.requests.filter((call) => call.startsWith('POST')).length;
    expect(logins()).toBe(2);
    now += 3_590_000;
    await ask(who, await tenant.token());
    expect(logins()).toBe(3);
  });

  test('an application credential serves as our own login', async () => {
    const token = await service.token();
    const made = await client.expect(201, 'POST', `/users/${service.userId}/application_credentials`, token, {
      application_credential: { name: `neutron-${run}` },
    });
    const { id, secret } = made.body['application_credential']!;
    const who = authenticator({
      credentials: { kind: 'application_credential', id: id!, secret: secret! },
    });
    await expect(ask(who, await tenant.token())).resolves.toMatchObject({ user_id: tenant.userId });
  });

  test('a service token asks for expired tokens too, if its role allows; an invalid one is refused', async () => {
    const asked = () => validations().some((call) => call.includes('allow_expired=1'));
    const who = authenticator();
    const token = await tenant.token();
    const serviceToken = await service.token();
    await ask(who, token, serviceToken);
    expect(asked()).toBe(true);
    await expect(ask(who, token, 'unknown')).rejects.toMatchObject({ status: 401 });
    const strict = authenticator({ serviceTokenRolesRequired: true });
    await ask(strict, token, serviceToken);
    expect(asked()).toBe(false);
    const byAdmins = authenticator({ serviceTokenRolesRequired: true, serviceTokenRoles: ['admin'] });
    await ask(byAdmins, token, serviceToken);
    expect(asked()).toBe(true);
  });
});

function passedOn(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'transfer-encoding', 'content-encoding', 'connection']) kept.delete(name);
  return kept;
}
