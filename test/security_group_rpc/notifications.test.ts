/** What agents are told of security groups and address groups, and what a change of a large group costs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, type Told, toldBy, waiting } from '../objects/support.ts';
import { Stack } from '../support/stack.ts';

const PROJECT = 'a'.repeat(32);
const owner = { project: PROJECT, roles: 'admin' } as const;
const TOPIC = 'q-agent-notifier-security_group-update';

let stack: Stack;
let network_id: string;

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape
type Any = any;

async function make(path: string, member: string, body: object): Promise<Any> {
  const answer = await stack.call('POST', `/v2.0/${path}`, { as: owner, body: { [member]: body } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body[member];
}
async function put(path: string, body: object): Promise<Any> {
  const answer = await stack.call('PUT', `/v2.0/${path}`, { as: owner, body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}
const remove = (path: string) => stack.call('DELETE', `/v2.0/${path}`, { as: owner });
const port = (security_groups: readonly string[], body: object = {}): Promise<Any> =>
  make('ports', 'port', { network_id, device_owner: 'compute:nova', security_groups, ...body });
const rule = (security_group_id: string, body: object) =>
  make('security-group-rules', 'security_group_rule', { security_group_id, direction: 'ingress', ...body });
const group = async (name: string): Promise<string> => (await make('security-groups', 'security_group', { name })).id;

/** What agents that do not follow objects are told of members, and who. */
const members = async (work: () => Promise<unknown>) =>
  (await toldBy(stack, work))
    .filter(({ method }) => method === 'security_groups_member_updated')
    .map(({ args, hosts }) => [args, hosts]);
/** Pushes and messages of groups: what, and who. */
const told = async (work: () => Promise<unknown>) =>
  (await toldBy(stack, work))
    .filter(({ topic }) => topic === TOPIC || /vo-(Security|Address)/.test(topic))
    .map(({ method, topic, args, hosts }) =>
      method === 'push'
        ? [topic.slice('neutron-vo-'.length), args.event_type, args.resource_list[0]['versioned_object.data'].id, hosts]
        : [method, args.security_groups, hosts],
    );
const change = (added: readonly Any[], removed: readonly Any[] = []) => ({
  added: expect.toSatisfy((found: Any[]) => same(found, added)),
  removed: expect.toSatisfy((found: Any[]) => same(found, removed)),
});
const same = (found: readonly Any[], wanted: readonly Any[]): boolean => {
  expect(found.toSorted()).toEqual(wanted.toSorted());
  return true;
};
const addressesOf = ({ fixed_ips, mac_address }: Any) =>
  fixed_ips.map(({ ip_address }: { ip_address: string }) => [ip_address, mac_address]);

beforeAll(async () => {
  stack = await Stack.start('security_group_notifications', { ml2: { mechanism_drivers: ['openvswitch'] } });
  for (const host of ['host1', 'host2']) await agent(stack, host);
  await agent(stack, 'modern', { Port: '1.11', SecurityGroup: '1.6', AddressGroup: '1.2' });
  network_id = (await make('networks', 'network', { name: 'n' })).id;
  await make('subnets', 'subnet', {
    network_id,
    ip_version: 4,
    cidr: '10.0.0.0/16',
    allocation_pools: [{ start: '10.0.0.2', end: '10.0.90.0' }],
  });
  await put(`quotas/${PROJECT}`, { quota: { port: -1, security_group: -1 } });
});
afterAll(() => stack.stop());

