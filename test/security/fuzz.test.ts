/**
 * Whatever is sent to the Networking API is answered in time and never with a defect of ours, and what is refused has changed
 * nothing (`Stack.call` looks). Requests are made from the attribute maps that are served; what has once been found is in
 * `fuzz_found.test.ts` as an example.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KINDS, makeOne, makeWorld, type World } from '../support/kinds.ts';
import { admin, type CallOptions, member, Stack } from '../support/stack.ts';
import { EVERY_PLUGIN } from './areas/mod.ts';
import { contentType, inTime, PROPERTY_MS, scalar, text, tries, value } from './hostile.ts';
import { attributesOf, bodyUnder, type Ids, type Method } from './shapes.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('fuzz', EVERY_PLUGIN);
});
afterAll(async () => {
  await underWay.catch(() => {});
  await stack.stop();
});

const CALLERS = [
  admin,
  member('alice'),
  { project: 'service', roles: 'admin,service' },
  { project: 'alice', roles: 'reader' },
] as const;

let world: World;
/** Ids of objects that requests can name; by collection. */
let ids: Ids;
/** What has been made since the objects are new. */
let made = 0;

async function refurnish(): Promise<void> {
  await stack.clear();
  world = await makeWorld(stack);
  const all: Record<string, string> = { availability_zones: 'nova' };
  for (const [collection, { make, body }] of Object.entries(KINDS)) {
    if (make ?? body) all[collection] = await makeOne(world, collection);
  }
  ids = all;
  made = 0;
  stack.errors.length = 0;
}

/** The request under way: a property that runs out of time leaves its last one behind. */
let underWay: Promise<unknown> = Promise.resolve();
beforeEach(async () => {
  await underWay.catch(() => {});
  await refurnish();
});

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
  const { status } = await inTime(stack.call(method, path, options));
  counts.set(`${method} ${status}`, (counts.get(`${method} ${status}`) ?? 0) + 1);
  if (status >= 500) {
    const why = stack.errors.splice(0).map(summary).join('\n');
    throw new Error(`${method} ${path} ${String(options.body).slice(0, 1000)}\n${status}: ${why}`);
  }
  if (method !== 'GET' && status < 300) made += 1;
  if (made > 200) await refurnish();
}

const summary = ({ fields }: Stack['errors'][number]) => {
  const error = fields?.['error'];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

const collections = Object.keys(KINDS);
const definitionOf = (name: string) =>
  stack.resources().find(({ collection, parent }) => collection === name && parent === undefined)!;
const attributeNames = (): readonly string[] => [
  ...new Set(stack.resources().flatMap(({ attributes }) => Object.keys(attributes))),
];
const encoded = text.map((raw) => encodeURIComponent(raw.toWellFormed()));

it('requests go to every collection, every action and every sub-resource', () => {
  const served = stack.resources();
  expect(collections.toSorted()).toEqual(
    served.flatMap(({ collection, parent }) => (parent === undefined ? [collection] : [])).toSorted(),
  );
  expect(below().map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(ACTION_BODIES)));
  for (const { name, method } of below()) if (method !== 'GET') expect(ACTION_BODIES).toHaveProperty(name);
});

/** What the bodies of actions and of sub-resources hold. */
const ACTION_BODIES: Readonly<Record<string, string>> = {
  tags: 'tags',
  add_addresses: 'addresses',
  remove_addresses: 'addresses',
  add_prefixes: 'prefixes',
  remove_prefixes: 'prefixes',
  onboard_network_subnets: 'network_id',
  add_router_interface: 'port_id',
  remove_router_interface: 'subnet_id',
  add_extraroutes: 'router',
  remove_extraroutes: 'router',
  add_external_gateways: 'router',
  update_external_gateways: 'router',
  remove_external_gateways: 'router',
  service_profiles: 'service_profile',
};

