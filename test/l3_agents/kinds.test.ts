/** Highly available routers have several agents, distributed ones have one for their SNAT part. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin } from '../support/stack.ts';
import { L3Cloud } from './support.ts';

let cloud: L3Cloud;
beforeAll(async () => {
  cloud = await L3Cloud.start('l3_kinds', {
    router_scheduler_driver: 'neutron.scheduler.l3_agent_scheduler.AZLeastRoutersScheduler',
    max_l3_agents_per_router: 2,
    allow_automatic_l3agent_failover: true,
  });
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.clear());

const gatewayOf = async () => ({ external_gateway_info: { network_id: (await cloud.external()).net.id } });
const agentsOf = async ({ id }: { readonly id: string }) => {
  const { body } = await cloud.asAdmin('GET', `routers/${id}/l3-agents`);
  return body.agents.map(({ host, ha_state }: Record<string, unknown>) => `${host} ${ha_state}`).toSorted();
};
const add = (agent: string, router_id: string) => cloud.asAdmin('POST', `agents/${agent}/l3-routers`, { router_id });
const remove = (agent: string, router: string) => cloud.asAdmin('DELETE', `agents/${agent}/l3-routers/${router}`);

describe('highly available routers', () => {
  const made = () => cloud.stack.create('router', { ha: true }, admin);

  test('get as many agents as there are to be, in different zones, when they are made', async () => {
    await cloud.agent('a1', { zone: 'az1' });
    await cloud.agent('a2', { zone: 'az1' });
    await cloud.agent('b1', { zone: 'az2' });
    const router = await made();
    const held = await cloud.holders(router);
    expect(held).toHaveLength(2);
    expect(held).toContain('b1');
    expect((await cloud.show('router', router.id)).availability_zones).toEqual(['az1', 'az2']);
    expect(await agentsOf(router)).toEqual(held.map((host) => `${host} standby`));
  });

  test('that are short of agents get more when there are more, and never too many', async () => {
    await cloud.agent('a');
    const router = await made();
    expect(await cloud.holders(router)).toEqual(['a']);
    await cloud.agent('b');
    await cloud.heldBy(router, 'a', 'b');
    await cloud.agent('c');
    const lans = await Promise.all([1, 2, 3, 4].map(() => cloud.lan()));
    await Promise.all(lans.map(({ sub }) => cloud.add(router, { subnet_id: sub.id }, admin)));
    expect(await cloud.holders(router)).toEqual(['a', 'b']);
    expect(cloud.stack.errors).toEqual([]);
  });

  test('get more than that by hand, with a port for each, and lose the port with the agent', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host);
    const router = await made();
    const c = await cloud.agent('c');
    const ports = async () =>
      (await cloud.portsOf(router.id)).filter((port) => port.device_owner === 'network:router_ha_interface');
    expect(await ports()).toHaveLength(2);
    expect((await add(c, router.id)).status).toBe(201);
    expect(await cloud.holders(router)).toEqual(['a', 'b', 'c']);
    expect(await ports()).toHaveLength(3);
    expect((await remove(c, router.id)).status).toBe(204);
    expect(await cloud.holders(router)).toEqual(['a', 'b']);
    expect(await ports()).toHaveLength(2);
  });

  test('show who is active; a dead agent is not, and nobody knows where all are dead', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host);
    const router = await made();
    await cloud.sql`
      update router_ha_ports set state = 'active'
      where router_id = ${router.id} and agent_id = (select id from agents where host = 'a' and agent_type = 'L3 agent')`;
    expect(await agentsOf(router)).toEqual(['a active', 'b standby']);
    await cloud.lost('a', 3);
    expect(await agentsOf(router)).toEqual(['a standby', 'b standby']);
    await cloud.lost('b', 3);
    expect(await agentsOf(router)).toEqual(['a unknown', 'b standby']);
  });

  test('get another agent for one that is dead, where there is one', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host);
    const router = await made();
    await cloud.lost('a', 60);
    await cloud.failover();
    expect(await cloud.holders(router)).toEqual(['a', 'b']);
    await cloud.agent('c');
    await cloud.failover();
    expect(await cloud.holders(router)).toEqual(['b', 'c']);
    expect(await agentsOf(router)).toEqual(['b standby', 'c standby']);
  });

  test('lose an agent that is deleted, and get another', async () => {
    const a = await cloud.agent('a');
    await cloud.agent('b');
    const router = await made();
    expect((await cloud.asAdmin('DELETE', `agents/${a}`)).status).toBe(204);
    expect(await cloud.holders(router)).toEqual(['b']);
    await cloud.agent('c');
    await cloud.heldBy(router, 'b', 'c');
  });

  test('move from a dead agent to several others, each with its port', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host);
    const routers = Array.from({ length: 8 }, () => ({ ha: true }));
    expect((await cloud.asAdmin('POST', 'routers', { routers })).status).toBe(201);
    for (const host of ['c', 'd']) await cloud.agent(host);
    await cloud.lost('a', 60);
    await cloud.failover();
    expect(await cloud.spread()).toEqual({ b: 8, c: 4, d: 4 });
    const ports = await cloud.sql`
      select count(*)::int as n from router_ha_ports h join agents a on a.id = h.agent_id group by a.host order by a.host`;
    expect(ports.map(({ n }) => n)).toEqual([8, 4, 4]);
  });
});

describe('distributed routers', () => {
  const made = (attributes: object = {}) => cloud.stack.create('router', { distributed: true, ...attributes }, admin);

  test('get an agent for SNAT with their gateway, and only one that does SNAT', async () => {
    await cloud.agent('network', { mode: 'legacy' });
    await cloud.agent('compute', { mode: 'dvr' });
    await cloud.agent('snat', { mode: 'dvr_snat' });
    const router = await made();
    await cloud.add(router, { subnet_id: (await cloud.lan()).sub.id }, admin);
    expect(await cloud.holders(router)).toEqual([]);
    await cloud.change('router', router.id, await gatewayOf(), admin);
    expect(await cloud.holders(router)).toEqual(['snat']);
    expect(await cloud.holders(await made(await gatewayOf()))).toEqual(['snat']);
  });

  test('are nothing for agents in mode legacy', async () => {
    const legacy = await cloud.agent('network', { mode: 'legacy' });
    const router = await made(await gatewayOf());
    const { status, body } = await add(legacy, router.id);
    expect([status, body.NeutronError.type]).toEqual([409, 'RouterL3AgentMismatch']);
  });

  test('move their SNAT part from a dead agent; its host asks what it still has of them', async () => {
    await cloud.agent('old', { mode: 'dvr_snat' });
    const router = await made(await gatewayOf());
    await cloud.agent('legacy');
    await cloud.lost('old', 60);
    await cloud.failover();
    expect(await cloud.holders(router)).toEqual(['old']);
    await cloud.agent('new', { mode: 'dvr_snat' });
    const told = await cloud.told(() => cloud.failover());
    expect(await cloud.holders(router)).toEqual(['new']);
    expect(told.map(({ method, to }) => [method, to])).toEqual([
      ['routers_updated', ['old']],
      ['router_added_to_agent', ['new']],
    ]);
  });

  test('that are highly available, too, get several', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host, { mode: 'dvr_snat' });
    await cloud.agent('legacy');
    const held = await cloud.holders(await made({ ha: true, ...(await gatewayOf()) }));
    expect(held).toHaveLength(2);
    expect(held).not.toContain('legacy');
  });
});
