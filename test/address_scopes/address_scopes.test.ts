/** Address scopes through the API, on PostgreSQL. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { member, Stack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('address_scopes');
});
afterAll(() => stack.stop());
afterEach(() => stack.clear());

const ALICE = member('alice');
const BOB = member('bob');
const PATH = '/v2.0/address-scopes';
const type = (answer: { readonly body: { readonly NeutronError: { readonly type: string } } }) =>
  answer.body.NeutronError.type;

describe('address scopes', () => {
  test('are created, shown, renamed, listed and deleted', async () => {
    const scope = await stack.create('address_scope', { name: 'blue', ip_version: 4 }, ALICE);
    expect(scope).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'blue',
      tenant_id: 'alice',
      project_id: 'alice',
      shared: false,
      ip_version: 4,
    });
    expect((await stack.call('GET', `${PATH}/${scope.id}`, { as: ALICE })).body).toEqual({ address_scope: scope });
    const renamed = await stack.call('PUT', `${PATH}/${scope.id}`, {
      as: ALICE,
      body: { address_scope: { name: 'navy' } },
    });
    expect(renamed.body).toEqual({ address_scope: { ...scope, name: 'navy' } });
    await stack.create('address_scope', { ip_version: 6 }, ALICE);
    const found = await stack.call('GET', `${PATH}?ip_version=4&fields=name`, { as: ALICE });
    expect(found.body).toEqual({ address_scopes: [{ name: 'navy' }] });
    expect((await stack.call('DELETE', `${PATH}/${scope.id}`, { as: ALICE })).status).toBe(204);
    expect(type(await stack.call('GET', `${PATH}/${scope.id}`, { as: ALICE }))).toBe('AddressScopeNotFound');
  });

  test('are made in bulk, and sorted by any attribute that says so', async () => {
    const body = { address_scopes: ['b', 'a', 'c'].map((name) => ({ name, ip_version: 6 })) };
    expect((await stack.call('POST', PATH, { as: ALICE, body })).status).toBe(201);
    const sorted = await stack.call('GET', `${PATH}?sort_key=name&sort_dir=desc&fields=name&limit=2`, { as: ALICE });
    expect(sorted.body.address_scopes).toEqual([{ name: 'c' }, { name: 'b' }]);
    for (const key of ['id', 'name', 'tenant_id', 'shared', 'ip_version']) {
      const answer = await stack.call('GET', `${PATH}?sort_key=${key}&sort_dir=asc`, { as: ALICE });
      expect(answer.body.address_scopes, answer.text).toHaveLength(3);
    }
  });

  test('of others are seen when they are shared, which only administrators do', async () => {
    const scope = await stack.create('address_scope', { ip_version: 4 }, ALICE);
    const path = `${PATH}/${scope.id}`;
    const share = { address_scope: { shared: true } };
    expect((await stack.call('GET', path, { as: BOB })).status).toBe(404);
    expect((await stack.call('PUT', path, { as: ALICE, body: share })).status).toBe(403);
    expect((await stack.call('PUT', path, { body: share })).body.address_scope.shared).toBe(true);
    expect((await stack.call('GET', path, { as: BOB })).body.address_scope).toEqual({ ...scope, shared: true });
    expect((await stack.call('GET', `${PATH}?shared=true`, { as: BOB })).body.address_scopes).toHaveLength(1);
    expect((await stack.call('PUT', path, { as: BOB, body: { address_scope: { name: 'x' } } })).status).toBe(403);
    const body = { address_scope: { ip_version: 4, shared: true } };
    expect((await stack.call('POST', PATH, { as: ALICE, body })).status).toBe(403);
    expect((await stack.create('address_scope', { ip_version: 4, shared: true })).shared).toBe(true);
  });

  test('that are shared stay so', async () => {
    const { id } = await stack.create('address_scope', { ip_version: 4, shared: true });
    const refused = await stack.call('PUT', `${PATH}/${id}`, { body: { address_scope: { shared: false, name: 'x' } } });
    expect([refused.status, type(refused)]).toEqual([400, 'AddressScopeUpdateError']);
  });

  test('are not deleted while subnet pools are in them', async () => {
    const { id } = await stack.create('address_scope', { ip_version: 4 }, ALICE);
    const pool = await stack.create('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'], address_scope_id: id }, ALICE);
    const refused = await stack.call('DELETE', `${PATH}/${id}`, { as: ALICE });
    expect([refused.status, type(refused)]).toEqual([409, 'AddressScopeInUse']);
    await stack.call('DELETE', `/v2.0/subnetpools/${pool.id}`, { as: ALICE });
    expect((await stack.call('DELETE', `${PATH}/${id}`, { as: ALICE })).status).toBe(204);
  });

  test('of deletions and associations at once, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await stack.create('address_scope', { ip_version: 4 });
      const body = { subnetpool: { name: 'p', prefixes: [`10.${round}.0.0/16`], address_scope_id: id } };
      const [made, gone] = await Promise.all([
        stack.call('POST', '/v2.0/subnetpools', { body }),
        stack.call('DELETE', `${PATH}/${id}`),
      ]);
      expect([`201 409`, `404 204`]).toContain(`${made.status} ${gone.status}`);
    }
    expect(stack.errors).toEqual([]);
  });

  test.each([
    ['no ip_version', {}],
    ['an ip_version that is none', { ip_version: 5 }],
    ['an id', { ip_version: 4, id: 'x' }],
    ['a long name', { ip_version: 4, name: 'x'.repeat(256) }],
    ['a name that is no text', { ip_version: 4, name: 7 }],
  ])('with %s are refused', async (_, address_scope) => {
    expect((await stack.call('POST', PATH, { body: { address_scope } })).status).toBe(400);
  });

  test('are what networks tell of their subnets', async () => {
    const network = await stack.create('network', {}, ALICE);
    expect(network).toMatchObject({ ipv4_address_scope: null, ipv6_address_scope: null });
    const four = await stack.create('address_scope', { ip_version: 4 }, ALICE);
    const six = await stack.create('address_scope', { ip_version: 6 }, ALICE);
    for (const [scope, prefix] of [
      [four, '10.0.0.0/8'],
      [six, 'fd00::/48'],
    ] as const) {
      const pool = await stack.create(
        'subnetpool',
        { name: 'p', prefixes: [prefix], address_scope_id: scope.id },
        ALICE,
      );
      const { ip_version } = scope;
      await stack.create('subnet', { network_id: network.id, ip_version, subnetpool_id: pool.id }, ALICE);
    }
    const shown = await stack.call('GET', `/v2.0/networks/${network.id}`, { as: ALICE });
    expect(shown.body.network).toMatchObject({ ipv4_address_scope: four.id, ipv6_address_scope: six.id });
    const listed = await stack.call('GET', '/v2.0/networks?fields=ipv4_address_scope', { as: ALICE });
    expect(listed.body.networks).toEqual([{ ipv4_address_scope: four.id }]);
  });
});
