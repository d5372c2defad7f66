/**
 * How many SQL statements each request costs: the same for one row as for many, whether in the table, in a bulk request or below
 * the object; and as many as this table says, so that a change of it is somebody's decision. BEGIN and COMMIT are statements,
 * and so is the look at the quota that a process takes once in a while (`src/quota/room.ts`): here it is always due.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EVERY_PLUGIN } from '../security/areas/mod.ts';
import { alice, KINDS, type Kind, makeOne, makeWorld, type World } from '../support/kinds.ts';
import { admin, Stack, type Who } from '../support/stack.ts';

type Costs = Readonly<Record<string, number>>;

const READ: Costs = { list: 1, page: 2, show: 1 };
const TAGS: Costs = {
  ...{ 'GET tags': 1, 'PUT tags': 4, 'POST tags': 4, 'DELETE tags': 4 },
  ...{ 'GET tag': 1, 'PUT tag': 4, 'DELETE tag': 4 },
};
/** Lists of groups and rules see to it that there is a default group. */
const READ_WITH_DEFAULT: Costs = { list: 2, page: 3, show: 1 };

/** For the owner. */
const EXPECTED: Readonly<Record<string, Costs>> = {
  networks: { ...READ, create: 9, update: 8, delete: 12, ...TAGS },
  subnets: { ...READ, create: 12, update: 11, delete: 12, ...TAGS },
  ports: { ...READ, create: 12, update: 13, delete: 8, ...TAGS },
  subnetpools: {
    ...{ ...READ, create: 7, update: 7, delete: 7, ...TAGS },
    ...{ add_prefixes: 9, remove_prefixes: 10, onboard_network_subnets: 15 },
  },
  address_scopes: { ...READ, create: 4, update: 7, delete: 6 },
  address_groups: { ...READ, create: 6, update: 8, delete: 7, add_addresses: 9, remove_addresses: 9 },
  security_groups: { ...READ_WITH_DEFAULT, create: 7, update: 8, delete: 12, ...TAGS },
  security_group_rules: { ...READ_WITH_DEFAULT, create: 8, delete: 7 },
  default_security_group_rules: { ...READ, create: 6, delete: 2 },
  security_groups_default_statefulness: { ...READ, create: 1, update: 2, delete: 1 },
  rbac_policies: { ...READ, create: 8, update: 9, delete: 7 },
  segments: { ...READ, create: 9, update: 7, delete: 10 },
  routers: {
    ...{ ...READ, create: 15, update: 9, delete: 13, ...TAGS },
    ...{ 'set gateway': 17, 'clear gateway': 14, add_extraroutes: 10, remove_extraroutes: 10 },
    ...{ add_router_interface: 16, 'add_router_interface by port': 17, remove_router_interface: 15 },
    ...{ add_external_gateways: 17, update_external_gateways: 8, remove_external_gateways: 14 },
    ...{ 'list conntrack helpers': 2, 'show conntrack helper': 2, 'add conntrack helpers': 9 },
    ...{ 'change conntrack helper': 10, 'remove conntrack helper': 9 },
  },
  floatingips: {
    ...{ ...READ, create: 13, update: 7, delete: 12, ...TAGS, associate: 11, disassociate: 8 },
    ...{ 'list port forwardings': 2, 'show port forwarding': 2, 'add port forwardings': 15 },
    ...{ 'change port forwarding': 14, 'remove port forwarding': 11 },
  },
  floatingip_pools: { list: 1 },
  flavors: { ...READ, create: 3, update: 6, delete: 3 },
  service_profiles: { ...READ, create: 3, update: 7, delete: 6 },
  service_providers: { list: 0 },
  auto_allocated_topology: { show: 1, allocate: 54, check: 3, delete: 34 },
  ndp_proxies: { ...READ, create: 10, update: 8, delete: 7 },
  network_ip_availabilities: { list: 1, show: 1 },
  agents: { ...READ, update: 6, delete: 6 },
  availability_zones: { list: 1 },
  quotas: { list: 1, show: 1, update: 4, delete: 1, default: 0, details: 1 },
};
/** What differs for an administrator, of whom policy asks nothing about the object or those above it. */
const FOR_ADMIN: Readonly<Record<string, Costs>> = {
  networks: { update: 7, delete: 11 },
  subnets: { create: 11 },
  ports: { create: 10, update: 10, delete: 7 },
  security_group_rules: { create: 7 },
  subnetpools: { onboard_network_subnets: 16 },
  routers: {
    ...{ update: 8, delete: 12, 'set gateway': 16, 'clear gateway': 13 },
    ...{ add_router_interface: 15, 'add_router_interface by port': 16, remove_router_interface: 14 },
    ...{ add_external_gateways: 16, update_external_gateways: 7, remove_external_gateways: 13 },
    ...{ 'list conntrack helpers': 1, 'show conntrack helper': 1, 'add conntrack helpers': 8 },
    ...{ 'change conntrack helper': 9, 'remove conntrack helper': 8 },
  },
  floatingips: {
    ...{ delete: 11, 'list port forwardings': 1, 'show port forwarding': 1, 'add port forwardings': 14 },
    ...{ 'change port forwarding': 13, 'remove port forwarding': 10 },
  },
  ndp_proxies: { update: 7, delete: 6 },
};

