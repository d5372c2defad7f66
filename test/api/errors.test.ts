/** The error cases of the API layer, as the reference server was seen to answer them. */
import { describe, expect, it } from 'vitest';
import { createHarness } from './support/harness.ts';

interface Case {
  readonly name: string;
  readonly method: string;
  /** `{own}` is a box of alice's, `{foreign}` one of nobody here, `{shared}` one that all may read, `{none}` an id of nothing. */
  readonly path: string;
  readonly body?: unknown;
  readonly as?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly type: string;
  readonly message?: string;
}

const NONE = '6f4d1c54-6d9c-4f7e-9d9b-0a8c1d1f2a3b';
const post = { method: 'POST', path: '/v2.0/boxes' } as const;
const bad = { status: 400, type: 'HTTPBadRequest' } as const;
const notFound = { status: 404, type: 'BoxNotFound' } as const;
const denied = { status: 403, type: 'PolicyNotAuthorized' } as const;
const notAllowed = { status: 405, type: 'HTTPMethodNotAllowed' } as const;

const CASES: readonly Case[] = [
  { name: 'no token', method: 'GET', path: '/v2.0/boxes', as: null, status: 401, type: 'HTTPUnauthorized' },
  { name: 'unknown token', method: 'GET', path: '/v2.0/foos', as: 'x', status: 401, type: 'HTTPUnauthorized' },
  {
    name: 'unknown collection',
    method: 'GET',
    path: '/v2.0/foos',
    status: 404,
    type: 'HTTPNotFound',
    message: 'The resource could not be found.',
  },
  {
    name: 'unknown id',
    method: 'GET',
    path: '/v2.0/boxes/{none}',
    ...notFound,
    message: `Box ${NONE} could not be found.`,
  },
  {
    name: 'no v2 slash',
    method: 'GET',
    path: '/v2.0',
    status: 404,
    type: 'HTTPNotFound',
    message: 'The resource could not be found.',
  },
  {
    name: 'put collection',
    method: 'PUT',
    path: '/v2.0/boxes',
    body: { box: {} },
    ...notFound,
    message: 'Box None could not be found.',
  },
  { name: 'delete collection', method: 'DELETE', path: '/v2.0/boxes', ...notFound },
  { name: 'put collection that has no update', method: 'PUT', path: '/v2.0/wooden-things', body: {}, ...notAllowed },
  { name: 'patch collection', method: 'PATCH', path: '/v2.0/boxes', body: {}, ...notAllowed },
  { name: 'patch item', method: 'PATCH', path: '/v2.0/boxes/{own}', body: {}, ...notAllowed },
  { name: 'post item', method: 'POST', path: '/v2.0/boxes/{own}', body: { box: {} }, ...notAllowed },
  {
    name: 'unknown member action',
    method: 'PUT',
    path: '/v2.0/boxes/{own}/foo',
    body: {},
    status: 404,
    type: 'HTTPNotFound',
  },
  { name: 'member action, wrong method', method: 'GET', path: '/v2.0/boxes/{own}/spin_box', ...notAllowed },
  { name: 'write below extensions', method: 'POST', path: '/v2.0/extensions', body: {}, ...notAllowed },
  { name: 'post root', method: 'POST', path: '/v2.0/', body: {}, ...notAllowed },
  { name: 'invalid json', ...post, body: '{', ...bad },
  { name: 'json list', ...post, body: '[]', ...bad },
  { name: 'empty body', ...post, ...bad },
  { name: 'wrong key', ...post, body: { foo: {} }, ...bad, message: "Unable to find 'box' in request body" },
  { name: 'body with DELETE', method: 'DELETE', path: '/v2.0/boxes/{own}', body: { a: 1 }, ...bad },
  { name: 'null resource', ...post, body: { box: null }, ...bad },
  { name: 'list as resource', ...post, body: { box: [] }, ...bad },
  { name: 'unknown attribute', ...post, body: { box: { foo: 1 } }, ...bad, message: "Unrecognized attribute(s) 'foo'" },
  { name: 'attribute __proto__', ...post, body: '{"box": {"__proto__": 1}}', ...bad },
  { name: 'read only in POST', ...post, body: { box: { status: 'ACTIVE' } }, ...bad },
  { name: 'read only in PUT', method: 'PUT', path: '/v2.0/boxes/{own}', body: { box: { status: 'ACTIVE' } }, ...bad },
  {
    name: 'read only in PUT of what has no update',
    method: 'PUT',
    path: '/v2.0/wooden-things/{none}',
    body: { wooden_thing: { box_id: NONE } },
    ...bad,
  },
  {
    name: 'no update',
    method: 'PUT',
    path: '/v2.0/wooden-things/{none}',
    body: { wooden_thing: { name: 'x' } },
    ...notAllowed,
  },
  {
    name: 'bad bool',
    ...post,
    body: { box: { admin_state_up: 'maybe' } },
    status: 400,
    type: 'InvalidInput',
    message: "Invalid input for operation: 'maybe' cannot be converted to boolean.",
  },
  { name: 'long name', ...post, body: { box: { name: 'x'.repeat(256) } }, ...bad },
  {
    name: 'missing required',
    method: 'POST',
    path: '/v2.0/wooden-things',
    body: { wooden_thing: {} },
    ...bad,
    message: "Failed to parse request. Required attribute 'box_id' not specified",
  },
  { name: 'bad uuid', method: 'POST', path: '/v2.0/wooden-things', body: { wooden_thing: { box_id: 'x' } }, ...bad },
  { name: 'bulk empty list', ...post, body: { boxes: [] }, ...bad },
  { name: 'bulk no list', ...post, body: { boxes: {} }, ...bad },
  {
    name: 'bulk bad item',
    ...post,
    body: { boxes: [{ name: 'a' }, { foo: 1 }] },
    ...bad,
    message: "Unrecognized attribute(s) 'foo'",
  },
  { name: 'bulk null item', ...post, body: { boxes: [null] }, ...bad },
  {
    name: 'both project ids',
    ...post,
    body: { box: { tenant_id: 'a', project_id: 'b' } },
    ...bad,
    message: "'project_id' and 'tenant_id' do not match",
  },
  { name: 'other project as member', ...post, as: 'bob', body: { box: { project_id: 'p1' } }, ...bad },
  { name: 'null character', ...post, body: '{"box": {"name": "a\\u0000"}}', ...bad },
  {
    name: 'half a surrogate pair in an action',
    method: 'PUT',
    path: '/v2.0/boxes/{own}/spin_box',
    body: '{"a": ["\\ud800"]}',
    ...bad,
  },
  {
    name: 'nesting without end',
    method: 'PUT',
    path: '/v2.0/boxes/{own}/spin_box',
    body: `{"a": ${'['.repeat(9999)}${']'.repeat(9999)}}`,
    ...bad,
  },
  {
    name: 'XML',
    ...post,
    body: '<box/>',
    headers: { 'Content-Type': 'application/xml' },
    status: 415,
    type: 'HTTPUnsupportedMediaType',
  },
  {
    name: 'a form',
    ...post,
    body: 'a=1',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    status: 400,
    type: 'HTTPBadRequest',
  },
  {
    name: 'wants XML',
    method: 'GET',
    path: '/v2.0/boxes',
    headers: { Accept: 'application/xml' },
    status: 406,
    type: 'HTTPNotAcceptable',
  },
  {
    name: 'wants anything but JSON',
    method: 'GET',
    path: '/v2.0/boxes',
    headers: { Accept: 'text/html, application/json;q=0' },
    status: 406,
    type: 'HTTPNotAcceptable',
  },
  { name: 'bad limit', method: 'GET', path: '/v2.0/boxes?limit=-1', status: 400, type: 'BadRequest' },
  {
    name: 'bad limit text',
    method: 'GET',
    path: '/v2.0/boxes?limit=a',
    status: 400,
    type: 'BadRequest',
    message: "Bad limit request: Limit must be an integer 0 or greater and not 'a'.",
  },
  {
    name: 'bad sort key',
    method: 'GET',
    path: '/v2.0/boxes?sort_key=foo&sort_dir=asc',
    ...bad,
    message: "['foo'] is invalid attribute for sort_keys",
  },
  { name: 'sort key that cannot sort', method: 'GET', path: '/v2.0/boxes?sort_key=lids&sort_dir=asc', ...bad },
  { name: 'bad sort dir', method: 'GET', path: '/v2.0/boxes?sort_key=name&sort_dir=up', ...bad },
  {
    name: 'sort count',
    method: 'GET',
    path: '/v2.0/boxes?sort_key=name',
    ...bad,
    message: 'The number of sort_keys and sort_dirs must be same',
  },
  {
    name: 'unknown filter',
    method: 'GET',
    path: '/v2.0/boxes?foo=1',
    ...bad,
    message: "['foo'] is invalid attribute for filtering",
  },
  { name: 'filter constructor', method: 'GET', path: '/v2.0/boxes?constructor=1', ...bad },
  { name: 'attribute that is no filter', method: 'GET', path: '/v2.0/boxes?secret=1', ...bad },
  {
    name: 'unknown marker',
    method: 'GET',
    path: '/v2.0/boxes?limit=1&marker={none}',
    ...notFound,
    message: `Box ${NONE} could not be found.`,
  },
  {
    name: 'bad filter value',
    method: 'GET',
    path: '/v2.0/boxes?admin_state_up=maybe',
    status: 400,
    type: 'InvalidInput',
    message: "Invalid input for operation: 'maybe' cannot be converted to boolean.",
  },
  { name: 'bad key and value', method: 'GET', path: '/v2.0/boxes?lids=x', status: 400, type: 'InvalidInput' },
  { name: 'null in a filter', method: 'GET', path: '/v2.0/boxes?name=a%00', ...bad },
  {
    name: 'bad changed_since',
    method: 'GET',
    path: '/v2.0/boxes?changed_since=yesterday',
    status: 400,
    type: 'InvalidInput',
  },
  {
    name: 'stale If-Match',
    method: 'PUT',
    path: '/v2.0/boxes/{own}',
    body: { box: { name: 'y' } },
    headers: { 'If-Match': 'revision_number=9' },
    status: 412,
    type: 'RevisionNumberConstraintFailed',
  },
  {
    name: 'member sets shared',
    ...post,
    as: 'alice',
    body: { box: { shared: true } },
    ...denied,
    message: '(rule:create_box and rule:create_box:shared) is disallowed by policy',
  },
  {
    name: 'member sets a key of an attribute',
    ...post,
    as: 'alice',
    body: { box: { lids: [{ colour: 'red' }] } },
    ...denied,
  },
  {
    name: 'reader creates',
    ...post,
    as: 'reader',
    body: { box: {} },
    ...denied,
    message: 'rule:create_box is disallowed by policy',
  },
  { name: 'no roles creates', ...post, as: 'nobody', body: { box: {} }, ...denied },
  { name: 'member reads foreign', method: 'GET', path: '/v2.0/boxes/{foreign}', as: 'alice', ...notFound },
  {
    name: 'member updates foreign',
    method: 'PUT',
    path: '/v2.0/boxes/{foreign}',
    as: 'alice',
    body: { box: { name: 'z' } },
    ...notFound,
  },
  { name: 'member deletes foreign', method: 'DELETE', path: '/v2.0/boxes/{foreign}', as: 'alice', ...notFound },
  {
    name: 'member updates shared',
    method: 'PUT',
    path: '/v2.0/boxes/{shared}',
    as: 'alice',
    body: { box: { name: 'z' } },
    ...denied,
  },
  {
    name: 'member shares own',
    method: 'PUT',
    path: '/v2.0/boxes/{own}',
    as: 'alice',
    body: { box: { shared: false } },
    ...denied,
  },
  {
    name: 'reader updates own',
    method: 'PUT',
    path: '/v2.0/boxes/{own}',
    as: 'reader',
    body: { box: { name: 'z' } },
    ...denied,
  },
  { name: 'member lists what denies openly', method: 'GET', path: '/v2.0/shop/orders', as: 'alice', ...denied },
  { name: 'member shows what denies openly', method: 'GET', path: '/v2.0/shop/orders/o1', as: 'alice', ...denied },
  {
    name: 'parent unknown in a creation',
    method: 'POST',
    path: '/v2.0/wooden-things',
    as: 'alice',
    body: { wooden_thing: { box_id: NONE } },
    ...notFound,
  },
  {
    name: 'parent foreign in a creation',
    method: 'POST',
    path: '/v2.0/wooden-things',
    as: 'alice',
    body: { wooden_thing: { box_id: '{foreign}' } },
    status: 404,
    type: 'BoxNotFound',
  },
  {
    name: 'an error of the plugin',
    ...post,
    body: { box: { name: 'conflict' } },
    status: 409,
    type: 'BoxInUse',
    message: 'Box new is in use.',
  },
  {
    name: 'a defect of the plugin',
    ...post,
    body: { box: { name: 'defect' } },
    status: 500,
    type: 'HTTPInternalServerError',
    message: 'Request Failed: internal server error while processing your request.',
  },
];