/** Actions on items, and sub-resources below them. */
function below(): readonly { readonly collection: string; readonly name: string; readonly method: string }[] {
  const extensions = stack.plugins.flatMap((plugin) => plugin.extensions);
  return stack.resources().flatMap(({ collection, parent, operations, member_actions }) => {
    if (parent !== undefined) {
      const methods = operations.some((operation) => operation.endsWith('_all'))
        ? ['PUT', 'POST', 'DELETE', 'GET']
        : ['GET'];
      return methods.map((method) => ({ collection: parent.collection, name: collection, method }));
    }
    const added = extensions.map((extension) => extension.member_actions?.[collection]);
    const all: NonNullable<typeof member_actions> = Object.assign({}, member_actions, ...added);
    return Object.entries(all).map(([name, { method }]) => ({ collection, name, method }));
  });
}

describe('whatever is sent', () => {
  it.each(collections)(
    'as a body of %s',
    async (collection) => {
      const { member } = KINDS[collection]!;
      const one = attributesOf(collection, definitionOf(collection).attributes);
      const several = fc.array(one, { maxLength: 3 });
      const body = fc.oneof(
        { weight: 10, arbitrary: one.map((object) => (method: Method) => ({ [member]: object(world, ids, method) })) },
        {
          weight: 2,
          arbitrary: several.map((all) => (method: Method) => ({
            [collection]: all.map((object) => object(world, ids, method)),
          })),
        },
        { weight: 1, arbitrary: value.map((any) => () => any) },
        { weight: 1, arbitrary: value.map((any) => () => ({ [member]: any })) },
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
        tries(250),
      );
    },
    PROPERTY_MS,
  );

  it(
    'below an item',
    async () => {
      const place = fc.constantFrom(...below()).chain(({ collection, name, method }) =>
        fc.record({
          collection: fc.constant(collection),
          method: fc.oneof(
            { weight: 4, arbitrary: fc.constant(method) },
            { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE') },
          ),
          id: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: encoded }),
          rest: fc.oneof(
            fc.constant(name),
            encoded.map((more) => `${name}/${more}`),
          ),
          body: bodyUnder(ACTION_BODIES[name] ?? name),
        }),
      );
      const request = fc.record({ sent: place, as: fc.constantFrom(...CALLERS) });
      await fc.assert(
        fc.asyncProperty(request, async ({ sent: { collection, method, id, rest, body }, as }) => {
          const path = `/v2.0/${collection}/${id ?? ids[collection]}/${rest}`;
          const options = method === 'GET' || method === 'DELETE' ? { as } : { as, body: JSON.stringify(body(ids)) };
          await neverADefect({ method, path, options });
        }),
        tries(800),
      );
    },
    PROPERTY_MS,
  );

  it(
    'as a path, a query and headers',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRequest(), async ({ method, first, rest, query, headers, as }) => {
          const parts = rest.map((part) => (part === '*' ? (ids[first] ?? 'x') : part));
          const path = `${['/v2.0', first, ...parts].join('/')}?${query}`;
          await neverADefect({ method, path, options: { as, headers } });
        }),
        tries(1500),
      );
    },
    PROPERTY_MS,
  );

  /** Values that mean something to some filter, and their likes. */
  const ASKED = [
    '',
    'True',
    '0',
    '-1',
    '9007199254740993',
    '1e400',
    '\0',
    '%',
    '*',
    'null',
    '10.0.0.5',
    '10.0.0.0/33',
    '::1%eth0',
    '\u{1f600}',
    'ip_address=10.0.0.5',
    'subnet_id=x',
    'ip_address_substr=10.%',
    '2026-01-01T00:00:00Z',
    '00000000-0000-4000-8000-000000000000',
    '0-0000000000000000000000000000000-',
  ];

  it.each(collections)('as a filter, a sort key or a field of %s', async (collection) => {
    const names = [
      ...Object.keys(definitionOf(collection).attributes),
      'tenant_id',
      'nothing',
      'changed_since',
      'marker',
      'limit',
    ];
    for (const name of names.map(encodeURIComponent)) {
      const filters = ASKED.map((asked) => `${name}=${encodeURIComponent(asked)}`);
      const queries = [
        ...filters,
        filters.join('&'),
        ...[`sort_key=${name}`, `sort_key=${name}&sort_dir=desc&limit=1&marker=${ids[collection]}`],
        `sort_key=${name}&sort_key=id&sort_dir=asc&sort_dir=desc&page_reverse=True&limit=1&marker=${ids[collection]}`,
        `fields=${name}&${filters[1]}&sort_key=${name}`,
      ];
      for (const query of queries) {
        await neverADefect({ method: 'GET', path: `/v2.0/${collection}?${query}`, options: { as: member('alice') } });
      }
    }
  });
});