/** Room enough in the ranges that nothing chosen at random is met twice. */
const OPTIONS = { ...EVERY_PLUGIN, ml2_type_vxlan: { vni_ranges: ['1:16777215'] } };

let stack: Stack;
let world: World;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  stack = await Stack.start('statements', OPTIONS);
  // Nothing is refused here.
  stack.refusalsChangeNothing = false;
  world = await makeWorld(stack);
  // Makes the administrator's default group.
  await stack.call('GET', '/v2.0/security-groups');
});
afterAll(async () => {
  vi.useRealTimers();
  await stack.stop();
});

const definitionOf = (name: string) =>
  stack.resources().find(({ collection, parent }) => collection === name && parent === undefined)!;

async function cost(as: Who, method: string, path: string, body?: unknown): Promise<number> {
  vi.advanceTimersByTime(60_000);
  const before = stack.counted('nucleon_sql_statements_total');
  const { status, text } = await stack.call(method, `/v2.0/${path}`, body === undefined ? { as } : { as, body });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return stack.counted('nucleon_sql_statements_total') - before;
}

/** Queries of a list: those that cost the same are together. */
function queries(collection: string, id: string): Readonly<Record<'list' | 'page', readonly string[]>> {
  const names = Object.keys(definitionOf(collection).attributes);
  const list = ['', `?fields=${names[0]}`];
  if (names.includes('tags')) list.push('?tags=red', '?not-tags-any=blue,red');
  if (!names.includes('id')) return { list, page: [] };
  return {
    list: [...list, '?sort_key=id&sort_dir=desc', `?id=${id}`, '?limit=2'],
    page: ['', '&page_reverse=true', '&fields=id'].map((more) => `?limit=2&marker=${id}${more}`),
  };
}

/** What every request costs where there are so many rows. */
async function costs(collection: string, rows: number, as: Who): Promise<Costs> {
  const { member, body, make, change, actions = {} }: Kind = KINDS[collection]!;
  const { operations, attributes, bulk = false } = definitionOf(collection);
  const owned = ['project_id', 'tenant_id'].some((name) => Object.hasOwn(attributes, name));
  const found: Record<string, number> = {};
  let last = '';
  if (make ?? body) [last = ''] = await Promise.all(Array.from({ length: rows }, () => makeOne(world, collection)));
  for (const [name, all] of Object.entries(operations.includes('list') ? queries(collection, last) : {})) {
    for (const query of all) {
      const statements = await cost(as, 'GET', `${collection}${query}`);
      found[name] ??= statements;
      expect(statements, `${collection}${query} costs as every ${name}`).toBe(found[name]);
    }
  }
  const item = async () => `${collection}/${await makeOne(world, collection, rows)}`;
  if (operations.includes('show')) found['show'] = await cost(as, 'GET', await item());
  if (body !== undefined) {
    const bodies = Array.from({ length: bulk ? Math.min(rows, 10) : 1 }, () => ({
      ...(owned ? { project_id: 'alice' } : {}),
      ...body(world, rows),
    }));
    const sent = bodies.length === 1 ? { [member]: bodies[0] } : { [collection]: bodies };
    found['create'] = await cost(as, 'POST', collection, sent);
  }
  if (change !== undefined) found['update'] = await cost(as, 'PUT', await item(), { [member]: change(world, rows) });
  if (operations.includes('delete')) found['delete'] = await cost(as, 'DELETE', await item());
  for (const [name, action] of Object.entries(actions)) {
    const id = await makeOne(world, collection, rows);
    const [method, path, sent] = await action(world, id, rows);
    found[name] = await cost(as, method, `${collection}${path}`, sent);
  }
  return found;
}

it('every collection is here', () => {
  const served = stack.resources().filter(({ parent }) => parent === undefined);
  expect(Object.keys(KINDS).toSorted()).toEqual(served.map(({ collection }) => collection).toSorted());
});

it.each(Object.keys(KINDS))('%s cost what they should, with one row and with many', async (collection) => {
  const { owner = alice } = KINDS[collection]!;
  const found: Record<string, Costs> = {};
  for (const rows of [1, 25]) {
    found[`owner, ${rows}`] = await costs(collection, rows, owner);
    found[`admin, ${rows}`] = await costs(collection, rows, admin);
  }
  const own = EXPECTED[collection];
  const all = { ...own, ...FOR_ADMIN[collection] };
  expect(found).toEqual({ 'owner, 1': own, 'owner, 25': own, 'admin, 1': all, 'admin, 25': all });
});
