import { describe, expect, it } from 'vitest';
import { loadMiddleware, type MiddlewareFactory } from '#src/api/mod.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { silentTracer, type Tracer } from '#src/lib/tracing.ts';
import { createConfig, createHarness } from './support/harness.ts';

const REQUEST_ID = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('without a token', () => {
  it.each([
    [
      '/',
      { versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: 'http://localhost:9696/v2.0/' }] }] },
    ],
    ['/healthcheck', 'OK'],
  ])('%s answers', async (path, body) => {
    expect(await createHarness().call('GET', path, { as: null })).toMatchObject({ status: 200, body });
  });

  it.each(['/v2.0', '/v2.0/', '/v2.0/extensions', '/v2.0/boxes', '/nonsense'])('%s answers 401', async (path) => {
    expect((await createHarness().call('GET', path, { as: null })).status).toBe(401);
  });

  it('/identity goes to the embedded service, and only where there is one', async () => {
    const identity = { handle: async (request: Request) => new Response(new URL(request.url).pathname) };
    const harness = createHarness({ options: { identity } });
    const answer = await harness.call('POST', '/identity/v3/auth/tokens', { as: null, body: {} });
    expect(answer).toMatchObject({ status: 200, body: '/identity/v3/auth/tokens' });
    expect(answer.headers.get('x-openstack-request-id')).toMatch(REQUEST_ID);
    expect((await harness.call('GET', '/identityless', { as: null })).status).toBe(401);
    expect((await createHarness().call('GET', '/identity/v3', { as: null })).status).toBe(401);
  });
});

describe('catalogue', () => {
  it('lists the core resources at /v2.0/', async () => {
    expect((await createHarness().call('GET', '/v2.0/')).body).toEqual({
      resources: [
        { name: 'box', collection: 'boxes', links: [{ rel: 'self', href: 'http://localhost:9696/v2.0/boxes' }] },
      ],
    });
  });

  it('lists the extensions of all plugins and shows each', async () => {
    const harness = createHarness();
    const { extensions } = (await harness.call('GET', '/v2.0/extensions.json')).body;
    expect(extensions).toHaveLength(6);
    const things = extensions[0];
    expect(things).toEqual({
      name: 'Things',
      alias: 'things',
      description: 'What is in boxes',
      updated: '2026-01-01T00:00:00-00:00',
      links: [],
    });
    expect((await harness.call('GET', '/v2.0/extensions/things')).body).toEqual({ extension: things });
  });

  it('answers an unknown alias with 404 in plain text', async () => {
    expect(await createHarness().call('GET', '/v2.0/extensions/foo')).toMatchObject({
      status: 404,
      body: expect.any(String),
    });
  });
});

describe('request ids', () => {
  it('are ours in the answer, and differ', async () => {
    const harness = createHarness();
    const ids = await Promise.all(
      ['/', '/', '/v2.0/boxes', '/v2.0/foos'].map(
        async (path) => (await harness.call('GET', path)).headers.get('x-openstack-request-id') ?? '',
      ),
    );
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
    expect(new Set(ids).size).toBe(4);
  });

  it.each([
    ['req-0a1b2c3d-0000-4000-8000-0123456789ab', 'req-0a1b2c3d-0000-4000-8000-0123456789ab'],
    ['0a1b2c3d-0000-4000-8000-0123456789ab', null],
    ['req-x', null],
  ])("a caller's %s is the context's global id %s", async (sent, kept) => {
    const harness = createHarness();
    const { headers } = await harness.call('GET', '/v2.0/boxes', { headers: { 'X-Openstack-Request-Id': sent } });
    const { context } = harness.calls[0]!;
    expect(context.global_request_id).toBe(kept);
    expect(context.request_id).toBe(headers.get('x-openstack-request-id'));
    expect(context.request_id).not.toBe(sent);
  });
});

describe('the context', () => {
  it('carries what policy says of the caller', async () => {
    const harness = createHarness();
    await harness.call('GET', '/v2.0/boxes');
    await harness.call('GET', '/v2.0/boxes', { as: 'alice' });
    expect(harness.calls.map(({ context }) => [context.is_admin, context.is_advsvc, context.is_service])).toEqual([
      [true, false, false],
      [false, false, false],
    ]);
  });
});

