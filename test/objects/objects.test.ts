/** Versioned objects: their shapes, who may have them, how they are asked for and how an agent catches up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import {
  ADDRESS_GROUP,
  BOUND_PORT,
  byKind,
  GROUP,
  NETWORK,
  PROJECT,
  RULE,
  SLAAC_SUBNET,
  SUBNET,
  UNBOUND,
} from './observed.ts';
import { agent, rpc, toldBy, waiting } from './support.ts';

let stack: Stack;
const owner = { project: PROJECT, roles: 'admin' } as const;
const ids: Record<string, string> = {};
/** Counted by what has happened to the object, which is not the same here. */
const COUNTED = ['revision_number'];
const VERSIONS: Readonly<Record<string, string>> = {
  Port: '1.11',
  Network: '1.3',
  Subnet: '1.2',
  SecurityGroup: '1.6',
  SecurityGroupRule: '1.3',
  AddressGroup: '1.2',
  Agent: '1.1',
};

const pull = (host: string, resource_type: string, resource_id: string) =>
  rpc(stack, host, 'pull', { resource_type, version: VERSIONS[resource_type], resource_id }, { version: '1.1' });
const bulk = (host: string, resource_type: string, filter_kwargs: object | null = null, page: object = {}) =>
  rpc(
    stack,
    host,
    'bulk_pull',
    { resource_type, version: VERSIONS[resource_type], filter_kwargs, ...page },
    { version: '1.1' },
  );
const sync = (host: string, resource_type: string, known: object, range: object = {}) =>
  rpc(stack, host, 'sync', { resource_type, known, ...range }, { namespace: 'nucleon' });
const idsOf = (objects: readonly { 'versioned_object.data': { id: string } }[]) =>
  objects.map((object) => object['versioned_object.data'].id);
const port = (body: object) =>
  stack.create('port', { network_id: ids['network'], device_owner: 'compute:nova', ...body }, owner);

beforeAll(async () => {
  stack = await Stack.start('objects', { ml2: { mechanism_drivers: ['openvswitch'] } });
  const create = async (name: string, member: string, body: object) => {
    const made = await stack.create(member, body as never, owner);
    ids[name] = made.id;
    return made;
  };
  await agent(stack, 'host1', { Port: '1.11' });
  await agent(stack, 'host2');
  const vxlan = { 'provider:network_type': 'vxlan', 'provider:segmentation_id': 77 };
  await create('network', 'network', { name: 'n1', ...vxlan });
  await create('subnet', 'subnet', {
    network_id: ids['network'],
    ip_version: 4,
    cidr: '10.0.0.0/24',
    dns_nameservers: ['10.0.0.9'],
    host_routes: [{ destination: '10.1.0.0/24', nexthop: '10.0.0.8' }],
  });
  const slaac = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
  await create('subnet6', 'subnet', { network_id: ids['network'], ip_version: 6, cidr: '2001:db8::/64', ...slaac });
  const group = await stack.call('POST', '/v2.0/security-groups', {
    as: owner,
    body: { security_group: { name: 'web' } },
  });
  ids['group'] = group.body.security_group.id;
  const egress = group.body.security_group.security_group_rules as readonly { id: string }[];
  for (const { id } of egress) await stack.call('DELETE', `/v2.0/security-group-rules/${id}`, { as: owner });
  const rule = await stack.call('POST', '/v2.0/security-group-rules', {
    as: owner,
    body: {
      security_group_rule: {
        security_group_id: ids['group'],
        direction: 'ingress',
        ethertype: 'IPv4',
        protocol: 'tcp',
        port_range_min: 22,
        port_range_max: 22,
        remote_ip_prefix: '10.9.0.0/24',
      },
    },
  });
  ids['rule'] = rule.body.security_group_rule.id;
  const addresses = await stack.call('POST', '/v2.0/address-groups', {
    as: owner,
    body: { address_group: { name: 'ag', addresses: ['10.7.0.0/24'] } },
  });
  ids['addresses'] = addresses.body.address_group.id;
  const p1 = await port({
    name: 'x',
    device_id: 'vm1',
    allowed_address_pairs: [{ ip_address: '10.0.0.77' }],
    extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400' }],
    security_groups: [ids['group']],
    'binding:host_id': 'host1',
  });
  ids['port'] = p1.id;
});
afterAll(() => stack.stop());

