/**
 * Who may do what: every route that is served, by every kind of caller. The routes come from the definitions of the loaded
 * plugins, so that one that nobody has thought about fails here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation, ResourceDefinition } from '#src/lib/api/definition.ts';
import { admin, Stack, type Who } from '../support/stack.ts';

/** The objects belong to the project `alice`. */
const CALLERS = {
  none: { project: 'alice', roles: ',' },
  reader: { project: 'alice', roles: 'reader' },
  member: { project: 'alice', roles: 'member' },
  manager: { project: 'alice', roles: 'manager' },
  admin,
  service: { project: 'service', roles: 'service' },
  stranger: { project: 'bob', roles: 'member' },
} as const satisfies Readonly<Record<string, Who>>;

/** What a caller gets: a status; of a list, whether the object is in it. */
type Outcome = number | 'sees' | 'hidden';
type Row = Readonly<Record<keyof typeof CALLERS, Outcome>>;

const everybody = (outcome: Outcome): Row => ({
  none: outcome,
  reader: outcome,
  member: outcome,
  manager: outcome,
  admin: outcome,
  service: outcome,
  stranger: outcome,
});
const only = (outcome: Outcome, others: Outcome): Row => ({ ...everybody(others), admin: outcome });
/** What the project's members do, and what others are told. */
const members = (done: number, service: Outcome = 403): Row => ({
  none: 404,
  reader: 403,
  member: done,
  manager: done,
  admin: done,
  service,
  stranger: 404,
});
const readers = (seen: Outcome, hidden: Outcome): Row => ({
  ...everybody(seen),
  none: hidden,
  stranger: hidden,
});
/** A quota is its project's; nobody else's. */
const ofProject: Row = { ...everybody(200), service: 403, stranger: 403 };

const TABLE: Readonly<Record<string, Row>> = {
  'GET networks': readers('sees', 'hidden'),
  'POST networks': { ...everybody(201), none: 403, reader: 403, service: 403 },
  'GET networks/{id}': readers(200, 404),
  'PUT networks/{id}': members(200),
  'DELETE networks/{id}': members(204),
  'GET subnets': readers('sees', 'hidden'),
  'POST subnets': { ...members(201), none: 403 },
  'GET subnets/{id}': readers(200, 404),
  'PUT subnets/{id}': members(200),
  'DELETE subnets/{id}': members(204),
  'GET ports': readers('sees', 'hidden'),
  'POST ports': { ...members(201, 201), none: 403 },
  'GET ports/{id}': readers(200, 404),
  'PUT ports/{id}': members(200, 200),
  'DELETE ports/{id}': members(204, 204),
  'GET agents': only('sees', 'hidden'),
  'GET agents/{id}': only(200, 404),
  'PUT agents/{id}': only(200, 404),
  'DELETE agents/{id}': only(204, 404),
  'GET availability_zones': { ...everybody('sees'), none: 'hidden', service: 'hidden' },
  'GET quotas': { ...only('sees', 403), manager: 'sees' },
  'GET quotas/{id}': ofProject,
  'PUT quotas/{id}': only(200, 403),
  'DELETE quotas/{id}': only(204, 403),
  'GET quotas/{id}/default': ofProject,
  'GET quotas/{id}/details': ofProject,
  'GET quotas/tenant': everybody(200),
  'GET quotas/project': everybody(200),
};

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
  stack = await Stack.start('roles');
});
afterAll(() => stack.stop());

interface Fresh {
  readonly ids: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<string, unknown>>;
}

/** Objects of their own for one question. */
async function fresh(): Promise<Fresh> {
  const { sql } = stack.database;
  await stack.clear();
  await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { network: 90 } } });
  const network = await stack.create('network', { project_id: 'alice' });
  const subnet = await stack.create('subnet', {
    network_id: network.id,
    project_id: 'alice',
    ip_version: 4,
    cidr: '10.0.0.0/24',
  });
  // On a network beside, so that the other can be deleted.
  const other = await stack.create('network', { project_id: 'alice' });
  const port = await stack.create('port', { network_id: other.id, project_id: 'alice' });
  const [agent] = await sql<{ id: string }[]>`
    insert into agents (id, agent_type, "binary", topic, host, availability_zone, admin_state_up, configurations,
      created_at, started_at, heartbeat_timestamp)
    values (gen_random_uuid(), 'DHCP agent', 'b', 't', 'host', 'nova', true, '{}', now(), now(), now()) returning id`;
  return {
    ids: {
      networks: network.id,
      subnets: subnet.id,
      ports: port.id,
      agents: agent!.id,
      quotas: 'alice',
      availability_zones: 'nova',
    },
    bodies: {
      'POST networks': { network: {} },
      'POST subnets': { subnet: { network_id: other.id, ip_version: 4, cidr: '10.1.0.0/24' } },
      'POST ports': { port: { network_id: other.id } },
      'PUT networks/{id}': { network: { name: 'new' } },
      'PUT subnets/{id}': { subnet: { name: 'new' } },
      'PUT ports/{id}': { port: { name: 'new' } },
      'PUT agents/{id}': { agent: { description: 'new' } },
      'PUT quotas/{id}': { quota: { network: 10, force: true } },
    },
  };
}

async function outcomeOf({ method, route, definition, operation }: Served, who: Who): Promise<Outcome> {
  const { ids, bodies } = await fresh();
  const id = ids[definition.collection];
  if (id === undefined) throw new Error(`fresh() makes no object of ${definition.collection}`);
  const path = `/v2.0/${route.replace('{id}', id)}`;
  const before = await stack.dump();
  const answer = await stack.call(method, path, { as: who, body: bodies[`${method} ${route}`] });
  if (answer.status >= 400) {
    expect(await stack.dump(), 'a refusal changes nothing').toBe(before);
  }
  if (operation !== 'list' || answer.status !== 200) return answer.status;
  const key = definition.key ?? 'id';
  const items = answer.body[definition.collection] as readonly Record<string, unknown>[];
  return items.some((item) => item[key] === id) ? 'sees' : 'hidden';
}

describe('every route', () => {
  it('is in the table, and nothing else is', () => {
    expect(Object.keys(TABLE).toSorted()).toEqual(
      routesOf(stack)
        .map(({ method, route }) => `${method} ${route}`)
        .toSorted(),
    );
  });

  it.each(Object.entries(TABLE))('%s', async (name, expected) => {
    const served = routesOf(stack).find(({ method, route }) => `${method} ${route}` === name)!;
    const found: Record<string, Outcome> = {};
    for (const [caller, who] of Object.entries(CALLERS)) found[caller] = await outcomeOf(served, who);
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
    const { ids, bodies } = await fresh();
    const name = collection.slice(0, -1);
    const body = (bodies[`POST ${collection}`] as Record<string, object>)[name];
    const before = await stack.dump();
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
    expect(await stack.dump()).toBe(before);
  });

  it.each([
    ['networks', ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id']],
    ['ports', ['binding:host_id', 'binding:profile', 'binding:vif_type', 'binding:vif_details']],
  ])('are not shown of %s, asked for by name or not', async (collection, hidden) => {
    const { ids } = await fresh();
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
      const { ids } = await fresh();
      const body = { network: { name: 'new', [name]: 'x' } };
      const before = await stack.dump();
      expect((await stack.call('PUT', `/v2.0/networks/${ids['networks']}`, { body })).status).toBe(400);
      expect(await stack.dump()).toBe(before);
    },
  );
});
