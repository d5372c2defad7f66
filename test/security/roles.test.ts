/**
 * Who may do what: every route that is served, by every kind of caller. The routes come from the definitions of the loaded
 * plugins, so that one that nobody has thought about fails here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation, ResourceDefinition } from '#src/lib/api/definition.ts';
import { Stack, type Who } from '../support/stack.ts';
import { CALLERS, type Furnished, type Outcome } from './areas/area.ts';
import { AREAS, EVERY_PLUGIN, furnish } from './areas/mod.ts';

const METHODS: Readonly<Record<Operation, readonly [method: string, suffix: string]>> = {
  list: ['GET', ''],
  create: ['POST', ''],
  show: ['GET', '/{id}'],
  update: ['PUT', '/{id}'],
  delete: ['DELETE', '/{id}'],
  update_all: ['PUT', ''],
  delete_all: ['DELETE', ''],
};

interface Served {
  readonly method: string;
  readonly route: string;
  readonly definition: ResourceDefinition;
  readonly operation: Operation | undefined;
}

function routesOf(stack: Stack): readonly Served[] {
  return stack.resources().flatMap((definition) => {
    const above = definition.parent === undefined ? '' : `${definition.parent.collection}/{parent}/`;
    const base = `${(definition.path_prefix ?? '').replace(/^\//, '')}${above}${definition.collection}`;
    const extensions = stack.plugins.flatMap((plugin) => plugin.extensions);
    const memberActions = Object.assign(
      {},
      definition.member_actions,
      ...extensions.map((extension) => extension.member_actions?.[definition.collection]),
    ) as NonNullable<ResourceDefinition['member_actions']>;
    return [
      ...definition.operations.map((operation) => {
        const [method, suffix] = METHODS[operation];
        return { method, route: `${base}${suffix}`, definition, operation };
      }),
      ...Object.entries(memberActions).map(([name, { method }]) => ({
        method,
        route: `${base}/{id}/${name}`,
        definition,
        operation: undefined,
      })),
      ...Object.entries(definition.collection_actions ?? {}).map(([name, { method }]) => ({
        method,
        route: `${base}/${name}`,
        definition,
        operation: undefined,
      })),
    ];
  });
}

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('roles', EVERY_PLUGIN);
});
afterAll(() => stack.stop());

/** The area that a route is of, with objects of its own. */
const fresh = (route: string) =>
  furnish(
    stack,
    AREAS.filter(({ routes }) => Object.hasOwn(routes, route)),
  );

async function outcomeOf(
  { method, route, definition, operation }: Served,
  who: Who,
  { ids, bodies }: Furnished,
): Promise<Outcome> {
  const id = ids[definition.collection];
  if (id === undefined) throw new Error(`furnish() makes no object of ${definition.collection}`);
  const above = ids[definition.parent?.collection ?? ''] ?? '';
  const path = `/v2.0/${route.replace('{id}', id).replace('{parent}', above)}`;
  const answer = await stack.call(method, path, { as: who, body: bodies[`${method} ${route}`] });
  if (operation !== 'list' || answer.status !== 200) return answer.status;
  const key = definition.key ?? 'id';
  // The networks of an agent are listed as networks.
  const list = answer.body[definition.collection] ?? answer.body[definition.collection.replace(/^.*-/, '')];
  const items = list as readonly (string | Record<string, unknown>)[];
  return items.some((item) => (typeof item === 'string' ? item : item[key]) === id) ? 'sees' : 'hidden';
}

describe('every route', () => {
  it('is in the table of an area, and nothing else is', () => {
    expect(AREAS.flatMap(({ routes }) => Object.keys(routes)).toSorted()).toEqual(
      routesOf(stack)
        .map(({ method, route }) => `${method} ${route}`)
        .toSorted(),
    );
  });

  it.each(AREAS.flatMap(({ routes }) => Object.entries(routes)))('%s', async (name, expected) => {
    const served = routesOf(stack).find(({ method, route }) => `${method} ${route}` === name)!;
    const found: Record<string, Outcome> = {};
    let furnished: Furnished | undefined;
    for (const [caller, who] of Object.entries(CALLERS)) {
      furnished ??= await fresh(name);
      const outcome = await outcomeOf(served, who, furnished);
      found[caller] = outcome;
      // What reads and what is refused leaves the objects to the next caller.
      if (served.method !== 'GET' && typeof outcome === 'number' && outcome < 400) furnished = undefined;
    }
    expect(found).toEqual(expected);
  });
});

describe('attributes that only an administrator may set', () => {
  const MEMBER = CALLERS.member;
  it.each([
    ['networks', { shared: true }],
    ['networks', { 'router:external': true }],
    ['networks', { 'provider:network_type': 'vxlan' }],
    ['networks', { 'provider:physical_network': 'physnet1' }],
    ['networks', { 'provider:segmentation_id': 5 }],
    ['ports', { 'binding:host_id': 'host' }],
    ['ports', { 'binding:profile': { a: 1 } }],
  ])('%s %j', async (collection, attributes) => {
    const { ids, bodies } = await fresh(`GET ${collection}`);
    const name = collection.slice(0, -1);
    const body = (bodies[`POST ${collection}`] as Record<string, object>)[name];
    const created = await stack.call('POST', `/v2.0/${collection}`, {
      as: MEMBER,
      body: { [name]: { ...body, ...attributes } },
    });
    const bulk = await stack.call('POST', `/v2.0/${collection}`, {
      as: MEMBER,
      body: { [collection]: [body, { ...body, ...attributes }] },
    });
    const updated = await stack.call('PUT', `/v2.0/${collection}/${ids[collection]}`, {
      as: MEMBER,
      body: { [name]: attributes },
    });
    expect([created.status, bulk.status, updated.status]).toEqual([403, 403, 403]);
  });

  it.each([
    ['networks', ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id']],
    ['ports', ['binding:host_id', 'binding:profile', 'binding:vif_type', 'binding:vif_details']],
  ])('are not shown of %s, asked for by name or not', async (collection, hidden) => {
    const { ids } = await fresh(`GET ${collection}`);
    const fields = hidden.map((name) => `fields=${encodeURIComponent(name)}`).join('&');
    for (const path of [`${collection}/${ids[collection]}`, `${collection}?id=${ids[collection]}`]) {
      for (const query of ['', fields]) {
        const url = `/v2.0/${path}${query === '' ? '' : `${path.includes('?') ? '&' : '?'}${query}`}`;
        const { status, body } = await stack.call('GET', url, { as: MEMBER });
        expect(status).toBe(200);
        const shown = body[collection]?.[0] ?? body[collection.slice(0, -1)];
        expect(Object.keys(shown).filter((name) => hidden.includes(name))).toEqual([]);
      }
    }
  });

  it('nobody makes objects for another project', async () => {
    for (const name of ['project_id', 'tenant_id']) {
      const body = { network: { [name]: 'bob' } };
      expect((await stack.call('POST', '/v2.0/networks', { as: MEMBER, body })).status).toBe(400);
    }
  });

  it.each(['id', 'status', 'revision_number', 'created_at', 'updated_at', 'project_id', 'tenant_id', 'subnets'])(
    'nobody, administrators included, sets %s of a network',
    async (name) => {
      const { ids } = await fresh('GET networks');
      const body = { network: { name: 'new', [name]: 'x' } };
      expect((await stack.call('PUT', `/v2.0/networks/${ids['networks']}`, { body })).status).toBe(400);
    },
  );
});