describe('objects', () => {
  it('are as Neutron has them', async () => {
    expect(byKind(await pull('host1', 'Network', ids['network']!), COUNTED)).toEqual(byKind(NETWORK, COUNTED));
    expect(byKind(await pull('host1', 'Subnet', ids['subnet']!))).toEqual(SUBNET);
    expect(byKind(await pull('host1', 'Subnet', ids['subnet6']!))).toEqual(SLAAC_SUBNET);
    expect(byKind(await pull('host1', 'SecurityGroupRule', ids['rule']!))).toEqual(RULE);
    expect(byKind(await pull('host1', 'SecurityGroup', ids['group']!), COUNTED)).toEqual(byKind(GROUP, COUNTED));
    expect(byKind(await pull('host1', 'Port', ids['port']!), COUNTED)).toEqual(byKind(BOUND_PORT, COUNTED));
    const text = await stack.call('POST', '/v2.0/security-group-rules', {
      as: owner,
      body: {
        security_group_rule: {
          security_group_id: ids['group'],
          direction: 'ingress',
          remote_address_group_id: ids['addresses'],
        },
      },
    });
    expect(text.status).toBe(201);
    expect(byKind(await pull('host1', 'AddressGroup', ids['addresses']!))).toEqual(ADDRESS_GROUP);
  });

  it('Port: says what there is, bound or not', async () => {
    const { sql } = stack.database;
    const extra = {
      hints: { openvswitch: { other_config: { 'tx-steering': 'hash' } } },
      numa_affinity_policy: 'required',
    };
    const { id } = await port({ ...extra, name: 'x', 'binding:host_id': 'host1' });
    await sql`delete from port_binding_levels where port_id = ${id}`;
    await sql`update port_bindings set vif_type = 'unbound', vif_details = '{}' where port_id = ${id}`;
    await sql`update ports set data_plane_status = 'DOWN', dns_name = 'vm' where id = ${id}`;
    const { bindings, binding_levels, dns, hints, data_plane_status, numa_affinity_policy } = (
      await pull('host1', 'Port', id)
    )['versioned_object.data'];
    expect(byKind(bindings)).toEqual(UNBOUND);
    expect(binding_levels).toEqual([]);
    expect(dns['versioned_object.data']).toMatchObject({ port_id: id, dns_name: 'vm', dns_domain: '' });
    expect(hints['versioned_object.data']).toEqual({ port_id: id, hints: JSON.stringify(extra.hints) });
    expect(data_plane_status['versioned_object.data']).toEqual({ port_id: id, data_plane_status: 'DOWN' });
    expect(numa_affinity_policy).toBe('required');
    await stack.call('DELETE', `/v2.0/ports/${id}`, { as: owner });
  });

  it('are there only for hosts that they concern', async () => {
    for (const [type, name] of [
      ['Network', 'network'],
      ['Subnet', 'subnet'],
      ['Port', 'port'],
      ['SecurityGroup', 'group'],
      ['SecurityGroupRule', 'rule'],
      ['AddressGroup', 'addresses'],
    ] as const) {
      expect(await pull('host1', type, ids[name]!), type).not.toBeNull();
      expect(await pull('host9', type, ids[name]!), type).toBeNull();
      expect(await bulk('host9', type), type).toEqual([]);
      expect(await sync('host9', type, { [ids[name]!]: 3 }), type).toEqual({
        changed: [],
        gone: [ids[name]],
        next: null,
      });
    }
    expect(await pull('host1', 'Port', 'no uuid')).toBeNull();
  });

  it('Agent: an agent finds those of its own host', async () => {
    const agents = await bulk('host1', 'Agent');
    expect(agents).toHaveLength(1);
    expect(agents[0]['versioned_object.data']).toMatchObject({
      host: 'host1',
      agent_type: 'Open vSwitch agent',
      resource_versions: { Port: '1.11' },
    });
    expect(agents[0]['versioned_object.data']).not.toHaveProperty('availability_zone');
  });
});

