import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { compileAttributes, prepareBody } from '#src/lib/api/prepare.ts';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { createQuota, type QuotaApi, quotaApi } from '#src/quota/mod.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';

const PROJECT = 'a'.repeat(32);
const context = { ...adminContext(), project_id: PROJECT };
const DEFAULTS = { network: 100, l2thing: -1 };

let test: TestDatabase;
let api: QuotaApi;

beforeAll(async () => {
  test = await migratedDatabase('quota_api');
  await test.sql`CREATE TABLE l2things (project_id varchar(255) NOT NULL)`;
  await test.sql`CREATE TABLE nets (project_id varchar(255) NOT NULL)`;
  const resources = [
    { name: 'network', default_limit: 100, table: 'nets' },
    { name: 'l2thing', default_limit: -1, table: 'l2things' },
  ];
  api = quotaApi(createQuota({ resources, config: configFrom(allOptions), db: test.db, log: silentLogger }));
});
afterAll(() => test.drop());
beforeEach(() => test.sql`TRUNCATE nets, l2things, quotas, quota_usages`);

const call = (verb: string, body?: object) =>
  api.verbs[verb]!(context, { id: PROJECT, parents: {}, ...(body && { body: body as Record<string, unknown> }) });
const put = (body: object) => {
  const { attributes } = api.extensions[0]!.resources![0]!;
  return call('update_quota', prepareBody(compileAttributes(attributes), body, 'PUT', context));
};

describe('the quotas API', () => {
  it('shows limits, with an attribute for every counted resource', async () => {
    expect(await call('get_quota')).toEqual(DEFAULTS);
    expect(await call('get_default_quota')).toEqual({ quota: DEFAULTS });
  });
  it('sets some, lists the projects that have some, and takes them away', async () => {
    expect(await put({ network: '50' })).toEqual({ ...DEFAULTS, network: 50 });
    expect(await call('get_quotas')).toEqual({
      items: [{ ...DEFAULTS, network: 50, project_id: PROJECT, tenant_id: PROJECT }],
      more: false,
    });
    expect(await call('delete_quota')).toBeUndefined();
    await expect(call('delete_quota')).rejects.toMatchObject({ type: 'TenantQuotaNotFound' });
    expect(await call('get_quotas')).toEqual({ items: [], more: false });
  });
  it('shows usage beside the limits', async () => {
    await test.sql`INSERT INTO nets VALUES (${PROJECT}), (${PROJECT}), ('x')`;
    expect(await call('get_quota_details')).toEqual({
      quota: { network: { limit: 100, used: 2, reserved: 0 }, l2thing: { limit: -1, used: 0, reserved: 0 } },
    });
  });
  it.each([
    [{ network: -2 }, 'HTTPBadRequest', 'Invalid input for network.'],
    [{ foo: 1 }, 'HTTPBadRequest', "Unrecognized attribute(s) 'foo'"],
    [{ network: 'a' }, 'InvalidInput', "Invalid input for operation: 'a' is not an integer."],
    [{ project_id: PROJECT }, 'HTTPBadRequest', 'Cannot update read-only attribute'],
  ])('refuses %j', async (body, type, message) => {
    await expect((async () => put(body))()).rejects.toMatchObject({ type, message: expect.stringContaining(message) });
  });
  it('refuses a limit below the usage unless forced', async () => {
    await test.sql`INSERT INTO nets VALUES (${PROJECT}), (${PROJECT})`;
    await expect(put({ network: 1, check_limit: true })).rejects.toMatchObject({
      status: 400,
      message: 'Quota limit 1 for network must be greater than or equal to already used 2',
    });
    expect(await put({ network: -1 })).toMatchObject({ network: -1 });
    expect(await put({ network: 2 })).toMatchObject({ network: 2 });
    expect(await put({ network: 1, force: true })).toEqual({ ...DEFAULTS, network: 1 });
  });
  it('tells callers their project', async () => {
    expect(await call('get_quota_tenant')).toEqual({ tenant: { tenant_id: PROJECT } });
    expect(await call('get_quota_project')).toEqual({ project: { project_id: PROJECT } });
    const nobody = api.verbs['get_quota_project']!({ ...context, project_id: null }, { parents: {} });
    await expect(nobody).rejects.toMatchObject({ type: 'QuotaMissingTenant', status: 400 });
  });
});
