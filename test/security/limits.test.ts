/** What callers and agents choose must not grow without bound in us, nor make writers wait for each other in circles. */
import { afterEach, expect, it } from 'vitest';
import { member, Stack } from '../support/stack.ts';

let stack: Stack | undefined;
afterEach(() => stack?.stop());

it('PostgreSQL keeps a bounded number of prepared statements, however lists are asked for', async () => {
  stack = await Stack.start('statements', {}, 1);
  const alice = member('alice');
  const { attributes } = stack.resources().find(({ collection }) => collection === 'ports')!;
  const names = Object.keys(attributes).filter((name) => attributes[name]!.is_filter);
  const prepared = async () => {
    const [row] = await stack!.database.sql`select count(*)::int as statements from pg_prepared_statements`;
    return Number(row?.['statements']);
  };
  let asked = 0;
  for (const first of names) {
    for (const second of names) {
      const query = `${encodeURIComponent(first)}=x&${encodeURIComponent(second)}=y&fields=${encodeURIComponent(first)}`;
      const { status } = await stack.call('GET', `/v2.0/ports?${query}`, { as: alice });
      if (status === 200) asked += 1;
    }
  }
  expect(asked).toBeGreaterThan(150);
  expect(await prepared()).toBeLessThan(130);
  // What everybody asks for is still answered, and rightly.
  expect((await stack.call('GET', '/v2.0/ports?name=x', { as: alice })).body).toEqual({ ports: [] });
});

it('pages of agents by time end: every agent once, though their times differ by microseconds', async () => {
  stack = await Stack.start('agent_pages');
  await stack.database.sql`
    insert into agents (id, agent_type, "binary", topic, host, admin_state_up, configurations, created_at, started_at, heartbeat_timestamp)
    select gen_random_uuid(), 'DHCP agent', 'b', 't', 'host ' || n, true, '{}', now(), now(),
      timestamptz '2026-01-01 00:00:00.123456Z' + n * interval '1 microsecond'
    from generate_series(1, 5) n`;
  const hosts: string[] = [];
  let marker = '';
  for (let page = 0; page < 7; page++) {
    const query = `sort_key=heartbeat_timestamp&sort_dir=asc&limit=1${marker}`;
    const { agents } = (await stack.call('GET', `/v2.0/agents?${query}`)).body;
    if (agents.length === 0) break;
    hosts.push(agents[0].host);
    marker = `&marker=${agents[0].id}`;
  }
  expect(hosts).toEqual([1, 2, 3, 4, 5].map((n) => `host ${n}`));
});

it('pages of networks by a segment id end, though some have none', async () => {
  stack = await Stack.start('network_pages');
  for (const type of ['local', 'vxlan', 'local', 'vxlan', 'flat']) {
    const physical = type === 'flat' ? { 'provider:physical_network': 'physnet9' } : {};
    await stack.create('network', { 'provider:network_type': type, ...physical });
  }
  for (const key of ['provider:segmentation_id', 'provider:physical_network', 'provider:network_type']) {
    const seen = new Set<string>();
    let marker = '';
    for (let page = 0; page < 7; page++) {
      const query = `sort_key=${encodeURIComponent(key)}&sort_dir=desc&limit=2${marker}`;
      const { networks } = (await stack.call('GET', `/v2.0/networks?${query}`)).body;
      if (networks.length === 0) break;
      for (const { id } of networks) seen.add(id);
      marker = `&marker=${networks.at(-1).id}`;
    }
    expect(seen.size, key).toBe(5);
  }
});

it('writers of one network take their locks in one order: none is rolled back for a deadlock', async () => {
  stack = await Stack.start('deadlocks');
  const { call } = { call: stack.call.bind(stack) };
  for (let round = 0; round < 12; round++) {
    const network = (await stack.create('network', {})).id;
    const subnet = await stack.create('subnet', { network_id: network, ip_version: 4, cidr: '10.0.0.0/24' });
    const ports = [];
    for (const device_owner of ['', 'network:dhcp', '', 'network:dhcp']) {
      ports.push((await stack.create('port', { network_id: network, device_owner })).id);
    }
    const modes = { ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' };
    const slaac = { network_id: network, ip_version: 6, cidr: '2001:db8::/64', ...modes };
    const answers = await Promise.all([
      call('POST', '/v2.0/subnets', { body: { subnet: slaac } }),
      ...ports.flatMap((id) => [
        call('PUT', `/v2.0/ports/${id}`, {
          body: { port: { fixed_ips: [{ subnet_id: subnet.id }, { subnet_id: subnet.id }] } },
        }),
        call('PUT', `/v2.0/ports/${id}`, { body: { port: { name: 'new', mac_address: null } } }),
      ]),
      call('PUT', `/v2.0/subnets/${subnet.id}`, { body: { subnet: { name: 'new' } } }),
      call('PUT', `/v2.0/networks/${network}`, { body: { network: { name: 'new', shared: round % 2 === 0 } } }),
      call('DELETE', `/v2.0/subnets/${subnet.id}`),
      call('DELETE', `/v2.0/ports/${ports[0]}`),
      call('DELETE', `/v2.0/networks/${network}`),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    await stack.clear();
  }
  expect(stack.counted('nucleon_transaction_retries_total')).toBe(0);
});
