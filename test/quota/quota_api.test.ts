import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, createApp } from '#src/api/mod.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { defaultAttributeSettings } from '#src/lib/api/settings.ts';
import type { Authenticator } from '#src/lib/auth.ts';
import { systemClock } from '#src/lib/clock.ts';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import { createPolicy } from '#src/policy/mod.ts';
import { createQuota, quotaApi } from '#src/quota/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

const MINE = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);
const DEFAULTS = { network: 100, trunk: -1 };

/** Believes the test's own headers. */
const authenticator: Authenticator = {
  authenticate: async (headers) => ({
    ...adminContext(),
    project_id: headers.get('x-project') === 'none' ? null : MINE,
    roles: (headers.get('x-roles') ?? 'admin').split(','),
  }),
};

let test: TestDatabase;
let api: Api;

beforeAll(async () => {
  test = await migratedDatabase('quota_api');
  await test.sql`CREATE TABLE nets (project_id varchar(255) NOT NULL)`;
  await test.sql`CREATE TABLE trunks (project_id varchar(255) NOT NULL)`;
  const resources = [
    { name: 'network', default_limit: 100, table: 'nets' },
    { name: 'trunk', default_limit: -1, table: 'trunks' },
  ];
  const config = configFrom(allOptions);
  const quota = createQuota({ resources, config, db: test.db, log: silentLogger });
  const plugin: Plugin = { type: 'QUOTAS', ...quotaApi(quota) };
  api = createApp({
    plugins: [plugin],
    policy: createPolicy({ defaults: plugin.policies ?? [], log: silentLogger }),
    quota,
    authenticator,
    config,
    log: silentLogger,
    metrics: silentMetrics,
    clock: systemClock,
    settings: defaultAttributeSettings,
  });
});
afterAll(() => test.drop());
beforeEach(() => test.sql`TRUNCATE nets, trunks, quotas, quota_usages`);

async function ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await api.fetch(
    new Request(`http://localhost/v2.0/quotas${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
const set = (limits: object, project = MINE) => ask('PUT', `/${project}`, { quota: limits });
const member = { 'x-roles': 'member,reader' };

describe('the quotas API', () => {
  it('shows limits and defaults', async () => {
    expect(await ask('GET', `/${MINE}`)).toEqual({ status: 200, body: { quota: DEFAULTS } });
    expect(await ask('GET', `/${MINE}/default`)).toEqual({ status: 200, body: { quota: DEFAULTS } });
  });
  it('sets some, lists the projects that have some, and takes them away', async () => {
    expect(await set({ network: '50' })).toEqual({ status: 200, body: { quota: { ...DEFAULTS, network: 50 } } });
    const listed = { ...DEFAULTS, network: 50, project_id: MINE, tenant_id: MINE };
    expect(await ask('GET', '')).toEqual({ status: 200, body: { quotas: [listed] } });
    expect(await ask('DELETE', `/${MINE}`)).toEqual({ status: 204, body: null });
    expect(await ask('DELETE', `/${MINE}`)).toMatchObject({
      status: 404,
      body: { NeutronError: { type: 'TenantQuotaNotFound' } },
    });
    expect(await ask('GET', '')).toEqual({ status: 200, body: { quotas: [] } });
  });
  it.each(['details', 'details.json'])('shows usage beside the limits (%s)', async (action) => {
    await test.sql`INSERT INTO nets VALUES (${MINE}), (${MINE}), ('x')`;
    expect(await ask('GET', `/${MINE}/${action}`)).toEqual({
      status: 200,
      body: { quota: { network: { limit: 100, used: 2, reserved: 0 }, trunk: { limit: -1, used: 0, reserved: 0 } } },
    });
  });
  it.each([
    [{ network: -2 }, 'HTTPBadRequest', 'Invalid input for network.'],
    [{ foo: 1 }, 'HTTPBadRequest', "Unrecognized attribute(s) 'foo'"],
    [{ network: 'a' }, 'InvalidInput', "Invalid input for operation: 'a' is not an integer."],
    [{ project_id: MINE }, 'HTTPBadRequest', 'Cannot update read-only attribute'],
  ])('refuses %j', async (limits, type, message) => {
    const error = { type, message: expect.stringContaining(message) };
    expect(await set(limits)).toMatchObject({ status: 400, body: { NeutronError: error } });
  });
  it('refuses a limit below the usage unless forced', async () => {
    await test.sql`INSERT INTO nets VALUES (${MINE}), (${MINE})`;
    expect(await set({ network: 1, check_limit: true })).toMatchObject({
      status: 400,
      body: { NeutronError: { message: 'Quota limit 1 for network must be greater than or equal to already used 2' } },
    });
    expect(await set({ network: -1 })).toMatchObject({ status: 200 });
    expect(await set({ network: 2 })).toMatchObject({ status: 200 });
    expect(await set({ network: 1, force: true })).toEqual({
      status: 200,
      body: { quota: { ...DEFAULTS, network: 1 } },
    });
  });
  it('tells callers their project', async () => {
    expect(await ask('GET', '/tenant', undefined, member)).toEqual({
      status: 200,
      body: { tenant: { tenant_id: MINE } },
    });
    expect(await ask('GET', '/project', undefined, member)).toEqual({
      status: 200,
      body: { project: { project_id: MINE } },
    });
    expect(await ask('GET', '/project', undefined, { 'x-project': 'none' })).toMatchObject({
      status: 400,
      body: { NeutronError: { type: 'QuotaMissingTenant' } },
    });
  });
});

describe('a member', () => {
  it.each(['', '/default', '/details'])('reads its own limits (%s)', async (action) =>
    expect(await ask('GET', `/${MINE}${action}`, undefined, member)).toMatchObject({ status: 200 }),
  );
  it.each([
    ['GET', '', undefined],
    ['GET', `/${OTHER}`, undefined],
    ['GET', `/${OTHER}/details`, undefined],
    ['PUT', `/${MINE}`, { quota: { network: 1 } }],
    ['DELETE', `/${MINE}`, undefined],
  ])('may not %s %s', async (method, path, body) =>
    expect(await ask(method, path, body, member)).toMatchObject({
      status: 403,
      body: { NeutronError: { type: 'PolicyNotAuthorized' } },
    }),
  );
});