describe('members', () => {
  /** `clients` may reach `servers`: whoever is in the latter lets the former through. */
  let clients: string;
  let servers: string;

  beforeAll(async () => {
    [clients, servers] = [await group('clients'), await group('servers')];
    await rule(servers, { remote_group_id: clients });
    await port([servers], { 'binding:host_id': 'host1' });
    await port([servers], { 'binding:host_id': 'host1' });
    await port([servers], { 'binding:host_id': 'modern' });
  });

  it('that come, change and go are told as a difference, to hosts that let them through', async () => {
    let client: Any;
    expect(
      await members(async () => {
        client = await port([clients], { allowed_address_pairs: [{ ip_address: '10.5.0.0/24' }] });
      }),
    ).toEqual([
      [
        {
          security_groups: [clients],
          members: {
            [clients]: change([...addressesOf(client), ['10.5.0.0/24', client.mac_address]]),
          },
        },
        ['host1'],
      ],
    ]);
    const before = addressesOf(client);
    expect(
      await members(async () => {
        client = (await put(`ports/${client.id}`, { port: { fixed_ips: [{ ip_address: '10.0.77.7' }] } })).port;
      }),
    ).toEqual([
      [{ security_groups: [clients], members: { [clients]: change(addressesOf(client), before) } }, ['host1']],
    ]);
    expect(await members(() => put(`ports/${client.id}`, { port: { name: 'x' } }))).toEqual([]);
    // Another port may hold a pair, too: the group must be asked for.
    expect(await members(() => put(`ports/${client.id}`, { port: { allowed_address_pairs: [] } }))).toEqual([
      [{ security_groups: [clients], members: {} }, ['host1']],
    ]);
    expect(await members(() => put(`ports/${client.id}`, { port: { security_groups: [] } }))).toEqual([
      [{ security_groups: [clients], members: { [clients]: change([], addressesOf(client)) } }, ['host1']],
    ]);
    expect(await members(() => put(`ports/${client.id}`, { port: { security_groups: [clients] } }))).toEqual([
      [{ security_groups: [clients], members: { [clients]: change(addressesOf(client)) } }, ['host1']],
    ]);
    expect(await members(() => remove(`ports/${client.id}`))).toEqual([
      [{ security_groups: [clients], members: { [clients]: change([], addressesOf(client)) } }, ['host1']],
    ]);
  });

  it('of a bulk request are told together', async () => {
    let ports: Any[] = [];
    const messages = await members(async () => {
      const body = { ports: Array.from({ length: 5 }, () => ({ network_id, security_groups: [clients] })) };
      ports = (await stack.call('POST', '/v2.0/ports', { as: owner, body })).body.ports;
    });
    expect(messages).toEqual([
      [{ security_groups: [clients], members: { [clients]: change(ports.flatMap(addressesOf)) } }, ['host1']],
    ]);
    for (const { id } of ports) await remove(`ports/${id}`);
  });

  it('are told once to each host: by the port itself, where an agent follows ports', async () => {
    const messages = await toldBy(stack, () => port([clients], { 'binding:host_id': 'host2' }));
    const byHost = (host: string) =>
      messages.filter(({ hosts }) => hosts.includes(host)).map(({ method, topic }) => `${method} ${topic}`);
    expect(byHost('modern')).toEqual(['push neutron-vo-Port-1.11']);
    expect(byHost('host1')).toEqual([`security_groups_member_updated ${TOPIC}`]);
  });

  it('that leave a group are told to those who follow it by the port, too', async () => {
    const { id } = await port([clients]);
    const pushed = async (work: () => Promise<unknown>) =>
      (await toldBy(stack, work))
        .filter(({ method }) => method === 'push')
        .map(({ args, hosts }) => [args.event_type, args.resource_list[0]['versioned_object.data'].id, hosts]);
    const left = () => put(`ports/${id}`, { port: { security_groups: [] } });
    expect(await pushed(left)).toEqual([['updated', id, ['modern']]]);
    expect(await pushed(left)).toEqual([]);
    await put(`ports/${id}`, { port: { security_groups: [clients] } });
    expect(await pushed(() => remove(`ports/${id}`))).toEqual([['deleted', id, ['modern']]]);
  });

  it('are told of addresses that a new subnet gives to ports', async () => {
    const client = await port([clients]);
    let subnet = '';
    let now: Any;
    const messages = await toldBy(stack, async () => {
      const slaac = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
      subnet = (await make('subnets', 'subnet', { network_id, ip_version: 6, cidr: '2001:db8::/64', ...slaac })).id;
      now = (await stack.call('GET', `/v2.0/ports/${client.id}`, { as: owner })).body.port;
    });
    const v6 = addressesOf(now).at(-1);
    const update = messages.filter(({ method }) => method === 'security_groups_member_updated');
    const ofClients = update.find(({ args }) => args.security_groups[0] === clients);
    expect(ofClients?.args.members[clients].added).toContainEqual(v6);
    expect(ofClients?.hosts).toEqual(['host1']);
    const pushes = messages.filter(({ topic }) => topic === 'neutron-vo-Port-1.11');
    expect(pushes.map(({ args }) => args.resource_list[0]['versioned_object.data'].id)).toContain(client.id);
    const gone = await toldBy(stack, () => remove(`subnets/${subnet}`));
    const taken = gone.find(({ args }) => args.security_groups?.[0] === clients);
    expect(taken?.args.members[clients].removed).toContainEqual(v6);
    await remove(`ports/${client.id}`);
  });
});

