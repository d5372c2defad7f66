/** What there can be only once, asked for by many at once: one gets it, the others are told Neutron's error. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOne, type World } from '../support/kinds.ts';
import type { Answer, Stack } from '../support/stack.ts';
import { CROWD, crowd, startCrowded, tally } from './support.ts';

let world: World;
let stack: Stack;
beforeAll(async () => {
  world = await startCrowded('unique');
  ({ stack } = world);
});
afterAll(() => stack.stop());

type Attributes = Readonly<Record<string, unknown>>;
/** The request of the nth caller. */
type Ask = (at: number) => Promise<Answer>;
/** Makes what the requests need. */
type Prepare = () => Promise<Ask>;

const send = (method: string, path: string, body: unknown) => stack.call(method, `/v2.0/${path}`, { body });

/** All ask for the same. */
const same =
  (collection: string, member: string, attributes: () => Attributes | Promise<Attributes>): Prepare =>
  async () => {
    const body = { [member]: await attributes() };
    return () => send('POST', collection, body);
  };

/** All ask for the same two, half of them in the other order: who waits for another, waits in one direction. */
const sameTwo =
  (collection: string, attributes: () => Promise<readonly Attributes[]> | readonly Attributes[]): Prepare =>
  async () => {
    const both = await attributes();
    return (at) => send('POST', collection, { [collection]: at % 2 === 0 ? both : both.toReversed() });
  };

const SOMEBODY = 'b'.repeat(32);
const shareOf = (type: string, object_id: string, target_tenant = SOMEBODY) => ({
  ...{ project_id: 'alice', object_type: type, object_id },
  ...{ action: 'access_as_shared', target_tenant },
});
const share = (type: string, collection: string): Prepare =>
  same('rbac_policies', 'rbac_policy', async () => shareOf(type, await makeOne(world, collection)));

const vlan = (tag: number) => ({
  'provider:network_type': 'vlan',
  'provider:physical_network': 'physnet1',
  'provider:segmentation_id': tag,
});
const rule = (security_group_id: string, protocol: string) => ({ security_group_id, direction: 'ingress', protocol });
const DEFAULT_RULE = {
  direction: 'ingress',
  protocol: 'sctp',
  used_in_default_sg: false,
  used_in_non_default_sg: true,
};

/** Each of many ports asks for the same. */
const samePorts =
  (attributes: Attributes): Prepare =>
  async () => {
    const ids = await Promise.all(Array.from({ length: CROWD }, () => makeOne(world, 'ports')));
    return (at) => send('PUT', `ports/${ids[at]}`, { port: attributes });
  };

/** Each of many shares is given to the same project. */
const sameTarget: Prepare = async () => {
  const network = await makeOne(world, 'networks');
  const policies = Array.from({ length: CROWD }, async () => {
    const body = { rbac_policy: shareOf('network', network, String(world.next()).padStart(32, '0')) };
    return (await send('POST', 'rbac-policies', body)).body.rbac_policy.id;
  });
  const ids = await Promise.all(policies);
  return (at) => send('PUT', `rbac-policies/${ids[at]}`, { rbac_policy: { target_tenant: SOMEBODY } });
};

const action = (collection: string, name: string, body: Attributes, first?: string): Prepare => {
  return async () => {
    const id = await makeOne(world, collection);
    if (first !== undefined) await send('PUT', `${collection}/${id}/${first}`, body);
    return () => send('PUT', `${collection}/${id}/${name}`, body);
  };
};

const untag: Prepare = async () => {
  const path = `ports/${await makeOne(world, 'ports')}/tags/red`;
  await send('PUT', path, undefined);
  return () => send('DELETE', path, undefined);
};

const onboard: Prepare = async () => {
  const pool = await makeOne(world, 'subnetpools');
  const network_id = await makeOne(world, 'networks');
  await stack.create('subnet', { network_id, ip_version: 4, cidr: '172.29.0.0/24' });
  return () => send('PUT', `subnetpools/${pool}/onboard_network_subnets`, { network_id });
};

/** A router, and a network that it is to lead to or be on, as one of many is asked to. */
const router = (attributes: Attributes = {}) => made('router', { project_id: 'alice', ...attributes });
const external = () => ({ external_gateway_info: { network_id: world.outside } });

async function made(member: string, attributes: Attributes): Promise<string> {
  return (await stack.create(member, attributes)).id;
}

async function inside(): Promise<{ readonly network_id: string; readonly subnet_id: string }> {
  const network_id = await made('network', { project_id: 'alice' });
  const cidr = `10.200.${world.next() % 250}.0/24`;
  return { network_id, subnet_id: await made('subnet', { network_id, project_id: 'alice', ip_version: 4, cidr }) };
}

const sameInterface: Prepare = async () => {
  const [id, { subnet_id }] = [await router(), await inside()];
  return () => send('PUT', `routers/${id}/add_router_interface`, { subnet_id });
};

