/**
 * Two projects that must not learn of each other: whatever one does with an id of the other is answered as for an id that
 * nothing has, word for word, and what lists, filters, sorts and markers give never holds the other's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, makeOne, makeWorld, type World } from '../support/kinds.ts';
import { type Answer, member, Stack } from '../support/stack.ts';
import { EVERY_PLUGIN } from './areas/mod.ts';
import { elsewhere, type Own, onItem, onTags } from './foreign.ts';

const bob = member('bob');

let stack: Stack;
/** Objects of the project `alice`, by collection. */
const hers: Record<string, string> = {};
let his: Own;

/** What nobody owns. */
const EVERYBODYS: ReadonlySet<string> = new Set([
  'default_security_group_rules',
  'availability_zones',
  'quotas',
  'floatingip_pools',
  'flavors',
  'service_profiles',
  'service_providers',
]);

/** Where the owner is not the one who makes it. */
const MADE: Readonly<Record<string, (world: World) => Promise<string>>> = {
  async security_groups_default_statefulness() {
    const body = { security_groups_default_statefulness: { project_id: 'alice', stateful: false } };
    const answer = await stack.call('POST', '/v2.0/security_groups_default_statefulness', { body });
    return answer.body.security_groups_default_statefulness.id;
  },
  subnets: async ({ network }) =>
    (await stack.create('subnet', { network_id: network, ip_version: 4, cidr: '10.1.0.0/24' }, member('alice'))).id,
  networks: async ({ network }) => network,
};

beforeAll(async () => {
  stack = await Stack.start('isolation', EVERY_PLUGIN);
  const world = await makeWorld(stack);
  for (const collection of Object.keys(KINDS)) {
    if (EVERYBODYS.has(collection)) continue;
    hers[collection] = await (MADE[collection]?.(world) ?? makeOne(world, collection));
    if (collection in TAGGED) await stack.call('PUT', `/v2.0/${collection}/${hers[collection]}/tags/red`);
  }
  const network = (await stack.create('network', { name: 'of bob' }, bob)).id;
  await stack.create('subnet', { network_id: network, ip_version: 4, cidr: '10.2.0.0/24', name: 'of bob' }, bob);
  const port = (await stack.create('port', { network_id: network, name: 'of bob' }, bob)).id;
  const pool = (await stack.create('subnetpool', { name: 'p', prefixes: ['10.80.0.0/16'] }, bob)).id;
  const group = (await stack.create('security_group', { name: 'of bob' }, bob)).id;
  const router = (await stack.create('router', { name: 'of bob' }, bob)).id;
  const outside = await stack.create('network', { 'router:external': true, name: 'of all' });
  await stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '172.25.0.0/24', name: 'of all' });
  const floatingip = (await stack.create('floatingip', { floating_network_id: outside.id }, bob)).id;
  his = { network, port, pool, group, router, outside: outside.id, floatingip };
});
afterAll(() => stack.stop());

const TAGGED = { networks: 1, subnets: 1, ports: 1, subnetpools: 1, security_groups: 1, routers: 1, floatingips: 1 };

/** What is told, with the id that was asked for taken out. */
function told({ status, text, headers }: Answer, id: string): unknown {
  const shown = [...headers].filter(([name]) => name !== 'x-openstack-request-id');
  return { status, text: text.replaceAll(id, '<id>'), headers: shown };
}

const ELSEWHERE = elsewhere(() => his);
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  security_group_rules: ['list', 'show', 'delete'],
  network_ip_availabilities: ['list', 'show'],
  agents: ['list', 'show', 'update', 'delete'],
  auto_allocated_topology: ['show', 'delete'],
};
const ALL = ['list', 'show', 'update', 'delete'];

const owned = Object.keys(KINDS).filter((collection) => !EVERYBODYS.has(collection));

describe.each(owned)('who names a foreign item of %s', (collection) => {
  const requests = [
    ...onItem(collection, KINDS[collection]!.member, OPERATIONS[collection] ?? ALL),
    ...(collection in TAGGED ? onTags(collection) : []),
    ...(ELSEWHERE[collection] ?? []),
  ];
  it.each(requests.map(([what, ...request]) => ({ what, request })))(
    '$what: the answer is that for an id that nothing has',
    async ({ request: [method, path, options] }) => {
      const answers = [];
      for (const id of [hers[collection]!, crypto.randomUUID()]) {
        answers.push(told(await stack.call(method, path(id), { as: bob, ...options?.(id) }), id));
      }
      expect(answers[0]).toEqual(answers[1]);
    },
  );
});

