/** Which agents get a network, when, and what that costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DhcpCloud } from './support.ts';

describe('one agent for each network', () => {
  let cloud: DhcpCloud;
  beforeAll(async () => {
    cloud = await DhcpCloud.start('dhcp_scheduling');
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  test('a subnet gives its network the least loaded agent, and tells it', async () => {
    await cloud.agent('busy', { configurations: { networks: 7 } });
    await cloud.agent('idle');
    const network = await cloud.network();
    expect(await cloud.servers(network.id)).toEqual([]);
    const told = await cloud.told(() =>
      cloud.stack.create('subnet', { network_id: network.id, cidr: '10.0.0.0/24', ip_version: 4 }),
    );
    expect(await cloud.servers(network.id)).toEqual(['idle']);
    expect(told.map(({ method, to }) => [method, to])).toEqual([
      ['network_create_end', ['idle']],
      ['subnet_create_end', ['idle']],
    ]);
    expect(told[0]?.args).toEqual({ payload: { network: { id: network.id }, priority: 0 } });
  });

  test('a port does, on a network without subnets; and later ones change nothing', async () => {
    const network = await cloud.network();
    await cloud.stack.create('port', { network_id: network.id });
    await Promise.all([cloud.agent('a'), cloud.agent('b')]);
    expect(await cloud.servers(network.id)).toEqual([]);
    await cloud.stack.create('port', { network_id: network.id });
    const servers = await cloud.servers(network.id);
    expect(servers).toHaveLength(1);
    await cloud.stack.create('port', { network_id: network.id });
    expect(await cloud.servers(network.id)).toEqual(servers);
  });

  test('a reserved DHCP port does not', async () => {
    await cloud.agent('a');
    const network = await cloud.network();
    const reserved = { network_id: network.id, device_owner: 'network:dhcp', device_id: 'reserved_dhcp_port' };
    await cloud.stack.create('port', reserved);
    expect(await cloud.servers(network.id)).toEqual([]);
  });

  test('what is made between two reports is spread', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host);
    for (let n = 0; n < 9; n++) await cloud.lan();
    const rows = await cloud.sql`
      select a.host, count(*)::int as networks from network_dhcp_agents s join agents a on a.id = s.agent_id
      group by a.host order by a.host`;
    expect(rows.map((row) => ({ ...row }))).toEqual(['a', 'b', 'c'].map((host) => ({ host, networks: 3 })));
  });

  test('networks of one request are spread, too', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host);
    const networks = await Promise.all([1, 2, 3, 4].map(() => cloud.network()));
    const subnets = networks.map(({ id }) => ({ network_id: id, cidr: '10.0.0.0/24', ip_version: 4 }));
    await cloud.request('POST', 'subnets', { subnets });
    const servers = (await Promise.all(networks.map(({ id }) => cloud.servers(id)))).flat();
    expect(servers.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  test('dead and disabled agents get nothing', async () => {
    await cloud.agent('dead');
    await cloud.silent('dead', 100);
    await cloud.agent('lost');
    await cloud.lost('lost', 3);
    const disabled = await cloud.agent('disabled');
    await cloud.request('PUT', `agents/${disabled}`, { agent: { admin_state_up: false } });
    expect(await cloud.servers((await cloud.lan()).id)).toEqual([]);
    await cloud.agent('alive');
    expect(await cloud.servers((await cloud.lan()).id)).toEqual(['alive']);
  });

  test('only agents in a zone that the network names get it', async () => {
    await cloud.agent('a', { zone: 'az1' });
    await cloud.agent('b', { zone: 'az2' });
    const network = await cloud.lan('10.0.0.0/24', { availability_zone_hints: ['az2'] });
    expect(await cloud.servers(network.id)).toEqual(['b']);
    const { body } = await cloud.request('GET', `networks/${network.id}`);
    expect(body.network.availability_zones).toEqual(['az2']);
  });

  test('only agents on hosts that reach the network get it', async () => {
    await cloud.agent('far', {});
    await cloud.sql`
      update agents set configurations = '{"bridge_mappings": {}, "tunnel_types": ["vxlan"]}'
      where host = 'far' and agent_type = 'Open vSwitch agent'`;
    await cloud.agent('near', { configurations: { networks: 100 } });
    const provider = { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet1' };
    expect(await cloud.servers((await cloud.lan('10.0.0.0/24', provider)).id)).toEqual(['near']);
  });

  test('ports of a new network that come at once get it one agent', async () => {
    for (const host of ['a', 'b', 'c']) await cloud.agent(host);
    const network = await cloud.network();
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => cloud.stack.create('port', { network_id: network.id })));
    expect(await cloud.servers(network.id)).toHaveLength(1);
  });

  test('an agent that is deleted while it is chosen does not fail the port', async () => {
    for (let n = 0; n < 8; n++) {
      const id = await cloud.agent('a');
      const network = await cloud.network();
      const [port] = await Promise.all([
        cloud.request('POST', 'ports', { port: { network_id: network.id } }),
        cloud.request('DELETE', `agents/${id}`),
      ]);
      expect(port.status, port.text).toBe(201);
      expect(await cloud.servers(network.id)).toEqual([]);
    }
  });

  test('an agent that appears gets the networks without one, and is told', async () => {
    const networks = await Promise.all([1, 2, 3].map(() => cloud.lan()));
    const bare = await cloud.network();
    await cloud.agent('a');
    for (const { id } of networks) await cloud.servedBy(id, 'a');
    expect(await cloud.servers(bare.id)).toEqual([]);
    const told = await cloud.cloud.waiting('dhcp_agent');
    expect(told.filter(({ method }) => method === 'network_create_end').map(({ to }) => to)).toEqual(
      Array(3).fill(['a']),
    );
  });

  test('an agent that asks for its networks gets those without one', async () => {
    await cloud.agent('a');
    const network = await cloud.lan();
    await cloud.sql`delete from network_dhcp_agents`;
    const infos = await cloud.call('a', 'get_active_networks_info', { host: 'a' });
    expect(infos).toMatchObject([{ id: network.id }]);
  });

  test('a network that is served costs no statement more, and neither does one that nobody can serve', async () => {
    const cost = async (network_id: string) => {
      const before = cloud.stack.counted('nucleon_sql_statements_total');
      await cloud.stack.create('port', { network_id });
      return cloud.stack.counted('nucleon_sql_statements_total') - before;
    };
    // What agents' starts have set going may still be under way.
    const least = async (network_id: string) =>
      Math.min(await cost(network_id), await cost(network_id), await cost(network_id));
    const unserved = await least((await cloud.network()).id);
    await cloud.agent('a');
    const network = await cloud.network();
    expect(await cost(network.id)).toBeGreaterThan(unserved);
    expect(await least(network.id)).toBe(unserved);
  });
});

describe('several agents for each network', () => {
  let cloud: DhcpCloud;
  beforeAll(async () => {
    cloud = await DhcpCloud.start('dhcp_several', {
      DEFAULT: {
        dhcp_agents_per_network: 2,
        network_scheduler_driver: 'neutron.scheduler.dhcp_agent_scheduler.AZAwareWeightScheduler',
        default_availability_zones: ['az1', 'az2'],
      },
    });
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  test('are of different zones, and of the default ones', async () => {
    await cloud.agent('a1', { zone: 'az1' });
    await cloud.agent('a2', { zone: 'az1' });
    await cloud.agent('b1', { zone: 'az2', configurations: { networks: 50 } });
    await cloud.agent('c1', { zone: 'az3' });
    for (let n = 0; n < 3; n++) {
      const servers = await cloud.servers((await cloud.lan()).id);
      expect(servers).toHaveLength(2);
      expect(servers).toContain('b1');
      expect(servers).not.toContain('c1');
    }
  });

  test('never become more when ports come at once', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await cloud.agent(host, { zone: 'az1' });
    const networks = await Promise.all([1, 2, 3, 4].map(() => cloud.network()));
    await Promise.all(
      networks.flatMap(({ id }) => [1, 2, 3, 4].map(() => cloud.stack.create('port', { network_id: id }))),
    );
    for (const { id } of networks) {
      // What one left to another that then chose the same comes with the next port.
      await cloud.stack.create('port', { network_id: id });
      expect(await cloud.servers(id)).toHaveLength(2);
    }
  });

  test('one of them takes up a new port first', async () => {
    for (const host of ['a', 'b']) await cloud.agent(host, { zone: 'az1' });
    const network = await cloud.lan();
    const told = await cloud.told(() => cloud.stack.create('port', { network_id: network.id }));
    expect(told.map(({ method, to, args }) => [method, to.length, args.payload.priority])).toEqual([
      ['port_create_end', 1, 5],
      ['port_create_end', 1, 6],
    ]);
    expect(told.flatMap(({ to }) => to).toSorted()).toEqual(['a', 'b']);
  });
});