describe('pull() and bulk_pull()', () => {
  it('find by fields, one value or several', async () => {
    const other = await port({ 'binding:host_id': 'host1', security_groups: [] });
    const find = async (filters: object) => idsOf(await bulk('host1', 'Port', filters)).toSorted();
    const both = [ids['port'], other.id].toSorted();
    expect(await find({ network_id: ids['network'] })).toEqual(both);
    expect(await find({ id: both })).toEqual(both);
    expect(await find({ id: ids['port'], network_id: [ids['network']] })).toEqual([ids['port']]);
    expect(await find({ security_group_ids: [ids['group']] })).toEqual([ids['port']]);
    expect(await find({ mac_address: other.mac_address.toUpperCase() })).toEqual([other.id]);
    expect(await find({ name: 'x', admin_state_up: true, device_id: ['vm1', 'vm2'] })).toEqual([ids['port']]);
    expect(await find({ network_id: 'nonsense' })).toEqual([]);
    await stack.call('DELETE', `/v2.0/ports/${other.id}`, { as: owner });
  });

  it.each([
    ['unknown field', { shoe_size: 3 }, 'InvalidInput'],
    ['a field of the prototype', { constructor: 3 }, 'InvalidInput'],
    ['an object as value', { id: { x: 1 } }, 'InvalidInput'],
    ['an object among the values', { id: [{ x: 1 }] }, 'InvalidInput'],
  ])('refuse %s', async (_, filters, type) => {
    await expect(bulk('host1', 'Port', filters)).rejects.toMatchObject({ type });
  });

  it('refuse types and versions that there are not', async () => {
    await expect(pull('host1', 'Shoe', ids['port']!)).rejects.toMatchObject({ type: 'InvalidInput' });
    const ask = (method: string, resource_type: string, version: string) =>
      rpc(stack, 'host1', method, { resource_type, version, resource_id: ids['port'] }, { version: '1.1' });
    await expect(ask('pull', 'Shoe', '1.0')).rejects.toMatchObject({ type: 'CallbackNotFound' });
    await expect(ask('bulk_pull', 'Shoe', '1.0')).rejects.toMatchObject({ type: 'InvalidResourceTypeClass' });
    for (const version of ['1.12', '2.0', '0.9']) {
      await expect(ask('pull', 'Port', version)).rejects.toMatchObject({ type: 'InvalidTargetVersion' });
    }
    expect((await ask('pull', 'Port', '1.5'))['versioned_object.version']).toBe('1.11');
    await expect(ask('pull', 'Port', 'x')).rejects.toMatchObject({ type: 'InvalidInput' });
  });
});

