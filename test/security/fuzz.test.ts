/**
 * Whatever is sent to the Networking API is answered in time and never with a defect of ours, and what is refused has changed
 * nothing. Requests are made from the attribute maps that are served; what has once been found is below as an example.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin, type CallOptions, member, Stack } from '../support/stack.ts';
import { EVERY_PLUGIN, furnish } from './areas/mod.ts';
import { bounded, contentType, inTime, PROPERTY_MS, text, value } from './hostile.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('fuzz', EVERY_PLUGIN);
});
afterAll(async () => {
  await underWay.catch(() => {});
  await stack.stop();
});

const alice = member('alice');
const CALLERS = [
  admin,
  alice,
  { project: 'service', roles: 'admin,service' },
  { project: 'alice', roles: 'reader' },
] as const;

/** Ids of objects that requests can name; by collection. */
let ids: Readonly<Record<string, string>>;

async function refurnish(): Promise<void> {
  ({ ids } = await furnish(stack));
  stack.errors.length = 0;
}

/** The request under way: a property that runs out of time leaves its last one behind. */
let underWay: Promise<unknown> = Promise.resolve();
beforeEach(async () => {
  await underWay.catch(() => {});
  await refurnish();
});

let nth = 0;
/** Values that take a request further than hostile ones do. */
const SENSIBLE: Readonly<Record<string, () => unknown>> = {
  network_id: () => ids['networks'],
  ip_version: () => 4,
  cidr: () => `10.${(nth++ % 200) + 1}.${nth % 256}.0/24`,
  fixed_ips: () => [{ subnet_id: ids['subnets'] }],
  mac_address: () => `fa:16:3e:00:00:${(nth++ % 256).toString(16).padStart(2, '0')}`,
  allowed_address_pairs: () => [{ ip_address: '10.0.0.9' }],
  extra_dhcp_opts: () => [{ opt_name: 'mtu', opt_value: '1400' }],
  admin_state_up: () => true,
  'provider:network_type': () => 'vxlan',
  object_type: () => 'network',
  object_id: () => ids['networks'],
  target_tenant: () => String(nth++).padStart(32, '0'),
  action: () => 'access_as_shared',
  addresses: () => [`10.${nth++ % 256}.0.0/16`],
  security_groups: () => [ids['security_groups']],
  security_group_id: () => ids['security_groups'],
  remote_group_id: () => ids['security_groups'],
  remote_address_group_id: () => ids['address_groups'],
  direction: () => 'ingress',
  protocol: () => ['tcp', '17', 'icmp', 132][nth++ % 4],
  port_range_min: () => nth++ % 256,
  port_range_max: () => 300,
  remote_ip_prefix: () => `10.${nth++ % 256}.0.0/16`,
  used_in_default_sg: () => false,
  used_in_non_default_sg: () => true,
};
const NEEDED: ReadonlySet<string> = new Set([
  ...['network_id', 'ip_version', 'cidr'],
  ...['object_type', 'object_id', 'target_tenant', 'action'],
  ...['security_group_id', 'direction', 'used_in_default_sg', 'used_in_non_default_sg'],
]);

const attributesOf = (collection: string) =>
  stack.resources().find((resource) => resource.collection === collection)!.attributes;
const attributeNames = (collection: string): string[] => Object.keys(attributesOf(collection));

const collections = [
  ...(['networks', 'subnets', 'ports', 'agents', 'availability_zones', 'quotas'] as const),
  ...(['address_groups', 'rbac_policies'] as const),
  ...(['security_groups', 'security_group_rules', 'default_security_group_rules'] as const),
];
const memberOf = (collection: string) => collection.replace(/ies$/, 'ys').slice(0, -1);

type Method = 'POST' | 'PUT';

