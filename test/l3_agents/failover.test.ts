/** What becomes of the routers of L3 agents that are dead. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { L3Cloud } from './support.ts';

let cloud: L3Cloud;
beforeAll(async () => {
  cloud = await L3Cloud.start('l3_failover', { allow_automatic_l3agent_failover: true });
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.clear());

/** A router with a gateway, that the one agent has. */
const routed = async () => await cloud.router((await cloud.external()).net);

/** Routers of one agent, as many as there are asked for. */
async function many(agent: string, count: number): Promise<void> {
  await cloud.sql`
    with r as (
      insert into routers (id, project_id, status, created_at, updated_at, revision_number, description)
      select gen_random_uuid(), 'alice', 'ACTIVE', now(), now(), 1, '' from generate_series(1, ${count})
      returning id)
    insert into router_l3_agents (router_id, agent_id, place) select id, ${agent}, 1 from r`;
}

test('an agent whose connection is lost gives its routers to another, and both are told', async () => {
  await cloud.agent('old');
  const router = await routed();
  await cloud.agent('new');
  await cloud.lost('old', 11);
  const told = await cloud.told(() => cloud.failover());
  expect(await cloud.holders(router)).toEqual(['new']);
  expect(told.map(({ method, to, args }) => [method, to, args])).toEqual([
    ['router_removed_from_agent', ['old'], { payload: { router_id: router.id } }],
    ['router_added_to_agent', ['new'], { payload: [router.id] }],
  ]);
});

test('a restart within the grace moves nothing, and neither does a connection that is back', async () => {
  await cloud.agent('old');
  const router = await routed();
  await cloud.agent('new');
  await cloud.lost('old', 8);
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['old']);
  await cloud.lost('old', 60);
  await cloud.report('old');
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['old']);
});

test('an agent that stays silent loses them after twice agent_down_time', async () => {
  await cloud.agent('old');
  const router = await routed();
  await cloud.agent('new');
  await cloud.silent('old', 148);
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['old']);
  await cloud.silent('old', 151);
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['new']);
});

test('while no agent is alive, all stays as it is', async () => {
  await cloud.agent('a');
  const router = await routed();
  await cloud.agent('b');
  for (const host of ['a', 'b']) await cloud.lost(host, 60);
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['a']);
  await cloud.report('b');
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['b']);
});

test('a disabled agent keeps its routers', async () => {
  const agent = await cloud.agent('old');
  const router = await routed();
  await cloud.agent('new');
  await cloud.disable(agent);
  await cloud.lost('old', 60);
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['old']);
});

test('a router that nobody else can have stays, and those behind it move', async () => {
  await cloud.agent('old', { zone: 'az1' });
  const { net } = await cloud.external();
  const gateway = { external_gateway_info: { network_id: net.id } };
  const bound = await Promise.all(
    [1, 2].map(() => cloud.stack.create('router', { ...gateway, availability_zone_hints: ['az1'] })),
  );
  const free = await Promise.all([1, 2].map(() => cloud.router(net)));
  await cloud.agent('new', { zone: 'az2' });
  await cloud.lost('old', 60);
  await cloud.failover();
  for (const router of bound) expect(await cloud.holders(router)).toEqual(['old']);
  for (const router of free) expect(await cloud.holders(router)).toEqual(['new']);
});

test('an agent that comes back takes nothing back', async () => {
  await cloud.agent('old');
  const router = await routed();
  await cloud.agent('new');
  await cloud.lost('old', 60);
  await cloud.failover();
  expect(await cloud.report('old')).toBe('revived');
  await cloud.failover();
  expect(await cloud.holders(router)).toEqual(['new']);
});

test('two supervisors that look at once move each router once', async () => {
  const old = await cloud.agent('old');
  await many(old, 120);
  for (const host of ['b', 'c']) await cloud.agent(host);
  await cloud.lost('old', 60);
  const told = await cloud.told(async () => {
    await cloud.failover(3);
    await cloud.failover(3);
  });
  expect(told.filter(({ method }) => method === 'router_added_to_agent')).toHaveLength(120);
  expect(await cloud.spread()).toEqual({ b: 60, c: 60 });
  expect(cloud.stack.errors).toEqual([]);
});

test('a runner that ends in the middle leaves each router with one agent, and the next goes on', async () => {
  const old = await cloud.agent('old');
  await many(old, 400);
  for (const host of ['b', 'c']) await cloud.agent(host);
  await cloud.lost('old', 60);
  // The third batch finds the database refusing it, as if the runner had been killed in its transaction.
  await cloud.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if (select count(*) from router_l3_agents o join agents a on a.id = o.agent_id where a.host <> 'old') > 200
      then raise exception 'killed'; end if; return null; end $$;
    create trigger refuse after insert on router_l3_agents for each statement execute function refuse()`);
  await cloud.failover();
  await cloud.sql.unsafe('drop trigger refuse on router_l3_agents; drop function refuse()');
  expect(await cloud.spread()).toEqual({ old: 200, b: 100, c: 100 });
  await cloud.failover();
  expect(await cloud.spread()).toEqual({ b: 200, c: 200 });
});

test('1,000 routers move in a fixed number of statements for each hundred, and in far less than a minute', async () => {
  const old = await cloud.agent('old');
  for (const host of ['b', 'c', 'd', 'e']) await cloud.agent(host);
  await many(old, 1000);
  await cloud.lost('old', 60);
  const [statements, start] = [cloud.stack.counted('nucleon_sql_statements_total'), Date.now()];
  const asked = await cloud.failover();
  const took = (Date.now() - start) / 1000;
  const cost = cloud.stack.counted('nucleon_sql_statements_total') - statements - asked;
  expect(await cloud.spread()).toEqual({ b: 250, c: 250, d: 250, e: 250 });
  expect(took).toBeLessThan(60);
  // Ten batches, and the claim of the work.
  expect(cost).toBeLessThanOrEqual(10 * 12 + 10);
});