describe('groups and rules', () => {
  it('are told to hosts with ports in the group', async () => {
    const web = await group('web');
    const other = await group('other');
    await port([web], { 'binding:host_id': 'host1' });
    await port([web], { 'binding:host_id': 'host2' });
    await port([other], { 'binding:host_id': 'modern' });
    const hosts = ['host1', 'host2'];
    let id = '';
    expect(
      await told(async () => {
        id = (await rule(web, { protocol: 'tcp', port_range_min: 80, port_range_max: 80 })).id;
      }),
    ).toEqual([
      ['SecurityGroupRule-1.3', 'updated', id, hosts],
      ['security_groups_rule_updated', [web], hosts],
    ]);
    expect(await told(() => remove(`security-group-rules/${id}`))).toEqual([
      ['SecurityGroupRule-1.3', 'deleted', id, hosts],
      ['security_groups_rule_updated', [web], hosts],
    ]);
    expect(await told(() => put(`security-groups/${web}`, { security_group: { name: 'w' } }))).toEqual([
      ['SecurityGroup-1.6', 'updated', web, hosts],
    ]);
    expect(await told(() => put(`security-groups/${web}`, { security_group: { name: 'w' } }))).toEqual([]);
    // A group that is the remote group of others' rules takes these with it.
    const remote = await group('remote');
    const naming = (await rule(other, { remote_group_id: remote })).id;
    expect(await told(() => remove(`security-groups/${remote}`))).toEqual([
      ['SecurityGroupRule-1.3', 'deleted', naming, ['modern']],
      ['security_groups_rule_updated', [other], ['modern']],
    ]);
    const bulk = [{ protocol: 'tcp' }, { protocol: 'udp' }].map((match) => ({
      security_group_id: web,
      direction: 'egress',
      ...match,
    }));
    const many = await told(() =>
      stack.call('POST', '/v2.0/security-group-rules', { as: owner, body: { security_group_rules: bulk } }),
    );
    expect(many.map(([what]) => what)).toEqual([
      'SecurityGroupRule-1.3',
      'SecurityGroupRule-1.3',
      'security_groups_rule_updated',
    ]);
  });

  it('that come with a port of a new project are told, too', async () => {
    const messages = await told(() =>
      make('ports', 'port', { network_id, project_id: 'newcomer', 'binding:host_id': 'host2' }),
    );
    expect(messages.map(([what, , , hosts]) => [what, hosts])).toContainEqual(['SecurityGroup-1.6', ['host2']]);
  });

  it('address groups are told to hosts with ports in groups whose rules name them', async () => {
    const pool = (await make('address-groups', 'address_group', { name: 'pool', addresses: ['10.7.0.0/24'] })).id;
    const users = await group('users');
    await rule(users, { remote_address_group_id: pool });
    await port([users], { 'binding:host_id': 'host2' });
    await port([users], { 'binding:host_id': 'modern' });
    const both = ['host2', 'modern'];
    const messages = await toldBy(stack, () =>
      put(`address-groups/${pool}/add_addresses`, { addresses: ['10.8.0.0/24', '2001:db8::/64'] }),
    );
    expect(messages.map(({ method, hosts }) => [method, hosts])).toEqual([
      ['push', both],
      ['security_groups_member_updated', ['host2']],
    ]);
    expect(messages[1]?.args).toEqual({
      security_groups: [pool],
      members: {
        [pool]: {
          added: [
            ['10.8.0.0/24', null],
            ['2001:db8::/64', null],
          ],
          removed: [],
        },
      },
    });
    expect(await told(() => put(`address-groups/${pool}/remove_addresses`, { addresses: ['10.8.0.0/24'] }))).toEqual([
      ['AddressGroup-1.2', 'updated', pool, both],
      ['security_groups_member_updated', [pool], ['host2']],
    ]);
    expect(await told(() => put(`address-groups/${pool}`, { address_group: { name: 'p' } }))).toEqual([
      ['AddressGroup-1.2', 'updated', pool, both],
    ]);
  });
});