describe('proxy headers', () => {
  const self = async (believed: boolean, headers: Record<string, string>) => {
    const harness = createHarness({ config: { oslo_middleware: { enable_proxy_headers_parsing: believed } } });
    return (await harness.call('GET', '/', { headers })).body.versions[0].links[0].href;
  };

  it('are ignored unless enabled', async () => {
    expect(await self(false, { 'X-Forwarded-Proto': 'https' })).toBe('http://localhost:9696/v2.0/');
  });

  it.each([
    [{ 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'net.example, inner' }, 'https://net.example/v2.0/'],
    [{ 'X-Forwarded-Prefix': '/network' }, 'http://localhost:9696/network/v2.0/'],
    [
      { Forwarded: 'for=203.0.113.9;proto=https;host="net.example:8443", for=10.0.0.1' },
      'https://net.example:8443/v2.0/',
    ],
    [{ 'X-Forwarded-Host': 'evil"/>' }, 'http://localhost:9696/v2.0/'],
  ])('%o make links to %s', async (headers, href) => {
    expect(await self(true, headers)).toBe(href);
  });
});

describe('body limit', () => {
  const limited = () => createHarness({ config: { oslo_middleware: { max_request_body_size: 100 } } });
  const body = { box: { name: 'x'.repeat(200) } };

  it('refuses a body whose length is told', async () => {
    const answer = await limited().call('POST', '/v2.0/boxes', { body, headers: { 'Content-Length': '220' } });
    expect(answer).toMatchObject({ status: 413, body: { NeutronError: { type: 'HTTPRequestEntityTooLarge' } } });
  });

  it('refuses a body whose length is found out', async () => {
    expect((await limited().call('POST', '/v2.0/boxes', { body })).status).toBe(413);
  });

  it('lets smaller ones pass', async () => {
    expect((await limited().call('POST', '/v2.0/boxes', { body: { box: { name: 'x' } } })).status).toBe(201);
  });
});

it('a body that breaks off answers 400', async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error('connection reset')),
  });
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'X-Auth-Token': 'admin' },
  };
  const { api, logged } = createHarness();
  expect((await api.fetch(new Request('http://localhost/v2.0/boxes', init))).status).toBe(400);
  expect(logged.map(({ message }) => message)).toEqual(['request']);
});

