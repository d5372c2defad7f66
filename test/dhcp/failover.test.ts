/** What becomes of the networks of agents that die. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { DhcpCloud } from './support.ts';

let cloud: DhcpCloud;
beforeAll(async () => {
  cloud = await DhcpCloud.start('dhcp_failover');
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.clear());

/** A network that an agent serves, with its port. */
async function served(host: string) {
  const network = await cloud.lan();
  expect(await cloud.servers(network.id)).toEqual([host]);
  const port = { network_id: network.id, device_id: await dhcpDeviceId(network.id, host) };
  const { id, fixed_ips } = await cloud.call(host, 'create_dhcp_port', { port: { port } });
  return { id: String(network.id), port: { id, fixed_ips } };
}

test('an agent whose connection is lost gives its networks to another, with the addresses of its ports', async () => {
  await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.lost('old', 11);
  const told = await cloud.told(() => cloud.failover());
  expect(await cloud.servers(network.id)).toEqual(['new']);
  expect(told.map(({ method, to }) => [method, to])).toEqual([['network_create_end', ['new']]]);
  const info = await cloud.call('new', 'get_network_info', { network_id: network.id });
  expect(info.ports).toMatchObject([{ ...network.port, device_id: 'reserved_dhcp_port' }]);
});

test('a restart within the grace moves nothing, and neither does a connection that is back', async () => {
  await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.lost('old', 8);
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['old']);
  await cloud.lost('old', 60);
  await cloud.report('old');
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['old']);
});

test('an agent that stays silent loses them after twice agent_down_time', async () => {
  await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.silent('old', 149);
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['old']);
  await cloud.silent('old', 151);
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['new']);
});

test('a silent agent that is starting up keeps them: it has much to do', async () => {
  await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.silent('old', 151);
  await cloud.sql`update agents set started_at = now() - interval '151 seconds'`;
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['old']);
  await cloud.sql`update agents set started_at = now() - interval '153 seconds'`;
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['new']);
});

test('while no agent is alive, all stays as it is', async () => {
  await cloud.agent('a');
  const network = await served('a');
  await cloud.agent('b');
  for (const host of ['a', 'b']) await cloud.lost(host, 60);
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['a']);
  await cloud.report('b');
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['b']);
});

test('a disabled agent keeps its networks', async () => {
  const id = await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.request('PUT', `agents/${id}`, { agent: { admin_state_up: false } });
  await cloud.lost('old', 60);
  await cloud.failover();
  expect(await cloud.servers(network.id)).toEqual(['old']);
});

test('an agent that comes back serves what nobody else does, and takes nothing back', async () => {
  await cloud.agent('old');
  const network = await served('old');
  await cloud.agent('new');
  await cloud.lost('old', 60);
  await cloud.failover();
  expect(await cloud.report('old')).toBe('revived');
  await cloud.failover();
  expect(await cloud.call('old', 'get_active_networks_info', {})).toEqual([]);
  expect(await cloud.servers(network.id)).toEqual(['new']);
});

test('agents that die in turns hand a network over each time, with one port all the way', async () => {
  await cloud.agent('a');
  const network = await served('a');
  await cloud.agent('b');
  for (let n = 0; n < 4; n++) {
    const [dies, lives] = n % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
    await cloud.report(lives!);
    await cloud.lost(dies!, 60);
    await cloud.failover();
    expect(await cloud.servers(network.id)).toEqual([lives]);
    const device_id = await dhcpDeviceId(network.id, lives!);
    const change = { port_id: network.port.id, port: { port: { network_id: network.id, device_id } } };
    expect(await cloud.call(lives!, 'update_dhcp_port', change)).toMatchObject(network.port);
  }
  const ports = await cloud.sql`select from ports where network_id = ${network.id}`;
  expect(ports).toHaveLength(1);
});

test('two supervisors that look at once move each network once', async () => {
  await cloud.agent('old');
  const networks = await Promise.all(Array.from({ length: 60 }, () => cloud.lan()));
  for (const host of ['b', 'c']) await cloud.agent(host);
  await cloud.lost('old', 60);
  const told = await cloud.told(async () => {
    await cloud.failover(3);
    await cloud.failover(3);
  });
  for (const { id } of networks) {
    const servers = await cloud.servers(id);
    expect(servers).toHaveLength(1);
    expect(servers).not.toContain('old');
  }
  expect(told.filter(({ method }) => method === 'network_create_end')).toHaveLength(60);
  const rows = await cloud.sql`
    select count(*)::int as n from network_dhcp_agents s join agents a on a.id = s.agent_id group by a.host`;
  expect(rows.map(({ n }) => n)).toEqual([30, 30]);
  expect(cloud.stack.errors).toEqual([]);
});
