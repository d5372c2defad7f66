/** What agents ask of security groups. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byKind } from '../objects/observed.ts';
import { agent, rpc } from '../objects/support.ts';
import { Stack } from '../support/stack.ts';
import { DEVICE, INFO, INFO_WITH_ADDRESSES } from './observed.ts';

const PROJECT = 'a'.repeat(32);
const owner = { project: PROJECT, roles: 'admin' } as const;
const MEMBERS = { namespace: 'nucleon' };

let stack: Stack;
let network_id: string;
/** One without rules, one whose rules name the others, one more. */
let bare: string;
let web: string;
let db: string;
let addresses: string;

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape
async function make(path: string, member: string, body: object): Promise<any> {
  const answer = await stack.call('POST', `/v2.0/${path}`, { as: owner, body: { [member]: body } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body[member];
}
const port = (body: object) =>
  make('ports', 'port', { network_id, device_owner: 'compute:nova', security_groups: [bare], ...body });
const rule = (body: object) => make('security-group-rules', 'security_group_rule', { direction: 'ingress', ...body });
const info = (host: string, devices: readonly string[], more: object = {}) =>
  rpc(stack, host, 'security_group_info_for_devices', { devices, ...more }, { version: '1.2' });
const rules = (host: string, devices: readonly string[]) =>
  rpc(stack, host, 'security_group_rules_for_devices', { devices }, { version: '1.1' });

async function group(name: string): Promise<string> {
  const { id, security_group_rules } = await make('security-groups', 'security_group', { name });
  for (const egress of security_group_rules) {
    await stack.call('DELETE', `/v2.0/security-group-rules/${egress.id}`, { as: owner });
  }
  return id;
}

beforeAll(async () => {
  stack = await Stack.start('security_group_rpc', { ml2: { mechanism_drivers: ['openvswitch'] } });
  await agent(stack, 'host1');
  await agent(stack, 'host2');
  network_id = (await make('networks', 'network', { name: 'n' })).id;
  await make('subnets', 'subnet', {
    network_id,
    ip_version: 4,
    cidr: '10.0.0.0/16',
    allocation_pools: [{ start: '10.0.0.2', end: '10.0.90.0' }],
  });
  const slaac = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' };
  await make('subnets', 'subnet', { network_id, ip_version: 6, cidr: '2001:db8::/64', ...slaac });
  [bare, web, db] = [await group('bare'), await group('web'), await group('db')];
  addresses = (await make('address-groups', 'address_group', { name: 'ag', addresses: ['10.7.0.0/24'] })).id;
});
afterAll(() => stack.stop());

describe('security_group_info_for_devices() and security_group_rules_for_devices()', () => {
  const details = {
    name: 'x',
    device_id: 'vm1',
    allowed_address_pairs: [{ ip_address: '10.0.0.77' }],
    extra_dhcp_opts: [{ opt_name: 'mtu', opt_value: '1400' }],
    'binding:host_id': 'host1',
  };

  it('answer as Neutron does', async () => {
    const { id } = await port(details);
    const answer = await info('host1', [id]);
    expect(byKind(answer)).toMatchObject(INFO);
    const byDevice = await rules('host1', [id]);
    expect(byKind(byDevice[id])).toMatchObject(DEVICE);

    const named = await group('named');
    await rule({ security_group_id: named, remote_address_group_id: addresses });
    await stack.call('PUT', `/v2.0/ports/${id}`, { as: owner, body: { port: { security_groups: [named] } } });
    const more = await info('host1', [id]);
    expect(byKind(more)).toMatchObject(INFO_WITH_ADDRESSES);
    expect(more.sg_member_ips[addresses]).toEqual({ IPv4: ['10.7.0.0/24'], IPv6: [] });
  });

  it('know devices by the names that agents have for them', async () => {
    const { id, mac_address } = await port({ 'binding:host_id': 'host1' });
    for (const device of [id, `tap${id.slice(0, 11)}`, mac_address]) {
      const { devices } = await info('host1', [device]);
      expect(Object.keys(devices)).toEqual([id]);
      expect(devices[id].device).toBe(device);
    }
  });

  it('tell of no other host, and of no port that is not guarded', async () => {
    const { id } = await port({ 'binding:host_id': 'host1' });
    const dhcp = await port({ 'binding:host_id': 'host1', device_owner: 'network:dhcp', security_groups: [] });
    const nothing = { devices: {}, security_groups: {}, sg_member_ips: {} };
    expect(await info('host2', [id])).toEqual(nothing);
    expect(await rules('host2', [id])).toEqual({});
    expect(await info('host1', [dhcp.id, 'nonsense', ''])).toEqual(nothing);
    expect(await info('host1', [])).toEqual(nothing);
  });

  it('have rules with normalised prefixes, and members of remote groups with their address pairs', async () => {
    await rule({ security_group_id: web, protocol: 'tcp', port_range_min: 80, port_range_max: 81 });
    await rule({ security_group_id: web, protocol: 'udp', remote_ip_prefix: '10.9.1.1/16' });
    await rule({ security_group_id: web, direction: 'egress', ethertype: 'IPv6', remote_ip_prefix: '2001:db8::1/32' });
    await rule({ security_group_id: web, remote_group_id: db });
    const mine = await port({ 'binding:host_id': 'host1', security_groups: [web] });
    const other = await port({
      'binding:host_id': 'host2',
      security_groups: [db],
      allowed_address_pairs: [
        { ip_address: '10.5.0.0/24' },
        { ip_address: '10.6.0.1', mac_address: 'FA:16:3E:00:00:01' },
      ],
    });
    const [v4, v6] = other.fixed_ips.map(({ ip_address }: { ip_address: string }) => ip_address);
    const mac = other.mac_address;

    const answer = await info('host1', [mine.id], { call_version: '1.3' });
    const stateful = true;
    expect(answer.security_groups[web]).toEqual([
      { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', port_range_min: 80, port_range_max: 81, stateful },
      { direction: 'ingress', ethertype: 'IPv4', protocol: 'udp', source_ip_prefix: '10.9.0.0/16', stateful },
      { direction: 'egress', ethertype: 'IPv6', dest_ip_prefix: '2001:db8::/32', stateful },
      { direction: 'ingress', ethertype: 'IPv4', remote_group_id: db, stateful },
    ]);
    expect(answer.devices[mine.id].security_group_source_groups).toEqual([db]);
    expect(Object.keys(answer.sg_member_ips)).toEqual([db]);
    expect(Object.keys(answer.sg_member_ips[db])).toEqual(['IPv4']);
    expect(answer.sg_member_ips[db].IPv4.toSorted()).toEqual(
      [
        [v4, mac],
        ['10.5.0.0/24', mac],
        ['10.6.0.1', 'fa:16:3e:00:00:01'],
      ].toSorted(),
    );
    const older = await info('host1', [mine.id]);
    expect(older.sg_member_ips[db].IPv4.toSorted()).toEqual([v4, '10.5.0.0/24', '10.6.0.1'].toSorted());
    expect(older.sg_member_ips[db].IPv6).toEqual([v6]);

    const legacy = (await rules('host1', [mine.id]))[mine.id].security_group_rules as readonly Record<
      string,
      unknown
    >[];
    const remote = legacy.filter((one) => one['remote_group_id'] === db);
    expect(remote.map((one) => one['source_ip_prefix']).toSorted()).toEqual(
      [`${v4}/32`, '10.5.0.0/24', '10.6.0.1/32'].toSorted(),
    );
    expect(remote[0]).toMatchObject({ security_group_id: web, direction: 'ingress', ethertype: 'IPv4' });
  });

  it.each([
    [{ devices: 'x' }],
    [{ devices: [1] }],
    [{ devices: ['x'.repeat(256)] }],
    [{ devices: [], call_version: 'x' }],
    [{ devices: Array.from({ length: 1001 }, (_, at) => `d${at}`) }],
  ])('refuse nonsense', async (args) => {
    await expect(rpc(stack, 'host1', 'security_group_info_for_devices', args)).rejects.toMatchObject({
      type: 'InvalidInput',
    });
  });
});

describe('large groups', () => {
  let large: string;
  let mine: string;
  const COUNT = 2500;

  beforeAll(async () => {
    large = await group('large');
    const lets = await group('lets');
    await rule({ security_group_id: lets, remote_group_id: large });
    mine = (await port({ 'binding:host_id': 'host1', security_groups: [lets] })).id;
    const { sql } = stack.database;
    await sql.unsafe(`
      with p as (
        insert into ports (id, project_id, network_id, mac_address, status)
        select gen_random_uuid(), '${PROJECT}', '${network_id}',
          ('aa:bb:cc:00:' || lpad(to_hex(n / 256), 2, '0') || ':' || lpad(to_hex(n % 256), 2, '0'))::macaddr, 'DOWN'
        from generate_series(0, ${COUNT - 1}) n returning id, mac_address),
      s as (select id from subnets where network_id = '${network_id}' and ip_version = 4),
      a as (
        insert into ip_allocations (subnet_id, ip_address, port_id)
        select s.id, '10.0.100.0'::inet + (row_number() over (order by p.mac_address)), p.id from p, s),
      b as (insert into port_bindings (port_id, host) select id, 'host2' from p)
      insert into port_security_groups select id, '${large}' from p`);
  });

  async function allMembers(limit: number): Promise<readonly (readonly string[])[]> {
    const members: (readonly string[])[] = [];
    for (let marker: string | null = null; ; ) {
      const page = await rpc(
        stack,
        'host1',
        'security_group_members',
        { security_group: large, limit, marker },
        MEMBERS,
      );
      expect(JSON.stringify(page).length).toBeLessThan(256 * 1024);
      members.push(...page.members);
      if (page.next === null) return members;
      marker = page.next;
    }
  }

  it('are left out of what an agent asks for in pages, and come in pages', async () => {
    const answer = await info('host1', [mine], { call_version: '1.3', paged: true });
    expect(answer.large_groups).toEqual([large]);
    expect(answer.sg_member_ips[large]).toEqual({ IPv4: [] });
    expect(JSON.stringify(answer).length).toBeLessThan(256 * 1024);
    for (const limit of [1000, 500, 313]) {
      const members = await allMembers(limit);
      expect(members).toHaveLength(COUNT);
      expect(new Set(members.map(([ip]) => ip)).size).toBe(COUNT);
    }
  });

  it('are answered at once to an agent that knows of no pages, as long as they fit', async () => {
    const answer = await info('host1', [mine], { call_version: '1.3' });
    expect(answer).not.toHaveProperty('large_groups');
    expect(answer.sg_member_ips[large].IPv4).toHaveLength(COUNT);
  });

  it('are told only to hosts whose ports let them through', async () => {
    const ask = (host: string, security_group: string) =>
      rpc(stack, host, 'security_group_members', { security_group }, MEMBERS);
    await expect(ask('host2', large)).rejects.toMatchObject({ type: 'SecurityGroupNotFound' });
    await expect(ask('host1', bare)).rejects.toMatchObject({ type: 'SecurityGroupNotFound' });
    await expect(ask('host1', 'x')).rejects.toMatchObject({ type: 'InvalidInput' });
  });
});