/** The attributes of one object: mostly sensible ones, a few hostile. */
const attributes = (collection: string) => {
  const known = attributesOf(collection);
  const allowed = (name: string, method: Method) =>
    Object.hasOwn(known, name) && known[name]![method === 'POST' ? 'allow_post' : 'allow_put'];
  const names = (method: Method) => Object.keys(known).filter((name) => allowed(name, method));
  const name = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...new Set([...names('POST'), ...names('PUT'), 'id'])) },
    { weight: 1, arbitrary: fc.constantFrom(...attributeNames(collection), '__proto__', 'constructor', 'tags', '') },
  );
  return fc
    .record({
      hostile: fc.array(fc.tuple(name, value), { maxLength: 2 }),
      sensible: fc.subarray(Object.keys(SENSIBLE)),
    })
    .map(({ hostile, sensible }) => (method: Method) => {
      const taken = [...(method === 'POST' ? NEEDED : []), ...sensible].filter((one) => allowed(one, method));
      const wanted = hostile.filter(([one]) => !Object.hasOwn(known, one) || allowed(one, method) || one === 'id');
      return Object.fromEntries([...taken.map((one) => [one, SENSIBLE[one]!()] as const), ...wanted]);
    });
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly options: CallOptions;
}

/** Answers by method and status: shows that requests come further than the first check. */
const counts = new Map<string, number>();

function neverADefect(sent: Sent): Promise<void> {
  const outcome = judge(sent);
  underWay = outcome;
  return outcome;
}

async function judge({ method, path, options }: Sent): Promise<void> {
  const before = await stack.dump();
  const answer = await inTime(stack.call(method, path, options));
  counts.set(`${method} ${answer.status}`, (counts.get(`${method} ${answer.status}`) ?? 0) + 1);
  if (answer.status >= 500) {
    const why = stack.errors.splice(0).map(summary).join('\n');
    throw new Error(`${method} ${path} ${String(options.body).slice(0, 1000)}\n${answer.status}: ${why}`);
  }
  if (answer.status >= 400) expect(await stack.dump()).toBe(before);
  else if (before.length > 60_000) await refurnish();
}