describe('errors', () => {
  it.each(CASES.map((one): [string, Case] => [one.name, one]))('%s', async (_, one) => {
    const harness = createHarness();
    const make = async (as: string, box: object) =>
      (await harness.call('POST', '/v2.0/boxes', { as, body: { box } })).body.box.id as string;
    const ids: Readonly<Record<string, string>> = {
      own: await make('alice', {}),
      foreign: await make('bob', {}),
      shared: await make('admin', { shared: true }),
      none: NONE,
    };
    const fill = (text: string) => text.replaceAll(/\{(own|foreign|shared|none)\}/g, (_, name: string) => ids[name]!);
    const sent =
      one.body === undefined ? undefined : fill(typeof one.body === 'string' ? one.body : JSON.stringify(one.body));
    const { status, body, headers } = await harness.call(one.method, fill(one.path), {
      as: one.as === undefined ? 'admin' : one.as,
      ...(sent === undefined ? {} : { body: sent }),
      headers: { ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }), ...one.headers },
    });
    expect({ status, type: body.NeutronError.type }).toEqual({ status: one.status, type: one.type });
    expect(Object.keys(body)).toEqual(['NeutronError']);
    expect(body.NeutronError.detail).toBe('');
    if (one.message !== undefined) expect(body.NeutronError.message).toBe(one.message);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-openstack-request-id')).toMatch(/^req-[0-9a-f-]{36}$/);
  });

  it('401 says how to authenticate', async () => {
    const { headers } = await createHarness().call('GET', '/v2.0/boxes', { as: null });
    expect(headers.get('www-authenticate')).toContain('Keystone uri=');
  });

  it('a defect is logged whole, with the id of the request that the client was told, and its text stays here', async () => {
    const harness = createHarness();
    const { body, headers } = await harness.call('POST', '/v2.0/boxes', { body: { box: { name: 'defect' } } });
    const line = harness.logged.find(({ message }) => message.includes('internal server error'));
    expect(line?.fields).toMatchObject({
      request_id: headers.get('x-openstack-request-id'),
      stack: expect.stringContaining('hunter2'),
    });
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });
});
