/** What is shared with a project is seen and used there, and changed nowhere but by its owner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, makeOne, makeWorld, type World } from '../support/kinds.ts';
import { admin, member, Stack } from '../support/stack.ts';
import { EVERY_PLUGIN } from './areas/mod.ts';
import { onItem, onTags } from './foreign.ts';

const alice = member('alice');
// RBAC policies want ids of projects as Keystone makes them.
const bob = member('b'.repeat(32));
const carol = member('c'.repeat(32));

let stack: Stack;
let world: World;
beforeAll(async () => {
  stack = await Stack.start('shared', EVERY_PLUGIN);
  world = await makeWorld(stack);
});
afterAll(() => stack.stop());

/** What can be shared, and actions on it. */
const TYPES = {
  network: { collection: 'networks', actions: {} },
  subnetpool: {
    collection: 'subnetpools',
    actions: { add_prefixes: { prefixes: ['10.77.0.0/16'] }, remove_prefixes: { prefixes: ['192.0.2.0/24'] } },
  },
  address_scope: { collection: 'address_scopes', actions: {} },
  security_group: { collection: 'security_groups', actions: {} },
  address_group: {
    collection: 'address_groups',
    actions: { add_addresses: { addresses: ['10.0.0.0/8'] }, remove_addresses: { addresses: ['10.0.0.0/8'] } },
  },
} as const;
const TAGGED: ReadonlySet<string> = new Set(['networks', 'subnetpools', 'security_groups']);

it('all types that RBAC policies share are here', () => {
  const types = stack.plugins.flatMap(({ rbac = [] }) => rbac.map(({ type }) => type));
  expect(Object.keys(TYPES).toSorted()).toEqual(types.toSorted());
});

describe.each(Object.entries(TYPES))('a %s that is shared with one project', (type, { collection, actions }) => {
  let id: string;
  let share: string;
  const seenBy = async (as: typeof bob) => {
    const listed = await stack.call('GET', `/v2.0/${collection}?id=${id}`, { as });
    const shown = await stack.call('GET', `/v2.0/${collection}/${id}`, { as });
    return [listed.body[collection].length, shown.status];
  };
  beforeAll(async () => {
    id = await makeOne(world, collection);
    const rbac_policy = { object_type: type, object_id: id, action: 'access_as_shared', target_tenant: bob.project };
    const made = await stack.call('POST', '/v2.0/rbac-policies', { as: alice, body: { rbac_policy } });
    expect(made.status).toBe(201);
    share = made.body.rbac_policy.id;
  });

  it('is seen there, and nowhere else', async () => {
    expect(await seenBy(bob)).toEqual([1, 200]);
    expect(await seenBy(carol)).toEqual([0, 404]);
    const shown = await stack.call('GET', `/v2.0/${collection}/${id}`, { as: bob });
    // Of address groups it is not shown.
    if (type !== 'address_group') expect(shown.body[KINDS[collection]!.member].shared).toBe(true);
  });

  it('is not changed there, and the refusal says so where that tells nothing new', async () => {
    // Of an address group Neutron says then that it is not there.
    const status = type === 'address_group' ? 404 : 403;
    const before = (await stack.call('GET', `/v2.0/${collection}/${id}`)).text;
    const refused = [
      ...onItem(collection, KINDS[collection]!.member, ['update', 'delete']),
      ...(TAGGED.has(collection) ? onTags(collection).filter(([, method]) => method !== 'GET') : []),
    ];
    for (const [what, method, path, options] of refused) {
      expect((await stack.call(method, path(id), { as: bob, ...options?.(id) })).status, what).toBe(status);
    }
    for (const [name, body] of Object.entries(actions)) {
      const answer = await stack.call('PUT', `/v2.0/${collection}/${id}/${name}`, { as: bob, body });
      expect(answer.status, name).toBe(status);
    }
    expect((await stack.call('GET', `/v2.0/${collection}/${id}`)).text).toBe(before);
  });

  it('is not shared further from there, nor is the share seen, changed or ended', async () => {
    const further = { object_type: type, object_id: id, action: 'access_as_shared', target_tenant: carol.project };
    const made = await stack.call('POST', '/v2.0/rbac-policies', { as: bob, body: { rbac_policy: further } });
    expect(made.status).toBe(400);
    for (const [what, method, path, options] of onItem('rbac_policies', 'rbac_policy', ['show', 'update', 'delete'])) {
      expect((await stack.call(method, path(share), { as: bob, ...options?.(share) })).status, what).toBe(404);
    }
    expect(await seenBy(carol)).toEqual([0, 404]);
  });

  it('is gone there with the share', async () => {
    expect((await stack.call('DELETE', `/v2.0/rbac-policies/${share}`, { as: alice })).status).toBe(204);
    expect(await seenBy(bob)).toEqual([0, 404]);
  });
});

describe('a network that is shared', () => {
  it('shows its subnets and takes ports, but does not show the ports of others', async () => {
    const shared = await stack.create('network', { shared: true });
    const subnet = await stack.create('subnet', { network_id: shared.id, ip_version: 4, cidr: '10.3.0.0/24' });
    const hers = await stack.create('port', { network_id: shared.id, name: 'hers' }, alice);
    const his = await stack.create('port', { network_id: shared.id, name: 'his' }, bob);
    const subnets = await stack.call('GET', `/v2.0/subnets?network_id=${shared.id}`, { as: bob });
    expect(subnets.body.subnets.map(({ id }: { id: string }) => id)).toEqual([subnet.id]);
    const ports = await stack.call('GET', `/v2.0/ports?network_id=${shared.id}`, { as: bob });
    expect(ports.body.ports.map(({ id }: { id: string }) => id)).toEqual([his.id]);
    expect((await stack.call('GET', `/v2.0/ports/${hers.id}`, { as: bob })).status).toBe(404);
    // Known to be there, so the refusal may say so.
    const update = { network: { name: 'mine' } };
    expect((await stack.call('PUT', `/v2.0/networks/${shared.id}`, { as: bob, body: update })).status).toBe(403);
  });

  it('is closed to a project from the moment it is no longer shared', async () => {
    const network = await stack.create('network', { shared: true });
    const body = { network: { shared: false } };
    expect((await stack.call('PUT', `/v2.0/networks/${network.id}`, { as: admin, body })).status).toBe(200);
    const answer = await stack.call('POST', '/v2.0/ports', { as: bob, body: { port: { network_id: network.id } } });
    expect(answer.status).toBe(404);
  });

  it('is not closed under a port that is being made on it', async () => {
    const network = await stack.create('network', { shared: true });
    const port = { port: { network_id: network.id } };
    for (let round = 0; round < 20; round++) {
      const [made, closed] = await Promise.all([
        stack.call('POST', '/v2.0/ports', { as: bob, body: port }),
        stack.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { shared: false } } }),
      ]);
      expect([made.status, closed.status].toSorted()).toEqual(made.status === 201 ? [201, 409] : [200, 404]);
      if (made.status === 201) await stack.call('DELETE', `/v2.0/ports/${made.body.port.id}`);
      await stack.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { shared: true } } });
    }
  });
});