function anyRequest() {
  const rawText = fc.stringMatching(/^[%\w.;~&=+-]{0,12}$/);
  const names = attributeNames();
  const parameter = fc.tuple(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...['fields', 'sort_key', 'sort_dir', 'limit', 'marker', 'page_reverse', 'changed_since'],
          ...['tags', 'tags-any', 'not-tags', 'not-tags-any'],
        ),
      },
      { weight: 6, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: text },
    ),
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          ...['asc', 'desc', 'True', '0', '1', '-1', '*', '9007199254740993', 'a=b', '='],
          ...['2026-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00', '2026-01-01T00:00:00+15:59'],
          ...['ip_address=10.0.0.5', 'subnet_id=x', 'ip_address_substr=10.%', 'ip_address=\0'],
        ),
      },
      { weight: 3, arbitrary: fc.constantFrom(...names) },
      { weight: 4, arbitrary: scalar.map(String) },
    ),
  );
  const escaped = (name: string) => encodeURIComponent(name.toWellFormed());
  const query = fc
    .array(parameter, { maxLength: 5 })
    .map((pairs) => pairs.map(([name, given]) => `${escaped(name)}=${escaped(given)}`).join('&'));
  const sorted = fc
    .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom('asc', 'desc')), { maxLength: 3 })
    .map((pairs) => pairs.map(([key, direction]) => `sort_key=${escaped(key)}&sort_dir=${direction}`).join('&'));
  const header = fc
    .string({ unit: fc.constantFrom(...' !"#$%&\'()*+,-./0129:;<=>?@AZ[\\]^_`az{|}~\t\u00ff'), maxLength: 40 })
    .map((raw) => raw.trim());
  const headers = fc.record(
    {
      'If-Match': fc.oneof(header, fc.constantFrom('revision_number=1', `revision_number=${'9'.repeat(20)}`, '*')),
      Accept: fc.oneof({ weight: 9, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: header }),
      'X-Openstack-Request-Id': header,
      Origin: header,
      'X-Forwarded-For': header,
      Forwarded: header,
      traceparent: header,
      'Content-Length': fc.constantFrom('0', '0', '0', '-1', '1e9', 'x'),
    },
    { requiredKeys: [] },
  );
  const part = fc.oneof(encoded, rawText, fc.constant('*'), fc.constantFrom('default', 'details', 'project', 'tags'));
  return fc.record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'DELETE', 'PUT', 'POST', 'PATCH', 'OPTIONS'),
    first: fc.constantFrom(...collections, 'extensions', 'nothing', '__proto__'),
    rest: fc.array(part, { maxLength: 3 }),
    query: fc.oneof(
      query,
      rawText,
      sorted,
      fc.tuple(query, sorted).map((both) => both.join('&')),
    ),
    headers,
    as: fc.constantFrom(...CALLERS),
  });
}

it('requests came through to the database, and callers do not choose the labels of metrics', () => {
  for (const outcome of ['POST 201', 'PUT 200', 'GET 200', 'POST 400', 'PUT 400', 'GET 400']) {
    expect(counts.get(outcome), outcome).toBeGreaterThan(0);
  }
  const routes = new Set(
    [...stack.counts.keys()].flatMap((key) => /^nucleon_http_requests_total\{.*route="([^"]*)"/.exec(key)?.[1] ?? []),
  );
  for (const route of routes) expect(route).toMatch(/^(unmatched|\/[a-z0-9./{}_-]*)$/);
  expect(routes.size).toBeLessThan(150);
});
