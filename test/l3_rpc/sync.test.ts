/** What `sync_routers` and its like answer to whom, in pages, at what cost; and where ports of routers come to be by it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin } from '../support/stack.ts';
import { type Anything, L3Cloud } from './support.ts';

const MIB = 1024 * 1024;
const NO_LIMITS = Object.fromEntries(
  ['network', 'subnet', 'port', 'router', 'floatingip'].map((name) => [`quota_${name}`, -1]),
);
const idsOf = (routers: readonly Anything[]): readonly string[] => routers.map(({ id }) => id);
const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

let cloud: L3Cloud;
beforeAll(async () => {
  cloud = await L3Cloud.start('l3_sync', { quotas: NO_LIMITS });
});
afterAll(() => cloud?.stack.stop());
beforeEach(async () => {
  await cloud.stack.clear();
  await cloud.agent('host1');
  await cloud.agent('host2');
});

async function bulk(collection: string, bodies: readonly object[]): Promise<Anything[]> {
  const { status, text, body } = await cloud.stack.call('POST', `/v2.0/${collection}`, {
    as: admin,
    body: { [collection]: bodies },
  });
  if (status !== 201) throw new Error(text);
  return body[collection];
}

/** Routers of the host, each with an interface and floating IPs that lead nowhere. */
async function routersOn(host: string, count: number, floatingips = 0): Promise<Anything[]> {
  const { net } = await cloud.external('172.16.0.0/16');
  const numbers = Array.from({ length: count }, (_, n) => n);
  const gateway = { external_gateway_info: { network_id: net.id } };
  const routers = await bulk(
    'routers',
    numbers.map(() => gateway),
  );
  for (const router of routers) {
    const { sub } = await cloud.lan(`10.0.${cloud.next() % 250}.0/24`, admin);
    await cloud.add(router, { subnet_id: sub.id }, admin);
  }
  if (floatingips > 0) {
    const all = routers.flatMap((router) => Array.from({ length: floatingips }, () => router));
    const made = await bulk(
      'floatingips',
      all.map(() => ({ floating_network_id: net.id })),
    );
    // As port forwardings leave them.
    await cloud.sql`
      update floatingips f set router_id = r.router_id
      from unnest(${idsOf(made) as string[]}::uuid[], ${idsOf(all) as string[]}::uuid[]) as r (id, router_id) where f.id = r.id`;
  }
  await cloud.give(host, ...routers);
  return routers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** All pages, as an agent asks for them. */
async function pages(host: string, args: object): Promise<Anything[][]> {
  const all: Anything[][] = [];
  for (let after: object | null = null; ; ) {
    const page = await cloud.sync(host, { ...args, ...(after === null ? {} : { after }) });
    if (page.length === 0) return all;
    all.push(page);
    const last = page.at(-1);
    after = { router_id: last.id, floatingip_id: last._floatingips?.at(-1)?.id ?? null };
  }
}

describe('the routers that an agent is told of', () => {
  it("are its host's alone, whatever it asks for", async () => {
    const [own] = await routersOn('host1', 1);
    const [other] = await routersOn('host2', 1);
    const asked = [own.id, other.id, crypto.randomUUID(), 'no id'];
    expect(idsOf(await cloud.sync('host1', { router_ids: asked }))).toEqual([own.id]);
    expect(idsOf(await cloud.sync('host1'))).toEqual([own.id]);
    expect(idsOf(await cloud.sync('host1', { router_ids: [] }))).toEqual([own.id]);
    expect(await cloud.call('host1', 'get_router_ids', { host: 'host1' })).toEqual([own.id]);
    expect(await cloud.sync('host1', { router_ids: [other.id] })).toEqual([]);
    expect(await cloud.sync('host3')).toEqual([]);
    await expect(cloud.call('host1', 'sync_routers', { host: 'host2' })).rejects.toThrow(/speak only for itself/);
  });

  it('are none while the agent is disabled, and leave out routers that are', async () => {
    const [first, second] = await routersOn('host1', 2);
    await cloud.change('router', first.id, { admin_state_up: false }, admin);
    expect(idsOf(await cloud.sync('host1'))).toEqual([second.id]);
    expect(await cloud.call('host1', 'get_router_ids', { host: 'host1' })).toEqual([first.id, second.id]);
    await cloud.sql`update agents set admin_state_up = false where host = 'host1' and agent_type = 'L3 agent'`;
    expect(await cloud.sync('host1')).toEqual([]);
    expect(await cloud.call('host1', 'get_router_ids', { host: 'host1' })).toEqual([]);
  });

  it('are those that a distributed router has ports of, or its SNAT', async () => {
    await cloud.l3Agent('snat', 'dvr_snat');
    await cloud.agent('compute', 'dvr');
    const { net } = await cloud.external();
    const { net: inside, sub } = await cloud.lan(undefined, admin);
    const router = await cloud.stack.create('router', {
      distributed: true,
      external_gateway_info: { network_id: net.id },
    });
    await cloud.add(router, { subnet_id: sub.id }, admin);
    expect(idsOf(await cloud.sync('snat'))).toEqual([router.id]);
    expect(await cloud.sync('compute')).toEqual([]);
    const port = await cloud.l2.port(inside.id, 'compute');
    const floatingip = await cloud.floating(net, { port_id: port.id }, admin);
    const [there] = await cloud.sync('compute');
    expect(there.id).toBe(router.id);
    expect(there._floatingips).toMatchObject([{ id: floatingip.id, host: 'compute', dest_host: null }]);
    // It leads from the compute host: the SNAT has nothing to do with it.
    const [snat] = await cloud.sync('snat');
    expect(snat._floatingips).toBeUndefined();
    expect(snat._snat_router_interfaces).toHaveLength(1);
    expect([there.gw_port_host, snat.gw_port_host]).toEqual(['snat', 'snat']);
  });
});

describe('networks that an agent is told of', () => {
  it("are those of its host's routers", async () => {
    const [router] = await routersOn('host1', 1);
    await routersOn('host2', 1);
    const answer = await cloud.call('host1', 'get_networks', { filters: {}, fields: ['id', 'mtu'] }, '1.12');
    const [synced] = await cloud.sync('host1', { router_ids: [router.id] });
    const own = [synced.gw_port, ...synced._interfaces].map(({ network_id }: Anything) => ({
      id: network_id,
      mtu: expect.any(Number),
    }));
    expect(answer).toEqual(expect.arrayContaining(own));
    expect(answer).toHaveLength(2);
  });
});

describe('pages', () => {
  it('go through all routers in order, of a limit and of 256 KiB', async () => {
    const routers = await routersOn('host1', 7);
    const byTwo = await pages('host1', { limit: 2 });
    expect(byTwo.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    expect(idsOf(byTwo.flat())).toEqual(idsOf(routers));
    const three = idsOf(routers.slice(2, 5));
    expect(idsOf((await pages('host1', { limit: 2, router_ids: three })).flat())).toEqual(three);
    const ids = await cloud.call('host1', 'get_router_ids', { limit: 3, after: routers[1].id });
    expect(ids).toEqual(idsOf(routers.slice(2, 5)));
  });

  it('hold no more than a message, where routers are many and large', async () => {
    const routers = await routersOn('host1', 20, 60);
    const all = await pages('host1', { limit: 1000 });
    expect(idsOf(all.flat())).toEqual(idsOf(routers));
    expect(all.flat().map(({ _floatingips }) => _floatingips.length)).toEqual(routers.map(() => 60));
    for (const page of all) expect(sizeOf(page)).toBeLessThanOrEqual(256 * 1024);
    expect(all.length).toBeGreaterThan(1);
  });

  it('go on within a router that has more floating IPs than a page holds', async () => {
    const [router] = await routersOn('host1', 1, 500);
    const all = await pages('host1', { limit: 1000 });
    expect(all.length).toBeGreaterThan(2);
    for (const page of all) {
      expect(page.map(({ id, _interfaces }) => [id, _interfaces.length])).toEqual([[router.id, 1]]);
      expect(sizeOf(page)).toBeLessThanOrEqual(256 * 1024);
    }
    const floatingips = all.flatMap(([{ _floatingips }]) => idsOf(_floatingips));
    expect(floatingips).toHaveLength(500);
    expect(floatingips).toEqual([...new Set(floatingips)].toSorted());
  });

  it('are asked for by a failure that makes an agent of Neutron ask for fewer routers', async () => {
    await routersOn('host1', 20, 100);
    await expect(cloud.sync('host1')).rejects.toMatchObject({ type: 'MessagingTimeout' });
    const ids = await cloud.call('host1', 'get_router_ids', { host: 'host1' });
    const half = await cloud.sync('host1', { router_ids: ids.slice(0, 10) });
    expect(idsOf(half)).toEqual(ids.slice(0, 10));
    expect(sizeOf(half)).toBeLessThan(MIB);
  });
});

describe('what a sync costs', () => {
  it('is the same for one router as for many, with floating IPs and without', async () => {
    await routersOn('host1', 1);
    await routersOn('host2', 12, 5);
    const cost = async (host: string) => {
      await cloud.sync(host);
      return await cloud.cost(() => cloud.sync(host));
    };
    expect([await cost('host1'), await cost('host2')]).toEqual([8, 8]);
    expect(await cloud.cost(() => cloud.call('host1', 'get_router_ids', {}))).toBe(3);
  });

  it('is the same for the ports of one router that are placed as for those of many', async () => {
    await routersOn('host1', 1);
    await routersOn('host2', 8);
    const costs = [];
    for (const host of ['host1', 'host2']) costs.push(await cloud.cost(() => cloud.sync(host)));
    expect(costs[1]).toBe(costs[0]);
  });
});

describe('ports of routers', () => {
  const places = async (router: Anything) =>
    (await cloud.portsOf(router.id)).map((port) => [port['binding:host_id'], port['binding:vif_type']]);

  it('are where the agent is that asks for the router, and move with it', async () => {
    const [router] = await routersOn('host1', 1);
    expect(await places(router)).toEqual([
      ['', 'unbound'],
      ['', 'unbound'],
    ]);
    const [synced] = await cloud.sync('host1');
    expect(await places(router)).toEqual([
      ['host1', 'ovs'],
      ['host1', 'ovs'],
    ]);
    expect(synced.gw_port['binding:host_id']).toBe('host1');
    expect(synced._interfaces[0]['binding:vif_type']).toBe('ovs');
    await cloud.give('host2', router);
    const told = await cloud.l2.told('q-agent-notifier-port-update', () => cloud.sync('host2'));
    expect(await places(router)).toEqual([
      ['host2', 'ovs'],
      ['host2', 'ovs'],
    ]);
    expect(new Set(told.flatMap(({ to }) => to))).toEqual(new Set(['host1', 'host2']));
  });

  it('become ACTIVE by what L2 agents report alone', async () => {
    const [router] = await routersOn('host1', 1);
    await cloud.sync('host1');
    const [port] = await cloud.portsOf(router.id);
    expect(port.status).toBe('DOWN');
    await cloud.l2.call('host1', 'get_device_details', { device: port.id, agent_id: 'a', host: 'host1' });
    await cloud.l2.call('host1', 'update_device_up', { device: port.id, agent_id: 'a', host: 'host1' });
    const [synced] = await cloud.sync('host1');
    const again = [synced.gw_port, ...synced._interfaces].find(({ id }: Anything) => id === port.id);
    expect(again.status).toBe('ACTIVE');
  });

  it('are bound the next time where that was not possible', async () => {
    const [router] = await routersOn('host1', 1);
    await cloud.sql`update agents set heartbeat_timestamp = '2026-01-01' where agent_type = 'Open vSwitch agent'`;
    await cloud.sync('host1');
    expect((await places(router))[0]).toEqual(['host1', 'binding_failed']);
    await cloud.sql`update agents set heartbeat_timestamp = now() where agent_type = 'Open vSwitch agent'`;
    await cloud.sync('host1');
    expect((await places(router))[0]).toEqual(['host1', 'ovs']);
  });

  it('of highly available routers stay where they are', async () => {
    const { sub } = await cloud.lan(undefined, admin);
    const router = await cloud.stack.create('router', { ha: true });
    await cloud.add(router, { subnet_id: sub.id }, admin);
    const inside = async () => {
      const found = (await cloud.portsOf(router.id)).find(({ device_owner }) => /replicated/.test(device_owner));
      return found['binding:host_id'];
    };
    await cloud.sync('host2');
    expect(await inside()).toBe('host2');
    const [synced] = await cloud.sync('host1');
    expect(await inside()).toBe('host2');
    expect(synced._ha_interface['binding:host_id']).toBe('host1');
  });
});