const samePortOfRouters: Prepare = async () => {
  const port = await made('port', { network_id: (await inside()).network_id, project_id: 'alice' });
  const routers = await Promise.all(Array.from({ length: CROWD }, () => router()));
  return (at) => send('PUT', `routers/${routers[at]}/add_router_interface`, { port_id: port });
};

const sameGatewayAddress: Prepare = async () => {
  const { subnet_id } = await inside();
  const routers = await Promise.all(Array.from({ length: CROWD }, () => router()));
  return (at) => send('PUT', `routers/${routers[at]}/add_router_interface`, { subnet_id });
};

async function reachable(): Promise<string> {
  const [id, { network_id, subnet_id }] = [await router(external()), await inside()];
  await send('PUT', `routers/${id}/add_router_interface`, { subnet_id });
  return await made('port', { network_id, project_id: 'alice' });
}

const floating = (attributes: Attributes) => ({
  ...{ project_id: 'alice', floating_network_id: world.outside },
  ...attributes,
});

const sameAssociation: Prepare = async () => {
  const port_id = await reachable();
  const ids = await Promise.all(Array.from({ length: CROWD }, () => made('floatingip', floating({}))));
  return (at) => send('PUT', `floatingips/${ids[at]}`, { floatingip: { port_id } });
};

const ADDRESSES = { addresses: ['172.16.0.1/32', '172.16.0.3/32'] };
const network = () => world.network;

const ONCE: readonly (readonly [what: string, prepare: Prepare, winner: number, losers: string])[] = [
  [
    'a security group rule',
    same('security_group_rules', 'security_group_rule', async () =>
      rule(await makeOne(world, 'security_groups'), 'sctp'),
    ),
    201,
    '409 SecurityGroupRuleExists',
  ],
  [
    'two security group rules',
    sameTwo('security_group_rules', async () => {
      const id = await makeOne(world, 'security_groups');
      return [rule(id, 'tcp'), rule(id, 'udp')];
    }),
    201,
    '409 SecurityGroupRuleExists',
  ],
  [
    'a default security group rule',
    same('default_security_group_rules', 'default_security_group_rule', () => DEFAULT_RULE),
    201,
    '409 DefaultSecurityGroupRuleExists',
  ],
  [
    'the statefulness of a project',
    same('security_groups_default_statefulness', 'security_groups_default_statefulness', () => ({
      project_id: 'carol',
      stateful: false,
    })),
    201,
    '409 SecurityGroupDefaultStatefulnessAlreadyExists',
  ],
  ['a share of a network', share('network', 'networks'), 201, '409 DuplicateRbacPolicy'],
  ['a share of an address scope', share('address_scope', 'address_scopes'), 201, '409 DuplicateRbacPolicy'],
  ['a share of a subnet pool', share('subnetpool', 'subnetpools'), 201, '409 DuplicateRbacPolicy'],
  ['a share of a security group', share('security_group', 'security_groups'), 201, '409 DuplicateRbacPolicy'],
  ['a share of an address group', share('address_group', 'address_groups'), 201, '409 DuplicateRbacPolicy'],
  ['the target of shares', sameTarget, 200, '409 DuplicateRbacPolicy'],
  ['a VLAN', same('networks', 'network', () => vlan(150)), 201, '409 VlanIdInUse'],
  ['two VLANs', sameTwo('networks', () => [vlan(151), vlan(152)]), 201, '409 VlanIdInUse'],
  [
    'a VLAN of a segment',
    same('segments', 'segment', async () => ({
      network_id: await makeOne(world, 'networks'),
      network_type: 'vlan',
      physical_network: 'physnet1',
      segmentation_id: 153,
    })),
    201,
    '409 VlanIdInUse',
  ],
  [
    'a physical network',
    same('networks', 'network', () => ({ 'provider:network_type': 'flat', 'provider:physical_network': 'physnet7' })),
    201,
    '409 FlatNetworkInUse',
  ],
  [
    'the default external network',
    same('networks', 'network', () => ({ 'router:external': true, is_default: true })),
    201,
    '409 DefaultExternalNetworkExists',
  ],
  ['a subnet of a router', sameInterface, 200, '400 BadRequest'],
  ['the router of a port', samePortOfRouters, 200, '409 PortInUse'],
  ['the gateway address of a subnet', sameGatewayAddress, 200, '409 IpAddressAlreadyAllocated'],
  [
    'the floating IP of a fixed address',
    same('floatingips', 'floatingip', async () => floating({ port_id: await reachable() })),
    201,
    '409 FloatingIPPortAlreadyAssociated',
  ],
  ['the fixed address of floating IPs', sameAssociation, 200, '409 FloatingIPPortAlreadyAssociated'],
  [
    'the address of a floating IP',
    same('floatingips', 'floatingip', () => floating({ floating_ip_address: '11.24.9.9' })),
    201,
    '409 IpAddressAlreadyAllocated',
  ],
  [
    'the default subnet pool',
    same('subnetpools', 'subnetpool', () => ({ name: 'd', is_default: true, prefixes: ['2001:db9::/32'] })),
    201,
    '400 InvalidInput',
  ],
  [
    'a MAC address',
    same('ports', 'port', () => ({ network_id: network(), mac_address: 'fa:16:3e:00:00:aa' })),
    201,
    '409 MacAddressInUse',
  ],
  [
    'two MAC addresses',
    sameTwo('ports', () =>
      ['fa:16:3e:00:00:ac', 'fa:16:3e:00:00:ad'].map((mac_address) => ({ network_id: network(), mac_address })),
    ),
    201,
    '409 MacAddressInUse',
  ],
  ['the MAC address of ports', samePorts({ mac_address: 'fa:16:3e:00:00:ab' }), 200, '409 MacAddressInUse'],
  [
    'an IP address',
    same('ports', 'port', () => ({ network_id: network(), fixed_ips: [{ ip_address: '2001:db8::77' }] })),
    201,
    '409 IpAddressAlreadyAllocated',
  ],
  [
    'two IP addresses',
    sameTwo('ports', () =>
      ['2001:db8::78', '2001:db8::79'].map((ip_address) => ({ network_id: network(), fixed_ips: [{ ip_address }] })),
    ),
    201,
    '409 IpAddressAlreadyAllocated',
  ],
  [
    'the IP address of ports',
    samePorts({ fixed_ips: [{ ip_address: '2001:db8::80' }] }),
    200,
    '409 IpAddressAlreadyAllocated',
  ],
  [
    'a prefix of a network',
    same('subnets', 'subnet', () => ({ network_id: network(), ip_version: 4, cidr: '172.30.0.0/24' })),
    201,
    '400 InvalidInput',
  ],
  [
    'two prefixes of a network',
    sameTwo('subnets', () =>
      ['172.30.1.0/24', '172.30.2.0/24'].map((cidr) => ({ network_id: network(), ip_version: 4, cidr })),
    ),
    201,
    '400 InvalidInput',
  ],
  [
    'a prefix of an address scope',
    same('subnetpools', 'subnetpool', async () => ({
      name: 'p',
      address_scope_id: await makeOne(world, 'address_scopes'),
      prefixes: ['10.0.0.0/16'],
    })),
    201,
    '409 AddressScopePrefixConflict',
  ],
  [
    'addresses that come to a group',
    action('address_groups', 'add_addresses', ADDRESSES),
    200,
    '400 AddressesAlreadyExist',
  ],
  [
    'addresses that leave a group',
    action('address_groups', 'remove_addresses', ADDRESSES, 'add_addresses'),
    200,
    '404 AddressesNotFound',
  ],
  ['subnets that come to a pool', onboard, 200, '400 IllegalSubnetPoolUpdate'],
  ['a tag that goes', untag, 204, '404 TagNotFound'],
];

