/** `l3_agent_scheduler`: which agents have which routers, by hand. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { admin, member } from '../support/stack.ts';
import { L3Cloud } from './support.ts';

let cloud: L3Cloud;
beforeAll(async () => {
  cloud = await L3Cloud.start('l3_api', { router_auto_schedule: false });
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.clear());

const add = (agent: string, router_id: unknown) => cloud.asAdmin('POST', `agents/${agent}/l3-routers`, { router_id });
/** As openstacksdk asks: with a body that says what the path says, too. */
const remove = (agent: string, router_id: string) =>
  cloud.asAdmin('DELETE', `agents/${agent}/l3-routers/${router_id}`, { router_id });
const refused = async (answer: ReturnType<typeof add>) => {
  const { status, body } = await answer;
  return `${status} ${body?.NeutronError?.type}`;
};

/** What Neutron's server answered, with what changes from one installation to the next replaced by its kind. */
const ROUTER_OF_AGENT = {
  id: '<uuid>',
  name: 'r1',
  project_id: 'alice',
  admin_state_up: true,
  status: 'ACTIVE',
  enable_snat: true,
  external_gateway_info: {
    network_id: '<uuid>',
    external_fixed_ips: [{ subnet_id: '<uuid>', ip_address: '<ip>' }],
    enable_snat: true,
  },
  gw_port_id: '<uuid>',
  description: '',
  availability_zones: ['nova'],
  availability_zone_hints: [],
  routes: [],
  tags: [],
  tenant_id: 'alice',
};
const AGENT_OF_ROUTER = {
  id: '<uuid>',
  agent_type: 'L3 agent',
  binary: 'neutron-l3-agent',
  topic: 'l3_agent',
  host: 'host1',
  admin_state_up: true,
  created_at: '<time>',
  started_at: '<time>',
  heartbeat_timestamp: '<time>',
  description: null,
  resources_synced: null,
  availability_zone: 'nova',
  alive: true,
  configurations: { agent_mode: 'dvr_snat' },
  resource_versions: {},
  ha_chassis_priority: null,
  ha_state: null,
};

/** The answer with ids, addresses and times as the kinds that they are. */
function kinds(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"<uuid>"')
    .replaceAll(/"\d+\.\d+\.\d+\.\d+"/g, '"<ip>"')
    .replaceAll(/"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?"/g, '"<time>"');
  return JSON.parse(text);
}

test('a router is added to an agent, listed on both sides as Neutron does, and removed', async () => {
  const agent = await cloud.agent('host1', { zone: 'nova', mode: 'dvr_snat' });
  const { net } = await cloud.external();
  const gateway = { external_gateway_info: { network_id: net.id } };
  const { id } = await cloud.stack.create('router', { name: 'r1', ...gateway }, member('alice'));
  const told = await cloud.told(async () => {
    const { status, body } = await add(agent, id);
    expect([status, body]).toEqual([201, null]);
  });
  expect(told).toMatchObject([
    { topic: 'l3_agent', method: 'router_added_to_agent', version: '1.0', to: ['host1'], args: { payload: [id] } },
  ]);

  const routers = await cloud.asAdmin('GET', `agents/${agent}/l3-routers`);
  expect(routers.status).toBe(200);
  expect(kinds(routers.body)).toMatchObject({ routers: [ROUTER_OF_AGENT] });
  expect(Object.keys(routers.body.routers[0])).not.toContain('l3_wanted');
  const agents = await cloud.asAdmin('GET', `routers/${id}/l3-agents`);
  expect([agents.status, kinds(agents.body)]).toEqual([200, { agents: [AGENT_OF_ROUTER] }]);

  const gone = await cloud.told(async () => {
    expect((await remove(agent, id)).status).toBe(204);
  });
  expect(gone).toMatchObject([
    { method: 'router_removed_from_agent', version: '1.0', to: ['host1'], args: { payload: { router_id: id } } },
  ]);
  expect((await cloud.asAdmin('GET', `agents/${agent}/l3-routers`)).body).toEqual({ routers: [] });
  expect((await cloud.asAdmin('GET', `routers/${id}/l3-agents`)).body).toEqual({ agents: [] });
});