describe('many objects', () => {
  const made: string[] = [];
  beforeAll(async () => {
    const body = { network_id: ids['network'], 'binding:host_id': 'host7', security_groups: [] };
    await stack.call('PUT', `/v2.0/quotas/${PROJECT}`, { body: { quota: { port: -1 } } });
    for (let at = 0; at < 6; at++) {
      const answer = await stack.call('POST', '/v2.0/ports', {
        as: owner,
        body: { ports: Array.from({ length: 40 }, () => ({ ...body, fixed_ips: [] })) },
      });
      made.push(...answer.body.ports.map(({ id }: { id: string }) => id));
    }
    made.sort();
  });

  it('come in pages, in the order of ids, until there are no more', async () => {
    const found: string[] = [];
    for (let marker: string | null = null; ; marker = found.at(-1)!) {
      const page = await bulk('host7', 'Port', null, { limit: 100, marker });
      found.push(...idsOf(page));
      expect(JSON.stringify(page).length).toBeLessThan(300_000);
      if (page.length === 0) break;
    }
    expect(found).toEqual(made);
    expect(idsOf(await bulk('host7', 'Port'))).toEqual(made);
  });

  it('are not answered in one message that would be too large', async () => {
    const { sql } = stack.database;
    await sql`update ports set description = repeat('x', 255), name = repeat('y', 255),
      hints = json_build_object('x', repeat('z', 5000)) where id = any(${made}::uuid[])`;
    await expect(bulk('host7', 'Port')).rejects.toMatchObject({ type: 'MessageTooLarge' });
    const page = await bulk('host7', 'Port', null, { limit: 1000 });
    expect(page.length).toBeGreaterThan(10);
    expect(page.length).toBeLessThan(100);
    expect(JSON.stringify(page).length).toBeLessThan(300_000);
    await sql`update ports set hints = null, description = '', name = '' where id = any(${made}::uuid[])`;
  });

  /** An agent that has these and catches up; what it has then, and in how many calls. */
  async function catchUp(known: Map<string, number>, limit: number, bounded = true) {
    let after: string | null = null;
    for (let calls = 1; ; calls++) {
      const ahead: string[] = [...known.keys()].filter((id) => after === null || id > after).toSorted();
      const sent = ahead.slice(0, limit);
      const until = bounded && sent.length < ahead.length ? { until: sent.at(-1) } : {};
      const page = await sync('host7', 'Port', Object.fromEntries(sent.map((id) => [id, known.get(id)])), {
        after,
        limit,
        ...until,
      });
      expect(JSON.stringify(page).length).toBeLessThan(300_000);
      for (const id of page.gone) known.delete(id);
      for (const object of page.changed) {
        const { id, revision_number } = object['versioned_object.data'];
        known.set(id, revision_number);
      }
      if (page.next === null) return calls;
      expect(after === null || page.next > after).toBe(true);
      after = page.next;
    }
  }
  const truth = async () => {
    const rows = await stack.database.sql<{ id: string; revision_number: number }[]>`
      select p.id, p.revision_number from ports p join port_bindings b on b.port_id = p.id where b.host = 'host7' order by p.id`;
    return rows.map(({ id, revision_number }) => [id, revision_number]);
  };
  const sorted = (known: Map<string, number>) => [...known].toSorted(([a], [b]) => (a < b ? -1 : 1));

  it('sync(): who has nothing gets all of it', async () => {
    const known = new Map<string, number>();
    await catchUp(known, 100);
    expect(sorted(known)).toEqual(await truth());
  });

  it('sync(): who was away gets the difference alone', async () => {
    const known = new Map((await truth()) as [string, number][]);
    const [a, b, c, d] = [made[3]!, made[60]!, made[61]!, made[239]!];
    for (const id of [a, d]) {
      expect(
        (await stack.call('PUT', `/v2.0/ports/${id}`, { as: owner, body: { port: { name: 'new' } } })).status,
      ).toBe(200);
    }
    await stack.call('DELETE', `/v2.0/ports/${b}`, { as: owner });
    known.delete(c);
    known.set('00000000-0000-4000-8000-000000000000', 7);
    known.set('ffffffff-ffff-4fff-bfff-ffffffffffff', 7);
    const first = await sync('host7', 'Port', Object.fromEntries(known), { limit: 1000 });
    expect(idsOf(first.changed)).toEqual([a, c, d]);
    expect(first.gone.toSorted()).toEqual(
      ['00000000-0000-4000-8000-000000000000', b, 'ffffffff-ffff-4fff-bfff-ffffffffffff'].toSorted(),
    );
    expect(first.next).toBeNull();
    for (const limit of [1000, 100, 7]) {
      const own = new Map(known);
      await catchUp(own, limit);
      expect(sorted(own)).toEqual(await truth());
    }
  });

  it('sync(): refuses nonsense', async () => {
    for (const range of [{ limit: 0 }, { limit: 1001 }, { after: 'x' }, { until: 3 }]) {
      await expect(sync('host7', 'Port', {}, range)).rejects.toMatchObject({ type: 'InvalidInput' });
    }
    await expect(sync('host7', 'Port', { x: 1 })).rejects.toMatchObject({ type: 'InvalidInput' });
    await expect(sync('host7', 'Port', { [made[0]!]: 'x' })).rejects.toMatchObject({ type: 'InvalidInput' });
    await expect(sync('host7', 'Shoe', {})).rejects.toMatchObject({ type: 'CallbackNotFound' });
  });
});