it('every collection with tags and every operation is asked', () => {
  const served = stack.resources();
  const tagged = served.flatMap(({ collection, parent }) => (collection === 'tags' ? parent!.collection : []));
  expect(Object.keys(TAGGED).toSorted()).toEqual(tagged.toSorted());
  for (const { collection, operations, parent } of served) {
    if (parent !== undefined || EVERYBODYS.has(collection)) continue;
    expect((OPERATIONS[collection] ?? ALL).toSorted(), collection).toEqual(
      operations.filter((operation) => operation !== 'create').toSorted(),
    );
  }
});

describe('lists', () => {
  /** Queries by every attribute of her object, with its very values. */
  async function queriesAbout(collection: string): Promise<readonly string[]> {
    const { attributes } = stack.resources().find((one) => one.collection === collection && one.parent === undefined)!;
    const shown = await stack.call('GET', `/v2.0/${collection}/${hers[collection]}`);
    const item: Readonly<Record<string, unknown>> = shown.body[KINDS[collection]!.member];
    const byValue = Object.entries(item)
      .filter(
        ([name, value]) =>
          attributes[name]?.is_filter === true && ['string', 'number', 'boolean'].includes(typeof value),
      )
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
    const names = Object.keys(attributes).map(encodeURIComponent);
    return [
      ...[
        '',
        'project_id=alice',
        'tenant_id=alice',
        'project_id=alice&project_id=bob',
        'tenant_id=bob&project_id=alice',
      ],
      ...['shared=false', 'limit=1000', 'changed_since=2000-01-01T00:00:00Z'],
      ...(collection in TAGGED ? ['tags=red', 'tags-any=red,blue', 'not-tags=blue', 'not-tags-any=blue'] : []),
      ...byValue,
      ...names.map((name) => `fields=${name}`),
      ...names.map((name) => `sort_key=${name}&sort_dir=desc`),
    ];
  }

  it.each(owned)("of %s never hold what is another project's, whatever is asked", async (collection) => {
    for (const query of await queriesAbout(collection)) {
      const { status, text } = await stack.call('GET', `/v2.0/${collection}?${query}`, { as: bob });
      expect(status, query).toBeLessThan(500);
      // An error may name what was asked for, never more.
      if (status !== 200) continue;
      for (const secret of ['alice', ...Object.values(hers)]) expect(text, query).not.toContain(secret);
    }
  });

  it('do not tell by a page link or an empty page that there is more', async () => {
    const page = await stack.call('GET', '/v2.0/networks?name=of bob&limit=1', { as: bob });
    expect(page.body.networks.map(({ id }: { id: string }) => id)).toEqual([his.network]);
    const next = await stack.call('GET', `/v2.0/networks?name=of bob&limit=1&marker=${his.network}`, { as: bob });
    expect(next.body.networks).toEqual([]);
  });
});

describe('quotas', () => {
  beforeAll(async () => {
    for (const project of ['alice', 'bob']) {
      const answer = await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota: { network: 77 } } });
      expect(answer.status).toBe(200);
    }
  });

  it('a manager lists those of the own project only', async () => {
    const { status, body } = await stack.call('GET', '/v2.0/quotas', { as: { project: 'bob', roles: 'manager' } });
    expect(status).toBe(200);
    expect(body.quotas.map((quota: { project_id: string }) => quota.project_id)).toEqual(['bob']);
  });

  it.each(['', '/default', '/details'])('%s of another project are refused, known or not', async (action) => {
    for (const roles of ['reader', 'member', 'manager']) {
      const as = { project: 'bob', roles };
      const known = await stack.call('GET', `/v2.0/quotas/alice${action}`, { as });
      const unknown = await stack.call('GET', `/v2.0/quotas/nobody${action}`, { as });
      expect(known.status).toBe(403);
      expect(told(known, 'alice')).toEqual(told(unknown, 'nobody'));
    }
  });
});
