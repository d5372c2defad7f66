/**
 * How many SQL statements highly available routers cost, BEGIN and COMMIT included, with the look at the quota that is always due
 * here: as many on one agent as on several, but that each port which goes is deleted by itself.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { HaCloud } from './support.ts';

const HOSTS = ['host1', 'host2', 'host3'] as const;

let cloud: HaCloud;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  cloud = await HaCloud.begin('l3_ha_costs');
  for (const host of HOSTS) {
    await cloud.l2.agent(host);
    // Not by a report: routers that lack agents would be looked for meanwhile.
    await cloud.sql`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${host}, true, 'nova', now(), now(),
        now() + interval '1 hour', '{"agent_mode": "legacy"}')`;
  }
});
afterAll(async () => {
  vi.useRealTimers();
  await cloud.stop();
});

const cost = (work: () => Promise<unknown>): Promise<number> => {
  vi.advanceTimersByTime(60_000);
  return cloud.cost(work);
};

it('a router costs as much on three agents as on one', async () => {
  const costs = [];
  for (const agents of [3, 1]) {
    const project = `with ${agents}`;
    await cloud.kill(...HOSTS.slice(agents));
    const make = () => cloud.haRouter(project);
    costs.push({ first: await cost(make), next: await cost(make) });
    const [one, last] = [await make(), await make()];
    expect(Object.keys(await cloud.shown(one))).toHaveLength(agents);
    expect(await cost(() => cloud.delete('router', one))).toBe(13 + 4 * agents);
    const others = await cloud.done('GET', `routers?project_id=${project}`, undefined, { project, roles: 'admin' });
    for (const router of others.routers) if (router.id !== last.id) await cloud.delete('router', router);
    expect(await cost(() => cloud.delete('router', last))).toBe(22 + 4 * agents);
  }
  await cloud.sql`update agents set heartbeat_timestamp = now() + interval '1 hour'`;
  expect(costs[0]).toEqual(costs[1]);
  expect(costs[0]).toEqual({ first: 33, next: 18 });
});

it('a report costs as much for many routers as for one, and no write where it says nothing new', async () => {
  const routers = [await cloud.haRouter('many'), await cloud.haRouter('many'), await cloud.haRouter('many')];
  const all = (state: string) => Object.fromEntries(routers.map(({ id }) => [id, state]));
  const { id } = routers[0];
  expect(await cost(() => cloud.tell('host1', { [id]: 'active' }))).toBe(8);
  expect(await cost(() => cloud.tell('host2', all('active')))).toBe(8);
  expect(await cost(() => cloud.tell('host2', all('active')))).toBe(5);
  expect(await cost(() => cloud.tell('host1', all('standby')))).toBe(4);
});

it('ports cost as much to be wired anew as one does', async () => {
  const again = () => cloud.call('host3', 'update_all_ha_network_port_statuses', { host: 'host3' });
  const [one, ...more] = [await cloud.haRouter('wired'), await cloud.haRouter('wired'), await cloud.haRouter('wired')];
  await cloud.wire(one, 'host3');
  const first = await cost(again);
  for (const router of [one, ...more]) await cloud.wire(router, 'host3');
  expect(await cost(again)).toBe(first);
  expect(await cost(again)).toBe(1);
});