const summary = ({ fields }: Stack['errors'][number]) => {
  const error = fields?.['error'];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

describe('whatever is sent', () => {
  it.each(collections)(
    'as a body of %s',
    async (collection) => {
      const name = memberOf(collection);
      const one = attributes(collection);
      const body = fc.oneof(
        {
          weight: 10,
          arbitrary: one.map((object) => (method: Method): unknown => ({ [name]: object(method) })),
        },
        {
          weight: 2,
          arbitrary: fc.array(one, { maxLength: 3 }).map((all) => (method: Method): unknown => ({
            [collection]: all.map((object) => object(method)),
          })),
        },
        { weight: 1, arbitrary: value.map((any) => (): unknown => any) },
        { weight: 1, arbitrary: value.map((any) => (): unknown => ({ [name]: any })) },
      );
      const request = fc.record({
        method: fc.constantFrom<Method>('POST', 'PUT'),
        body,
        as: fc.constantFrom(...CALLERS),
        type: contentType,
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ method, body: make, as, type }) => {
          const path = method === 'POST' ? `/v2.0/${collection}` : `/v2.0/${collection}/${ids[collection]}`;
          const options = { as, body: JSON.stringify(make(method)), headers: { 'Content-Type': type } };
          await neverADefect({ method, path, options });
        }),
        { ...bounded, interruptAfterTimeLimit: bounded.interruptAfterTimeLimit / 2 },
      );
    },
    PROPERTY_MS,
  );

  it(
    'below an item',
    async () => {
      const encoded = text.map((raw) => encodeURIComponent(raw.toWellFormed()));
      const list = (name: string) => fc.oneof(value, fc.record({ [name]: fc.oneof(value, fc.array(value)) }));
      const tags = fc.record({
        method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
        path: fc.oneof(
          fc.constant(() => `networks/${ids['networks']}/tags`),
          fc.tuple(fc.constantFrom('networks', 'ports'), encoded).map(
            ([collection, tag]) =>
              () =>
                `${collection}/${ids[collection]}/tags/${tag}`,
          ),
          encoded.map((id) => () => `networks/${id}/tags`),
        ),
        body: list('tags'),
      });
      const addresses = fc.record({
        method: fc.constant('PUT'),
        path: fc
          .constantFrom('add', 'remove')
          .map((action) => () => `address_groups/${ids['address_groups']}/${action}_addresses`),
        body: list('addresses'),
      });
      const request = fc.record({ sent: fc.oneof(tags, addresses), as: fc.constantFrom(...CALLERS) });
      await fc.assert(
        fc.asyncProperty(request, async ({ sent: { method, path, body }, as }) => {
          const options = method === 'PUT' || method === 'POST' ? { as, body: JSON.stringify(body) } : { as };
          await neverADefect({ method, path: `/v2.0/${path()}`, options });
        }),
        bounded,
      );
    },
    PROPERTY_MS,
  );

  it(
    'as a path, a query and headers',
    async () => {
      const encoded = text.map((raw) => encodeURIComponent(raw.toWellFormed()));
      const rawText = fc.stringMatching(/^[%\w.;~&=+-]{0,12}$/);
      const collection = fc.constantFrom(...collections, 'extensions', 'nothing', '__proto__');
      const id = fc.oneof(encoded, rawText, fc.constant('*'));
      const path = fc
        .tuple(
          collection,
          fc.array(fc.oneof(id, fc.constantFrom('default', 'details', 'tenant', 'project')), { maxLength: 3 }),
        )
        .map(([first, rest]) => ({ first, rest }));
      const parameterName = fc.oneof(
        {
          weight: 4,
          arbitrary: fc.constantFrom(
            'fields',
            'sort_key',
            'sort_dir',
            'limit',
            'marker',
            'page_reverse',
            'changed_since',
            'tags',
            'not-tags-any',
          ),
        },
        { weight: 6, arbitrary: fc.constantFrom(...new Set(collections.flatMap(attributeNames))) },
        { weight: 1, arbitrary: text },
      );
      const parameterValue = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom(
            'asc',
            'desc',
            'True',
            '0',
            '1',
            '-1',
            '*',
            '9007199254740993',
            '2026-01-01T00:00:00Z',
            '0000-01-01T00:00:00Z',
            '9999-12-31T23:59:59-14:00',
            '2026-01-01T00:00:00+15:59',
            'ip_address=10.0.0.5',
            'subnet_id=x',
            'ip_address_substr=10.%',
            'ip_address=\0',
            'a=b',
            '=',
          ),
        },
        { weight: 3, arbitrary: fc.constantFrom(...new Set(collections.flatMap(attributeNames))) },
        { weight: 4, arbitrary: text },
      );
      const query = fc
        .array(fc.tuple(parameterName, parameterValue), { maxLength: 5 })
        .map((pairs) =>
          pairs
            .map(
              ([name, given]) =>
                `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(given.toWellFormed())}`,
            )
            .join('&'),
        );
      const sorted = fc
        .array(
          fc.tuple(fc.constantFrom(...new Set(collections.flatMap(attributeNames))), fc.constantFrom('asc', 'desc')),
          {
            maxLength: 3,
          },
        )
        .map((pairs) =>
          pairs.map(([key, direction]) => `sort_key=${encodeURIComponent(key)}&sort_dir=${direction}`).join('&'),
        );
      const header = fc
        .string({ unit: fc.constantFrom(...' !"#$%&\'()*+,-./0129:;<=>?@AZ[\\]^_`az{|}~\t\u00ff'), maxLength: 40 })
        .map((raw) => raw.trim());
      const request = fc.record({
        method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'DELETE', 'PUT', 'POST', 'PATCH', 'OPTIONS'),
        path,
        query: fc.oneof(
          query,
          rawText,
          sorted,
          fc.tuple(query, sorted).map((both) => both.join('&')),
        ),
        headers: fc.record(
          {
            'If-Match': fc.oneof(
              header,
              fc.constantFrom('revision_number=1', 'revision_number=99999999999999999999', '*'),
            ),
            Accept: fc.oneof(
              { weight: 9, arbitrary: fc.constant('application/json') },
              { weight: 1, arbitrary: header },
            ),
            'X-Openstack-Request-Id': header,
            Origin: header,
            'X-Forwarded-For': header,
            Forwarded: header,
            traceparent: header,
            'Content-Length': fc.constantFrom('0', '0', '0', '-1', '1e9', 'x'),
          },
          { requiredKeys: [] },
        ),
        as: fc.constantFrom(...CALLERS),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ method, path: { first, rest }, query: search, headers, as }) => {
          const parts = rest.map((part) => (part === '*' ? (ids[first] ?? 'x') : part));
          const where = ['/v2.0', first, ...parts].join('/');
          await neverADefect({ method, path: `${where}?${search}`, options: { as, headers } });
        }),
        bounded,
      );
    },
    PROPERTY_MS,
  );
});

