/** `dhcp_agent_scheduler`: which agents serve which networks, by hand. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { member } from '../support/stack.ts';
import { DhcpCloud } from './support.ts';

let cloud: DhcpCloud;
beforeAll(async () => {
  cloud = await DhcpCloud.start('dhcp_api', { DEFAULT: { network_auto_schedule: false } });
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.clear());

const add = (agent: string, network_id: unknown) =>
  cloud.request('POST', `agents/${agent}/dhcp-networks`, { network_id });
/** As openstacksdk asks: with a body that says what the path says, too. */
const remove = (agent: string, network_id: string) =>
  cloud.request('DELETE', `agents/${agent}/dhcp-networks/${network_id}`, { network_id });

test('nothing is scheduled where network_auto_schedule says so', async () => {
  await cloud.agent('a');
  expect(await cloud.servers((await cloud.lan()).id)).toEqual([]);
});

test('a network is added to an agent, listed on both sides, and removed', async () => {
  const agent = await cloud.agent('a', { zone: 'nova' });
  const network = await cloud.lan();
  const told = await cloud.told(async () => {
    const { status, body } = await add(agent, network.id);
    expect([status, body]).toEqual([201, null]);
  });
  expect(told).toMatchObject([
    { method: 'network_create_end', to: ['a'], args: { payload: { network: { id: network.id }, priority: 0 } } },
  ]);

  const networks = await cloud.request('GET', `agents/${agent}/dhcp-networks`);
  expect(networks.status).toBe(200);
  expect(networks.body.networks).toMatchObject([{ id: network.id, availability_zones: ['nova'] }]);
  const agents = await cloud.request('GET', `networks/${network.id}/dhcp-agents`);
  const { body } = await cloud.request('GET', `agents/${agent}`);
  expect(agents.body).toEqual({ agents: [{ ...body.agent, resource_versions: {}, ha_chassis_priority: null }] });

  const gone = await cloud.told(async () => {
    expect((await remove(agent, network.id)).status).toBe(204);
  });
  expect(gone).toMatchObject([
    { method: 'network_delete_end', to: ['a'], args: { payload: { network_id: network.id, priority: 2 } } },
  ]);
  expect((await cloud.request('GET', `agents/${agent}/dhcp-networks`)).body).toEqual({ networks: [] });
  expect((await cloud.request('GET', `networks/${network.id}/dhcp-agents`)).body).toEqual({ agents: [] });
});

test('what cannot be is refused', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.lan();
  const nobody = crypto.randomUUID();
  const refused = async (answer: ReturnType<typeof add>) => {
    const { status, body } = await answer;
    return [status, body.NeutronError.type];
  };
  await add(agent, id);
  expect(await refused(add(agent, id))).toEqual([409, 'NetworkHostedByDHCPAgent']);
  expect(await refused(add(nobody, id))).toEqual([404, 'AgentNotFound']);
  expect(await refused(add(agent, nobody))).toEqual([404, 'NetworkNotFound']);
  expect(await refused(add(agent, 'x'))).toEqual([404, 'NetworkNotFound']);
  expect(await refused(add(agent, { a: 1 }))).toEqual([400, 'BadRequest']);
  expect(await refused(remove(agent, nobody))).toEqual([409, 'NetworkNotHostedByDhcpAgent']);
  expect(await refused(remove(nobody, id))).toEqual([404, 'AgentNotFound']);
  expect(await refused(cloud.request('GET', `agents/${nobody}/dhcp-networks`))).toEqual([404, 'AgentNotFound']);
  expect((await cloud.request('GET', `networks/${nobody}/dhcp-agents`)).body).toEqual({ agents: [] });
  const [l2] = await cloud.sql`select id from agents where agent_type = 'Open vSwitch agent'`;
  expect(await refused(add(String(l2?.['id']), id))).toEqual([404, 'InvalidDHCPAgent']);
  const disabled = await cloud.agent('b');
  await cloud.request('PUT', `agents/${disabled}`, { agent: { admin_state_up: false } });
  expect(await refused(add(disabled, id))).toEqual([404, 'InvalidDHCPAgent']);
});

test('only administrators may', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.lan();
  const as = member('alice');
  const body = { network_id: id };
  for (const answer of [
    cloud.request('GET', `agents/${agent}/dhcp-networks`, undefined, as),
    cloud.request('POST', `agents/${agent}/dhcp-networks`, body, as),
    cloud.request('DELETE', `agents/${agent}/dhcp-networks/${id}`, undefined, as),
    cloud.request('GET', `networks/${id}/dhcp-agents`, undefined, as),
  ]) {
    expect((await answer).status).toBe(403);
  }
});

test('agents are added beyond what is configured, also at once', async () => {
  const agents = await Promise.all(['a', 'b', 'c', 'd'].map((host) => cloud.agent(host)));
  const { id } = await cloud.lan();
  const answers = await Promise.all(agents.map((agent) => add(agent, id)));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await cloud.servers(id)).toEqual(['a', 'b', 'c', 'd']);
  await remove(agents[1]!, id);
  await add(agents[1]!, id);
  const rows = await cloud.sql`select place from network_dhcp_agents order by place`;
  expect(rows.map(({ place }) => place)).toEqual([1, 2, 3, 4]);
});

test('an agent that loses a network leaves its port to the next', async () => {
  const [a, b] = [await cloud.agent('a'), await cloud.agent('b')];
  const network = await cloud.lan();
  await add(a, network.id);
  const port = { network_id: network.id, device_id: await dhcpDeviceId(network.id, 'a') };
  const made = await cloud.call('a', 'create_dhcp_port', { port: { port } });
  await remove(a, network.id);
  await add(b, network.id);
  const info = await cloud.call('b', 'get_network_info', { network_id: network.id });
  expect(info.ports).toMatchObject([{ id: made.id, device_id: 'reserved_dhcp_port', fixed_ips: made.fixed_ips }]);
  const device_id = await dhcpDeviceId(network.id, 'b');
  const taken = await cloud.call('b', 'update_dhcp_port', {
    port_id: made.id,
    port: { port: { network_id: network.id, device_id } },
  });
  expect(taken).toMatchObject({ id: made.id, device_id, 'binding:host_id': 'b', fixed_ips: made.fixed_ips });
});

test('an agent that is deleted serves nothing', async () => {
  const agent = await cloud.agent('a');
  const { id } = await cloud.lan();
  await add(agent, id);
  expect((await cloud.request('DELETE', `agents/${agent}`)).status).toBe(204);
  expect(await cloud.servers(id)).toEqual([]);
  expect((await cloud.request('DELETE', `networks/${id}`)).status).toBe(204);
});