it.each(ONCE)('%s: one gets it', async (_, prepare, winner, losers) => {
  const ask = await prepare();
  expect(tally(await crowd(ask))).toEqual({ [winner]: 1, [losers]: CROWD - 1 });
});

describe('what is a set serves everybody, and is kept once', () => {
  it('tags', async () => {
    const id = await makeOne(world, 'ports');
    const tags = (at: number) =>
      at % 2 === 0
        ? send('PUT', `ports/${id}/tags/a`, undefined)
        : send('POST', `ports/${id}/tags`, { tags: ['b', 'a'] });
    expect(tally(await crowd(tags))).toEqual({ 200: CROWD / 2, 201: CROWD / 2 });
    expect((await stack.call('GET', `/v2.0/ports/${id}`)).body.port.tags).toEqual(['a', 'b']);
  });

  it('prefixes of a pool', async () => {
    const id = await makeOne(world, 'subnetpools');
    const prefixes = async () => (await stack.call('GET', `/v2.0/subnetpools/${id}`)).body.subnetpool.prefixes;
    const before = await prefixes();
    const change = (name: string) => () =>
      send('PUT', `subnetpools/${id}/${name}_prefixes`, { prefixes: ['172.16.0.0/24'] });
    expect(tally(await crowd(change('add')))).toEqual({ 200: CROWD });
    expect(await prefixes()).toHaveLength(before.length + 1);
    expect(tally(await crowd(change('remove')))).toEqual({ 200: CROWD });
    expect(await prefixes()).toEqual(before);
  });

  it('limits of a project', async () => {
    const limits = (at: number) => send('PUT', 'quotas/carol', { quota: { network: at, port: at } });
    expect(tally(await crowd(limits))).toEqual({ 200: CROWD });
    const { network, port } = (await stack.call('GET', '/v2.0/quotas/carol')).body.quota;
    expect(network).toBe(port);
  });
});

it('no transaction had to be run again', () => {
  expect([...stack.counts].filter(([name]) => name.startsWith('nucleon_transaction_retries_total'))).toEqual([]);
});
