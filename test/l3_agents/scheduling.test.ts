/** Which L3 agents get a router, when, and what that costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin } from '../support/stack.ts';
import { L3Cloud } from './support.ts';

describe('centralised routers', () => {
  let cloud: L3Cloud;
  beforeAll(async () => {
    cloud = await L3Cloud.start('l3_scheduling');
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  test('their first interface gives them an agent', async () => {
    await cloud.agent('a');
    const router = await cloud.router();
    expect(await cloud.holders(router)).toEqual([]);
    const { sub } = await cloud.lan();
    await cloud.add(router, { subnet_id: sub.id });
    expect(await cloud.holders(router)).toEqual(['a']);
  });

  test('so does their first gateway, and one that they are made with', async () => {
    await cloud.agent('a');
    const { net } = await cloud.external();
    const router = await cloud.router();
    await cloud.change('router', router.id, { external_gateway_info: { network_id: net.id } });
    expect(await cloud.holders(router)).toEqual(['a']);
    expect(await cloud.holders(await cloud.router(net))).toEqual(['a']);
  });

  test('an update gives an agent to those that lack one', async () => {
    const router = await cloud.router();
    await cloud.agent('a');
    await cloud.heldBy(router, 'a');
    await cloud.sql`delete from router_l3_agents`;
    await cloud.change('router', router.id, { name: 'other' });
    expect(await cloud.holders(router)).toEqual(['a']);
  });

  test('have one, and keep it', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host);
    const router = await cloud.router((await cloud.external()).net);
    const held = await cloud.holders(router);
    expect(held).toHaveLength(1);
    for (let n = 0; n < 3; n++) await cloud.add(router, { subnet_id: (await cloud.lan()).sub.id });
    expect(await cloud.holders(router)).toEqual(held);
  });

  test('are spread over the agents, those of one request too', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host);
    const { net } = await cloud.external();
    for (let n = 0; n < 3; n++) await cloud.router(net);
    expect(await cloud.spread()).toEqual({ a: 1, b: 1, c: 1 });
    const routers = Array.from({ length: 6 }, () => ({ external_gateway_info: { network_id: net.id } }));
    const { status } = await cloud.asAdmin('POST', 'routers', { routers });
    expect(status).toBe(201);
    expect(await cloud.spread()).toEqual({ a: 3, b: 3, c: 3 });
  });

  test('dead and disabled agents get nothing, and neither do those for distributed routers alone', async () => {
    await cloud.agent('dead');
    await cloud.silent('dead', 100);
    await cloud.agent('lost');
    await cloud.lost('lost', 3);
    await cloud.disable(await cloud.agent('disabled'));
    await cloud.agent('compute', { mode: 'dvr' });
    await cloud.agent('edge', { mode: 'dvr_no_external' });
    const { net } = await cloud.external();
    expect(await cloud.holders(await cloud.router(net))).toEqual([]);
    await cloud.agent('snat', { mode: 'dvr_snat' });
    expect(await cloud.holders(await cloud.router(net))).toEqual(['snat']);
  });

  test('agents that take no internal routers get those that have a gateway', async () => {
    await cloud.agent('a', { configurations: { handle_internal_only_routers: false } });
    const router = await cloud.router();
    await cloud.add(router, { subnet_id: (await cloud.lan()).sub.id });
    expect(await cloud.holders(router)).toEqual([]);
    await cloud.change('router', router.id, {
      external_gateway_info: { network_id: (await cloud.external()).net.id },
    });
    expect(await cloud.holders(router)).toEqual(['a']);
  });

  test('are in a zone that they name, and show it', async () => {
    await cloud.agent('a', { zone: 'az1' });
    await cloud.agent('b', { zone: 'az2' });
    const { net } = await cloud.external();
    const gateway = { external_gateway_info: { network_id: net.id } };
    const router = await cloud.stack.create('router', { ...gateway, availability_zone_hints: ['az2'] }, admin);
    expect(router).toMatchObject({ availability_zone_hints: ['az2'] });
    expect(await cloud.holders(router)).toEqual(['b']);
    expect((await cloud.show('router', router.id)).availability_zones).toEqual(['az2']);
  });

  test('a zone that no L3 agent is in is refused, and zones of L3 agents are listed as those of routers', async () => {
    await cloud.agent('a', { zone: 'az1' });
    const refused = await cloud.asAdmin('POST', 'routers', { router: { availability_zone_hints: ['az1', 'nowhere'] } });
    expect(refused.status).toBe(404);
    expect(refused.body.NeutronError).toMatchObject({
      type: 'AvailabilityZoneNotFound',
      message: 'AvailabilityZone nowhere could not be found.',
    });
    const { body } = await cloud.asAdmin('GET', 'availability_zones');
    expect(body.availability_zones).toEqual([{ name: 'az1', resource: 'router', state: 'available' }]);
  });

  test('one that many make need an agent at once gets one, and nobody fails', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host);
    const router = await cloud.router();
    const lans = await Promise.all([1, 2, 3, 4, 5, 6].map(() => cloud.lan()));
    await Promise.all(lans.map(({ sub }) => cloud.add(router, { subnet_id: sub.id })));
    expect(await cloud.holders(router)).toHaveLength(1);
    expect(cloud.stack.errors).toEqual([]);
  });

  test('an agent that is deleted while it is chosen does not fail the router', async () => {
    const { net } = await cloud.external();
    for (let n = 0; n < 8; n++) {
      const id = await cloud.agent('a');
      const [router] = await Promise.all([cloud.router(net), cloud.asAdmin('DELETE', `agents/${id}`)]);
      expect(await cloud.holders(router)).toEqual([]);
    }
  });

  test('an agent that appears gets the routers without one, and is told', async () => {
    const { net } = await cloud.external();
    const routers = await Promise.all([1, 2, 3].map(() => cloud.router(net)));
    await cloud.sql`delete from outbox`;
    await cloud.agent('a');
    for (const router of routers) await cloud.heldBy(router, 'a');
    const told = await cloud.agents.waiting('l3_agent');
    expect(told.map(({ method, to }) => [method, to])).toEqual(routers.map(() => ['router_added_to_agent', ['a']]));
    expect(told.map(({ args }) => args.payload[0]).toSorted()).toEqual(routers.map(({ id }) => id).toSorted());
  });

  test('an agent that asks for its routers gets those without one', async () => {
    const router = await cloud.router();
    await cloud.agent('a');
    await cloud.heldBy(router, 'a');
    await cloud.sql`delete from router_l3_agents`;
    expect(await cloud.call('a', 'get_router_ids', {})).toEqual([router.id]);
    expect(await cloud.holders(router)).toEqual(['a']);
  });

  test('an agent that is deleted leaves its routers without one', async () => {
    const id = await cloud.agent('a');
    const router = await cloud.router((await cloud.external()).net);
    await cloud.agent('b');
    expect((await cloud.asAdmin('DELETE', `agents/${id}`)).status).toBe(204);
    expect(await cloud.holders(router)).toEqual([]);
    await cloud.change('router', router.id, { name: 'other' });
    expect(await cloud.holders(router)).toEqual(['b']);
  });

  test('one that has its agent costs no statement more, and neither does one that nobody can have', async () => {
    const cost = async ({ id }: { readonly id: string }) => {
      const before = cloud.stack.counted('nucleon_sql_statements_total');
      await cloud.change('router', id, { name: crypto.randomUUID() });
      return cloud.stack.counted('nucleon_sql_statements_total') - before;
    };
    // What agents' starts have set going may still be under way.
    const least = async (router: { readonly id: string }) =>
      Math.min(await cost(router), await cost(router), await cost(router));
    const router = await cloud.router();
    const unserved = await least(router);
    await cloud.agent('a');
    await cloud.heldBy(router, 'a');
    expect(await least(router)).toBe(unserved);
    await cloud.sql`delete from router_l3_agents`;
    expect(await cost(router)).toBe(unserved + 3);
  });
});

describe('zones by default', () => {
  let cloud: L3Cloud;
  beforeAll(async () => {
    cloud = await L3Cloud.start('l3_zones', {
      router_scheduler_driver: 'neutron.scheduler.l3_agent_scheduler.AZLeastRoutersScheduler',
      default_availability_zones: ['az1', 'az2'],
    });
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  test('are those of routers that name none', async () => {
    await cloud.agent('a', { zone: 'az1' });
    await cloud.agent('b', { zone: 'az2' });
    await cloud.agent('c', { zone: 'az3' });
    const { net } = await cloud.external();
    for (let n = 0; n < 4; n++) {
      const router = await cloud.router(net);
      expect(router.availability_zone_hints).toEqual(['az1', 'az2']);
    }
    expect(await cloud.spread()).toEqual({ a: 2, b: 2 });
  });
});

describe('routers that are given agents by hand alone', () => {
  let cloud: L3Cloud;
  beforeAll(async () => {
    cloud = await L3Cloud.start('l3_by_hand', { router_auto_schedule: false });
  });
  afterAll(() => cloud.stop());

  test('get none by themselves', async () => {
    const agent = await cloud.agent('a');
    const router = await cloud.router((await cloud.external()).net);
    expect(await cloud.holders(router)).toEqual([]);
    const { status } = await cloud.asAdmin('POST', `agents/${agent}/l3-routers`, { router_id: router.id });
    expect(status).toBe(201);
    expect(await cloud.holders(router)).toEqual(['a']);
  });
});