describe('CORS', () => {
  const config = { cors: { allowed_origin: ['https://horizon.example'] } };
  const headers = { Origin: 'https://horizon.example' };

  it('is off by default', async () => {
    const { headers: answered } = await createHarness().call('GET', '/v2.0/boxes', { headers });
    expect(answered.get('access-control-allow-origin')).toBeNull();
  });

  it('answers a preflight without a token', async () => {
    const preflight = {
      ...headers,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'X-Auth-Token',
    };
    const answer = await createHarness({ config }).call('OPTIONS', '/v2.0/boxes', { as: null, headers: preflight });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://horizon.example');
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(answer.headers.get('access-control-max-age')).toBe('3600');
  });

  it('marks answers, errors too, for allowed origins only', async () => {
    const harness = createHarness({ config });
    for (const path of ['/v2.0/boxes', '/v2.0/foos']) {
      const { headers: answered } = await harness.call('GET', path, { headers });
      expect(answered.get('access-control-allow-origin')).toBe('https://horizon.example');
      expect(answered.get('access-control-expose-headers')).toContain('X-OpenStack-Request-ID');
    }
    const other = await harness.call('GET', '/v2.0/boxes', { headers: { Origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('rate limit', () => {
  it('answers 429 with the time to wait, for each project by itself, until the time is over', async () => {
    let now = 0;
    const harness = createHarness({ config: { rate_limit: { requests: 2 } }, options: { clock: { now: () => now } } });
    const get = (as: string) => harness.call('GET', '/v2.0/boxes', { as });
    expect((await get('alice')).status).toBe(200);
    expect((await get('alice')).status).toBe(200);
    now = 1000;
    const refused = await get('alice');
    expect(refused).toMatchObject({ status: 429, body: { NeutronError: { type: 'HTTPTooManyRequests' } } });
    expect(refused.headers.get('retry-after')).toBe('59');
    expect((await get('bob')).status).toBe(200);
    now = 60_000;
    expect((await get('alice')).status).toBe(200);
  });

  it('counts by address where configured', async () => {
    const harness = createHarness({ config: { rate_limit: { requests: 1, by: 'remote' } } });
    expect((await harness.call('GET', '/v2.0/boxes', { as: 'alice' })).status).toBe(200);
    expect((await harness.call('GET', '/v2.0/boxes', { as: 'bob' })).status).toBe(429);
  });
});

describe('the order of the pipeline', () => {
  const withPipeline = (names: readonly string[], middleware: Record<string, MiddlewareFactory> = {}) =>
    createHarness({ config: { pipeline: { api: names } }, options: { middleware } });

  it("takes a deployment's own middleware, by its module", async () => {
    const specifier = `${import.meta.dirname}/support/own_middleware.ts`;
    const names = [specifier, ...createConfig().list('pipeline', 'api')];
    const middleware = await loadMiddleware(createConfig({ pipeline: { api: names } }));
    const { headers, status } = await withPipeline(names, middleware).call('GET', '/');
    expect({ status, own: headers.get('x-own') }).toEqual({ status: 200, own: '1048576' });
  });

  it('leaves out what is not named', async () => {
    const harness = withPipeline(['catch_errors', 'auth', 'app']);
    expect((await harness.call('GET', '/')).status).toBe(404);
    const { status, headers } = await harness.call('GET', '/v2.0/boxes');
    expect({ status, id: headers.get('x-openstack-request-id') }).toEqual({ status: 200, id: null });
  });

  it.each([
    [['halthcheck', 'app'], "'halthcheck', which is no middleware"],
    [['halthcheck', 'app'], "did you mean 'healthcheck'?"],
    [['auth'], "does not name 'app'"],
  ])('refuses %o: %s', (names, message) => {
    expect(() => withPipeline(names)).toThrow(message);
  });

  it.each([
    ['no-such', "'no-such', which is no middleware"],
    ['/no/such.ts', "'/no/such.ts' of [pipeline] api cannot be loaded"],
    [import.meta.filename.replace('pipeline.test', 'support/harness'), 'has no default export'],
  ])('refuses to load %s', async (name, message) => {
    await expect(loadMiddleware(createConfig({ pipeline: { api: [name] } }))).rejects.toThrow(message);
  });
});

it('requests are counted and timed by route template, method and status, and logged', async () => {
  const counted: unknown[] = [];
  const timed: unknown[] = [];
  const metrics = {
    ...silentMetrics,
    counter: () => ({ add: (labels: unknown) => counted.push(labels) }),
    histogram: () => ({ observe: (_: number, labels: unknown) => timed.push(labels) }),
  };
  const harness = createHarness({ options: { metrics } });
  await harness.call('GET', '/v2.0/boxes/1/hinges/2?fields=id');
  await harness.call('BREW', '/v2.0/foos');
  expect(counted).toEqual([
    { method: 'GET', route: '/v2.0/boxes/{box_id}/hinges/{hinge_id}', status: '200' },
    { method: 'other', route: 'unmatched', status: '404' },
  ]);
  expect(timed).toHaveLength(2);
  expect(harness.logged.filter(({ message }) => message === 'request')[0]?.fields).toMatchObject({
    request_id: expect.stringMatching(REQUEST_ID),
    status: 200,
    project_id: 'p-admin',
  });
});

it("requests are traced below the caller's span", async () => {
  const spans: unknown[] = [];
  const tracer: Tracer = {
    span: (name, attributes, work, traceparent) =>
      work({ ...silentTracer, set: (more) => spans.push([name, traceparent, { ...attributes, ...more }]) }),
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await createHarness({ options: { tracer } }).call('GET', '/v2.0/boxes/1', { headers: { traceparent } });
  const attributes = {
    'http.request.method': 'GET',
    'http.route': '/v2.0/boxes/{box_id}',
    'http.response.status_code': 404,
  };
  expect(spans).toEqual([['HTTP GET', traceparent, attributes]]);
});

it('what is thrown and is no error is answered all the same', async () => {
  const thrower: MiddlewareFactory = () => () => {
    throw 'not an Error';
  };
  const names = ['own:thrower', 'app'];
  const harness = createHarness({
    config: { pipeline: { api: names } },
    options: { middleware: { 'own:thrower': thrower } },
  });
  expect(await harness.call('GET', '/')).toMatchObject({
    status: 500,
    body: { NeutronError: { type: 'HTTPInternalServerError' } },
  });
});