it('requests came through to the database, and callers do not choose the labels of metrics', async () => {
  for (const outcome of ['POST 201', 'PUT 200', 'GET 200', 'POST 400', 'PUT 400', 'GET 400']) {
    expect(counts.get(outcome), outcome).toBeGreaterThan(0);
  }
  const routes = new Set(
    [...stack.counts.keys()].flatMap((key) => /^nucleon_http_requests_total\{.*route="([^"]*)"/.exec(key)?.[1] ?? []),
  );
  for (const route of routes) expect(route).toMatch(/^(unmatched|\/[a-z0-9./{}_-]*)$/);
  const { body } = await stack.call('GET', '/v2.0/openapi.json');
  // Those that are described, and the few that are not: health, the description itself, what matched nothing.
  expect(routes.size).toBeLessThan(Object.keys(body.paths).length + 10);
});

describe('what was once found', () => {
  const net = () => ids['networks'];
  const port = (attributes: Readonly<Record<string, unknown>>) => ({ port: { network_id: net(), ...attributes } });
  /** A UUID by its digits, that PostgreSQL does not read as one. */
  const ODD_UUID = '0-0000000000000000000000000000000-';

  const EXAMPLES: Readonly<
    Record<string, () => readonly [status: number, method: string, path: string, body?: unknown]>
  > = {
    'a project id too long for its column': () => [
      400,
      'PUT',
      `/v2.0/quotas/${'x'.repeat(256)}`,
      { quota: { network: 7, force: true } },
    ],
    'a list sorted by what has no order': () => [400, 'GET', '/v2.0/agents?sort_key=configurations&sort_dir=asc'],
    'changed_since in the year 0': () => [400, 'GET', '/v2.0/networks?changed_since=0000-01-01T00:00:00Z'],
    'changed_since beyond the year 9999': () => [400, 'GET', '/v2.0/networks?changed_since=9999-12-31T23:59:59-14:00'],
    'a network by an odd UUID, for a port': () => [404, 'POST', '/v2.0/ports', { port: { network_id: ODD_UUID } }],
    'a network by an odd UUID, for a subnet': () => [
      404,
      'POST',
      '/v2.0/subnets',
      { subnet: { network_id: ODD_UUID, ip_version: 4, cidr: '10.0.0.0/24' } },
    ],
    'an object by an odd UUID, to share': () => [
      404,
      'POST',
      '/v2.0/rbac-policies',
      {
        rbac_policy: {
          object_type: 'network',
          object_id: ODD_UUID,
          action: 'access_as_shared',
          target_tenant: '0'.repeat(32),
        },
      },
    ],
    'a subnet by an odd UUID': () => [404, 'POST', '/v2.0/ports', port({ fixed_ips: [{ subnet_id: ODD_UUID }] })],
    'a host too long for its column': () => [400, 'POST', '/v2.0/ports', port({ 'binding:host_id': 'h'.repeat(256) })],
    'a host that is no text': () => [400, 'POST', '/v2.0/ports', port({ 'binding:host_id': { a: 1 } })],
    'an MTU beyond 32 bits': () => [400, 'POST', '/v2.0/networks', { network: { mtu: 2 ** 32 } }],
    'service types that are empty in another way than a list': () => [
      200,
      'PUT',
      `/v2.0/subnets/${ids['subnets']}`,
      { subnet: { service_types: {} } },
    ],
    'service types that are null': () => [
      200,
      'PUT',
      `/v2.0/subnets/${ids['subnets']}`,
      { subnet: { service_types: null } },
    ],
    'a body nested without end': () => [400, 'POST', '/v2.0/networks', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    'an attribute nested without end': () => [
      400,
      'POST',
      '/v2.0/networks',
      `{"network": {"name": ${'{"a":'.repeat(18_000)}1${'}'.repeat(18_000)}}}`,
    ],
    'a body of ten million bytes': () => [413, 'POST', '/v2.0/networks', 'x'.repeat(10_000_000)],
    'a body in UTF-16': () => [400, 'POST', '/v2.0/networks', new Uint8Array(Buffer.from('{"network":{}}', 'utf16le'))],
    'a body that is no UTF-8': () => [
      400,
      'POST',
      '/v2.0/networks',
      new Uint8Array(Buffer.from('{"network":{"name":"\xff\xfe"}}}', 'latin1')),
    ],
    'a body cut short': () => [400, 'POST', '/v2.0/networks', '{"network": {"name": "x"'],
    'a body of a thousand networks': () => [
      409,
      'POST',
      '/v2.0/networks',
      { networks: Array.from({ length: 1000 }, () => ({})) },
    ],
    'a path with a bad escape': () => [404, 'GET', '/v2.0/networks/%zz'],
    'a path with a null character': () => [404, 'GET', '/v2.0/networks/%00'],
    'a path with half a character': () => [404, 'GET', '/v2.0/networks/%ed%a0%80'],
    'a path that goes up': () => [404, 'GET', '/v2.0/networks/%2e%2e%2fports'],
    'an id of eight thousand characters': () => [404, 'GET', `/v2.0/networks/${'a'.repeat(8000)}`],
    'a filter with a null character': () => [400, 'GET', '/v2.0/networks?name=%00'],
    'a query of a thousand values': () => [
      200,
      'GET',
      `/v2.0/networks?${Array.from({ length: 1000 }, (_, n) => `name=${n}`).join('&')}`,
    ],
    'a query of a thousand sort keys': () => [
      200,
      'GET',
      `/v2.0/networks?${Array.from({ length: 1000 }, () => 'sort_key=name&sort_dir=asc').join('&')}`,
    ],
    'a limit without end': () => [200, 'GET', `/v2.0/networks?limit=${'9'.repeat(400)}`],
  };

  it.each(Object.entries(EXAMPLES))('%s is answered, and changes nothing', async (_, request) => {
    const [status, method, path, body] = request();
    const before = await stack.dump();
    const answer = await inTime(stack.call(method, path, body === undefined ? {} : { body }));
    expect({ status: answer.status, errors: stack.errors.map(summary) }).toEqual({ status, errors: [] });
    expect(await stack.dump()).toBe(before);
    // No SQL, no stack, no file name in what a caller is told.
    expect(answer.text).not.toMatch(/select |insert |node_modules|\.ts:|PostgresError/i);
  });

  it('keys of a prototype are attributes like others, and unknown', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty']) {
      const answer = await stack.call('POST', '/v2.0/networks', { body: `{"network": {"${key}": {"shared": true}}}` });
      expect(answer.body.NeutronError.message).toContain(`Unrecognized attribute(s) '${key}'`);
    }
    const bare = await stack.call('POST', '/v2.0/networks', { body: '{"__proto__": {"network": {}}}' });
    expect(bare.status).toBe(400);
    expect({}).not.toHaveProperty('shared');
  });

  it('the profile of a binding keeps the keys of a prototype without being changed by them', async () => {
    const as = { project: 'service', roles: 'admin,service' };
    const body = `{"port": {"network_id": "${net()}", "binding:profile": {"__proto__": {"a": 1}, "constructor": 2}}}`;
    const made = await stack.call('POST', '/v2.0/ports', { as, body });
    expect(made.status).toBe(201);
    expect(made.text).toContain('"__proto__":{"a":1}');
  });
});