describe('report_agent_resource_versions()', () => {
  const report = (host: string, args: object) =>
    rpc(stack, host, 'report_agent_resource_versions', args, { topic: 'q-server-resource-versions' });
  const versions = async (host: string) =>
    (await stack.database.sql`select resource_versions from agents where host = ${host}`)[0]?.['resource_versions'];

  it('keeps what an agent follows', async () => {
    const agent_type = 'Open vSwitch agent';
    const args = { agent_type, agent_host: 'host2', version_map: { Port: '1.11', Network: '1.3' } };
    expect(await report('host2', args)).toBeNull();
    expect(await versions('host2')).toEqual({ Port: '1.11', Network: '1.3' });
    expect(await report('host2', { ...args, version_map: {} })).toBeNull();
    expect(await versions('host2')).toEqual({});
    expect(await report('host3', { ...args, agent_host: 'host3' })).toBeNull();
  });

  it('is told in state reports, too', async () => {
    const state = { agent_type: 'Open vSwitch agent', binary: 'b', host: 'host4', topic: 'N/A', configurations: {} };
    const tell = (resource_versions: unknown) =>
      rpc(stack, 'host4', 'report_state', { agent_state: { agent_state: { ...state, resource_versions } } });
    await tell({ Port: '1.11' });
    expect(await versions('host4')).toEqual({ Port: '1.11' });
    await tell(undefined);
    expect(await versions('host4')).toEqual({ Port: '1.11' });
    await expect(tell({ Port: {} })).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('takes no report for another host, and no nonsense', async () => {
    const args = { agent_type: 'Open vSwitch agent', agent_host: 'host2', version_map: {} };
    await expect(report('host1', args)).rejects.toMatchObject({ type: 'ForeignHost' });
    for (const version_map of [{ Port: 1 }, { Port: 'x' }, { 'no name': '1.0' }, [], null]) {
      await expect(report('host2', { ...args, version_map })).rejects.toMatchObject({ type: 'InvalidInput' });
    }
  });
});

describe('pushes', () => {
  const told = (work: () => Promise<unknown>) => toldBy(stack, work);
  const objects = async (work: () => Promise<unknown>) =>
    (await told(work))
      .filter(({ method }) => method === 'push')
      .map(({ topic, args, hosts }) => [
        topic,
        args.event_type,
        args.resource_list[0]['versioned_object.data'].id,
        hosts,
      ]);
  const change = (path: string, body: object) => async () => {
    const answer = await stack.call('PUT', `/v2.0/${path}`, { as: owner, body });
    expect(answer.status).toBe(200);
  };

  it('go to the hosts with ports on a network, a subnet', async () => {
    const hosts = ['host1', 'host7'];
    expect(await objects(change(`networks/${ids['network']}`, { network: { name: 'n2' } }))).toEqual([
      ['neutron-vo-Network-1.3', 'updated', ids['network'], hosts],
    ]);
    expect(await objects(change(`subnets/${ids['subnet']}`, { subnet: { name: 's2' } }))).toEqual([
      ['neutron-vo-Subnet-1.2', 'updated', ids['subnet'], hosts],
    ]);
    let subnet = '';
    const made = await objects(async () => {
      const body = { network_id: ids['network'], ip_version: 4, cidr: '10.3.0.0/24' };
      subnet = (await stack.create('subnet', body, owner)).id;
    });
    expect(made).toEqual([['neutron-vo-Subnet-1.2', 'updated', subnet, hosts]]);
    const gone = await told(() => stack.call('DELETE', `/v2.0/subnets/${subnet}`, { as: owner }));
    expect(gone.filter(({ method }) => method === 'push')).toEqual([
      {
        topic: 'neutron-vo-Subnet-1.2',
        method: 'push',
        hosts,
        args: expect.objectContaining({ event_type: 'deleted' }),
      },
    ]);
    const nobody = await told(() => stack.create('network', { name: 'lonely' }, owner));
    expect(nobody).toEqual([]);
  });

  it('go to the host of a port, the one that it leaves, and the one it was on when it is deleted', async () => {
    let id = '';
    const made = await objects(async () => {
      id = (await port({ 'binding:host_id': 'host1', security_groups: [] })).id;
    });
    expect(made).toEqual([['neutron-vo-Port-1.11', 'updated', id, ['host1']]]);
    expect(await objects(change(`ports/${id}`, { port: { name: 'p' } }))).toEqual([
      ['neutron-vo-Port-1.11', 'updated', id, ['host1']],
    ]);
    expect(await objects(change(`ports/${id}`, { port: { name: 'p' } }))).toEqual([]);
    // The move, and the binding that follows it.
    const moved = await objects(change(`ports/${id}`, { port: { 'binding:host_id': 'host2' } }));
    expect(moved.map(([, event, , hosts]) => [event, hosts])).toEqual([
      ['updated', ['host1']],
      ['updated', ['host2']],
    ]);
    const gone = await told(() => stack.call('DELETE', `/v2.0/ports/${id}`, { as: owner }));
    expect(gone.find(({ method }) => method === 'push')?.args.resource_list[0]['versioned_object.data']).toEqual({
      id,
    });
    expect(gone.find(({ method }) => method === 'push')).toMatchObject({
      hosts: ['host2'],
      args: { event_type: 'deleted' },
    });
  });

  it('go to the hosts of all bindings of a port, and to one that is taken away', async () => {
    const { id } = await port({ 'binding:host_id': 'host1', security_groups: [] });
    const bindings = `/v2.0/ports/${id}/bindings`;
    const nova = { project: PROJECT, roles: 'admin,service' } as const;
    const host = { as: nova, body: { binding: { host: 'host2' } } };
    const both = [['neutron-vo-Port-1.11', 'updated', id, ['host1', 'host2']]];
    expect(await objects(() => stack.call('POST', bindings, host))).toEqual(both);
    expect(await objects(change(`ports/${id}`, { port: { name: 'migrating' } }))).toEqual(both);
    expect(await objects(() => stack.call('DELETE', `${bindings}/host2`, { as: nova }))).toEqual(both);
    expect(await objects(change(`ports/${id}`, { port: { name: 'stays' } }))).toEqual([
      ['neutron-vo-Port-1.11', 'updated', id, ['host1']],
    ]);
    await stack.call('DELETE', `/v2.0/ports/${id}`, { as: owner });
  });

  it('say what is newest, once, when changes come together', async () => {
    await stack.database.sql`delete from outbox`;
    await change(`networks/${ids['network']}`, { network: { name: 'n3' } })();
    await change(`networks/${ids['network']}`, { network: { name: 'n4' } })();
    const names = (await waiting(stack)).map(({ args }) => args.resource_list?.[0]['versioned_object.data'].name);
    expect(names.filter((name) => name !== undefined)).toEqual(['n4']);
  });
});