describe('a group of 5,000 ports on 100 hosts', () => {
  const HOSTS = Array.from({ length: 100 }, (_, at) => `compute-${at}`).toSorted();
  let large: string;

  beforeAll(async () => {
    large = await group('large');
    await rule(large, { remote_group_id: large });
    await rule(large, { remote_group_id: large, ethertype: 'IPv6' });
    const { sql } = stack.database;
    await sql.unsafe(`
      with p as (
        insert into ports (id, project_id, network_id, mac_address, status)
        select gen_random_uuid(), '${PROJECT}', '${network_id}',
          ('aa:bb:cc:00:' || lpad(to_hex(n / 256), 2, '0') || ':' || lpad(to_hex(n % 256), 2, '0'))::macaddr, 'ACTIVE'
        from generate_series(0, 4999) n returning id, mac_address),
      b as (
        insert into port_bindings (port_id, host, vif_type)
        select id, 'compute-' || (row_number() over (order by mac_address) % 100), 'ovs' from p),
      a as (
        insert into ip_allocations (subnet_id, ip_address, port_id)
        select s.id, '10.0.100.0'::inet + row_number() over (order by p.mac_address), p.id
        from p, subnets s where s.network_id = '${network_id}' and s.ip_version = 4)
      insert into port_security_groups select id, '${large}' from p`);
    // Half of the agents follow ports.
    await sql.unsafe(`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp,
        configurations, resource_versions)
      select gen_random_uuid(), 'Open vSwitch agent', 'a', 'N/A', 'compute-' || n, true, now(), now(), now(), '{}',
        case when n % 2 = 0 then '{"Port": "1.11"}'::json end
      from generate_series(0, 99) n`);
    await sql.unsafe('analyze');
  });

  it('one more port costs a row beside its own, and one message to each host', async () => {
    let rows: readonly { readonly topic: string; readonly bytes: number }[] = [];
    const messages: readonly Told[] = await toldBy(stack, async () => {
      await port([large]);
      rows = await stack.database.sql`select topic, length(payload) as bytes from outbox order by id`;
    });
    expect(rows.map(({ topic }) => topic).toSorted()).toEqual(['Port', TOPIC]);
    expect(Math.max(...rows.map(({ bytes }) => bytes))).toBeLessThan(1000);
    const hosts = messages.flatMap((message) => message.hosts as string[]);
    expect(hosts.toSorted()).toEqual(HOSTS);
    const byMessage = messages.find(({ method }) => method === 'security_groups_member_updated');
    expect(byMessage?.hosts).toHaveLength(50);
    expect(byMessage?.args.members[large].added).toHaveLength(1);
  });

  it('finds whom it concerns in little time, for many ports at once', async () => {
    await stack.database.sql`delete from outbox`;
    const body = { ports: Array.from({ length: 100 }, () => ({ network_id, security_groups: [large] })) };
    for (let at = 0; at < 2; at++) await stack.call('POST', '/v2.0/ports', { as: owner, body });
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5; tries++) {
      const begun = performance.now();
      const messages = await waiting(stack);
      best = Math.min(best, performance.now() - begun);
      expect(messages.filter(({ hosts }) => hosts.length === 50)).toHaveLength(202);
    }
    // About 100 ms where nobody else is at work.
    expect(best).toBeLessThan(2000);
  });
});