test('what cannot be is refused', async () => {
  const [a, b] = [await cloud.agent('a'), await cloud.agent('b')];
  const { id } = await cloud.router();
  const nobody = crypto.randomUUID();
  await add(a, id);
  expect(await refused(add(b, id))).toBe('409 RouterHostedByL3Agent');
  expect(await refused(add(nobody, id))).toBe('404 AgentNotFound');
  expect(await refused(add('x', id))).toBe('404 AgentNotFound');
  expect(await refused(add(a, nobody))).toBe('404 RouterNotFound');
  expect(await refused(add(a, 'x'))).toBe('404 RouterNotFound');
  expect(await refused(add(a, { a: 1 }))).toBe('400 BadRequest');
  expect(await refused(remove(nobody, id))).toBe('404 AgentNotFound');
  expect(await refused(remove(a, nobody))).toBe('404 RouterNotFound');
  expect(await refused(cloud.asAdmin('GET', `agents/${nobody}/l3-routers`))).toBe('404 AgentNotFound');
  expect(await refused(cloud.asAdmin('GET', `routers/${nobody}/l3-agents`))).toBe('404 RouterNotFound');
  const l2 = await cloud.agents.agent('c');
  expect(await refused(add(l2, id))).toBe('404 InvalidL3Agent');
  const disabled = await cloud.agent('d');
  await cloud.disable(disabled);
  expect(await refused(add(disabled, id))).toBe('404 InvalidL3Agent');
  const compute = await cloud.agent('e', { mode: 'dvr' });
  expect(await refused(add(compute, id))).toBe('409 DVRL3CannotAssignToDvrAgent');
  expect(await refused(remove(compute, id))).toBe('409 DVRL3CannotRemoveFromDvrAgent');
  const outside = await cloud.agent('f', { configurations: { handle_internal_only_routers: false } });
  const other = await cloud.router();
  expect(await refused(add(outside, other.id))).toBe('404 InvalidL3Agent');
  expect(await cloud.holders({ id })).toEqual(['a']);
});

test('the agent that has a router gets it again without anything happening', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.router();
  await add(agent, id);
  const told = await cloud.told(async () => {
    expect((await add(agent, id)).status).toBe(201);
  });
  expect(told).toEqual([]);
});

test('an agent that is told to leave a router which it has not is told so once more', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.router();
  const told = await cloud.told(async () => {
    expect((await remove(agent, id)).status).toBe(204);
  });
  expect(told).toMatchObject([{ method: 'router_removed_from_agent', to: ['a'] }]);
});

test('of agents that get a router at once one has it, and the others are refused', async () => {
  const agents = await Promise.all(['a', 'b', 'c', 'd'].map((host) => cloud.agent(host)));
  const { id } = await cloud.router();
  const answers = await Promise.all(agents.map((agent) => add(agent, id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  expect(await cloud.holders({ id })).toHaveLength(1);
});

test('only administrators may', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.router();
  const as = member('alice');
  for (const answer of [
    cloud.ask('GET', `agents/${agent}/l3-routers`, undefined, as),
    cloud.ask('POST', `agents/${agent}/l3-routers`, { router_id: id }, as),
    cloud.ask('DELETE', `agents/${agent}/l3-routers/${id}`, undefined, as),
    cloud.ask('GET', `routers/${id}/l3-agents`, undefined, as),
  ]) {
    expect((await answer).status).toBe(403);
  }
});

test('an agent that is enabled or disabled is told so, and keeps its routers', async () => {
  const agent = await cloud.agent('a');
  const router = await cloud.router();
  await add(agent, router.id);
  const told = await cloud.told(() => cloud.disable(agent));
  expect(told).toMatchObject([
    {
      topic: 'l3_agent',
      method: 'agent_updated',
      version: '1.0',
      to: ['a'],
      args: { payload: { admin_state_up: false } },
    },
  ]);
  expect(await cloud.holders(router)).toEqual(['a']);
});

test('a router that is deleted leaves its agent', async () => {
  const agent = await cloud.agent('a');
  const router = await cloud.stack.create('router', {}, admin);
  await add(agent, router.id);
  expect((await cloud.asAdmin('DELETE', `routers/${router.id}`)).status).toBe(204);
  expect((await cloud.asAdmin('GET', `agents/${agent}/l3-routers`)).body).toEqual({ routers: [] });
});
