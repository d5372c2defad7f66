/**
 * Something is deleted while many build on it: whatever comes first, nothing is left that stands on what is gone, and nobody is
 * told of a defect.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeOne, type World } from '../support/kinds.ts';
import type { Answer, Stack } from '../support/stack.ts';
import { crowd, startCrowded, tally } from './support.ts';

let world: World;
let stack: Stack;
beforeAll(async () => {
  world = await startCrowded('deletions');
  ({ stack } = world);
});
afterAll(() => stack.stop());

/** Who builds at once. */
const BUILDERS = 10;
/** When the deletion is sent: before all, after some, after all. */
const PLACES = [0, 1, 5, BUILDERS];

type Attributes = Readonly<Record<string, unknown>>;
interface Race {
  /** What is deleted: `networks/{id}`. */
  readonly base: string;
  /** What the nth builder asks. */
  build(at: number): Promise<Answer>;
  /** Where what the builder made is found, where that is an object of its own. */
  readonly built?: string;
}
type Prepare = () => Promise<Race>;

const send = (method: string, path: string, body?: unknown) => stack.call(method, `/v2.0/${path}`, { body });
const made = async (member: string, attributes: Attributes): Promise<string> =>
  (await stack.create(member, { project_id: 'alice', ...attributes })).id;
const bare = () => made('network', {});
const subnetOn = (network_id: string, cidr = '10.0.0.0/24') => made('subnet', { network_id, ip_version: 4, cidr });
const several = (make: () => Promise<string>): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: BUILDERS + 1 }, make));

/** New objects that name the base. */
function creating(
  base: string,
  prepare: () => Promise<string>,
  [built, member]: readonly [collection: string, member: string],
  attributes: (id: string, at: number) => Attributes | Promise<Attributes>,
): Prepare {
  return async () => {
    const id = await prepare();
    const build = async (at: number) =>
      send('POST', built, { [member]: { project_id: 'alice', ...(await attributes(id, at)) } });
    return { base: `${base}/${id}`, built, build };
  };
}

/** Objects that are changed so that they name the base. */
function changing(
  base: string,
  prepare: () => Promise<{ readonly id: string; readonly items: readonly string[] }>,
  [collection, member]: readonly [collection: string, member: string],
  attributes: (id: string) => Attributes,
): Prepare {
  return async () => {
    const { id, items } = await prepare();
    const build = (at: number) => send('PUT', `${collection}/${items[at]}`, { [member]: attributes(id) });
    return { base: `${base}/${id}`, build };
  };
}

/** Requests below the base itself. */
const below =
  (collection: string, path: string, body?: (at: number) => unknown): Prepare =>
  async () => {
    const id = await makeOne(world, collection);
    const build = (at: number) => send('PUT', `${collection}/${id}/${path.replace('#', String(at))}`, body?.(at));
    return { base: `${collection}/${id}`, build };
  };

const sharing = (type: string, collection: string): Prepare =>
  creating(
    collection,
    () => makeOne(world, collection),
    ['rbac_policies', 'rbac_policy'],
    (object_id) => ({
      ...{ object_type: type, object_id, action: 'access_as_shared' },
      target_tenant: String(world.next()).padStart(32, '0'),
    }),
  );

const PORT = ['ports', 'port'] as const;
const SUBNET = ['subnets', 'subnet'] as const;
const POOL = ['subnetpools', 'subnetpool'] as const;
const RULE = ['security_group_rules', 'security_group_rule'] as const;
const group = () => makeOne(world, 'security_groups');
const rule = (security_group_id: string, at: number) => ({
  security_group_id,
  direction: 'ingress',
  protocol: String(at + 1),
});

/** Both the network and the subnet are needed to build. */
const inSubnet: Prepare = async () => {
  const network_id = await bare();
  const subnet_id = await subnetOn(network_id);
  return {
    base: `subnets/${subnet_id}`,
    built: 'ports',
    build: () => send('POST', 'ports', { port: { network_id, fixed_ips: [{ subnet_id }] } }),
  };
};

const onSegment: Prepare = async () => {
  const network_id = await bare();
  const { id } = await stack.create('segment', { network_id, network_type: 'vxlan' });
  const subnet = (at: number) => ({ network_id, segment_id: id, ip_version: 4, cidr: `10.${at}.0.0/24` });
  return { base: `segments/${id}`, built: 'subnets', build: (at) => send('POST', 'subnets', { subnet: subnet(at) }) };
};

const onboarding: Prepare = async () => {
  const pool = await made('subnetpool', { name: 'p', prefixes: ['10.0.0.0/24'] });
  const networks = await several(bare);
  for (const [at, network] of networks.entries()) await subnetOn(network, `172.20.${at}.0/24`);
  const path = `subnetpools/${pool}/onboard_network_subnets`;
  return { base: `subnetpools/${pool}`, build: (at) => send('PUT', path, { network_id: networks[at] }) };
};

/** An external network, and routers and floating IPs on it. */
const outside = async (): Promise<string> => {
  const network_id = await made('network', { 'router:external': true });
  await subnetOn(network_id, '172.25.0.0/16');
  return network_id;
};

const interfaces: Prepare = async () => {
  const id = await made('router', {});
  const subnets: string[] = [];
  for (let at = 0; at <= BUILDERS; at++) subnets.push(await subnetOn(await bare(), `10.150.${at}.0/24`));
  const path = `routers/${id}/add_router_interface`;
  return { base: `routers/${id}`, build: (at) => send('PUT', path, { subnet_id: subnets[at] }) };
};

/** What was built goes with what it is built on. */
const GOES = 'goes with it';

/** `gone`: what late builders are told; `needed`: what is told to who would delete what is built on. */
const RACES: readonly (readonly [what: string, prepare: Prepare, gone: string | readonly string[], needed: string])[] =
  [
    [
      'ports on a network',
      creating('networks', bare, PORT, (network_id) => ({ network_id })),
      '404 NetworkNotFound',
      '409 NetworkInUse',
    ],
    ['ports with an address of a subnet', inSubnet, '404 SubnetNotFound', '409 SubnetInUse'],
    [
      'ports that get an address of a subnet',
      changing(
        'subnets',
        async () => {
          const network_id = await bare();
          return {
            id: await subnetOn(network_id),
            items: await several(() => made('port', { network_id, fixed_ips: [] })),
          };
        },
        PORT,
        (subnet_id) => ({ fixed_ips: [{ subnet_id }] }),
      ),
      '404 SubnetNotFound',
      '409 SubnetInUse',
    ],
    [
      'ports in a security group',
      creating('security_groups', group, PORT, (id) => ({ network_id: world.network, security_groups: [id] })),
      '404 SecurityGroupNotFound',
      '409 SecurityGroupInUse',
    ],
    [
      'ports that come to a security group',
      changing(
        'security_groups',
        async () => ({ id: await group(), items: await several(() => makeOne(world, 'ports')) }),
        PORT,
        (id) => ({ security_groups: [id] }),
      ),
      '404 SecurityGroupNotFound',
      '409 SecurityGroupInUse',
    ],
    [
      'subnets on a network',
      creating('networks', bare, SUBNET, (network_id, at) => ({ network_id, ip_version: 4, cidr: `10.${at}.0.0/24` })),
      '404 NetworkNotFound',
      GOES,
    ],
    [
      'subnets of a pool',
      creating(
        'subnetpools',
        () => made('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'] }),
        SUBNET,
        async (subnetpool_id) => ({ network_id: await bare(), ip_version: 4, subnetpool_id, prefixlen: 26 }),
      ),
      '404 SubnetPoolNotFound',
      '400 SubnetPoolDeleteError',
    ],
    ['subnets on a segment', onSegment, '404 SegmentNotFound', '409 SegmentInUse'],
    [
      'segments of a network',
      creating('networks', bare, ['segments', 'segment'], (network_id) => ({ network_id, network_type: 'vxlan' })),
      '404 NetworkNotFound',
      GOES,
    ],
    [
      'pools in an address scope',
      creating(
        'address_scopes',
        () => makeOne(world, 'address_scopes'),
        POOL,
        (address_scope_id, at) => ({ name: 'p', address_scope_id, prefixes: [`10.${at}.0.0/16`] }),
      ),
      '404 AddressScopeNotFound',
      '409 AddressScopeInUse',
    ],
    [
      'pools that come into an address scope',
      changing(
        'address_scopes',
        async () => ({
          id: await makeOne(world, 'address_scopes'),
          items: await several(() => made('subnetpool', { name: 'p', prefixes: [`10.${world.next()}.0.0/16`] })),
        }),
        POOL,
        (address_scope_id) => ({ address_scope_id }),
      ),
      '404 AddressScopeNotFound',
      '409 AddressScopeInUse',
    ],
    ['rules of a security group', creating('security_groups', group, RULE, rule), '404 SecurityGroupNotFound', GOES],
    [
      'rules that name a security group',
      creating('security_groups', group, RULE, (remote_group_id, at) => ({
        ...rule(world.group, at),
        remote_group_id,
      })),
      '404 SecurityGroupNotFound',
      GOES,
    ],
    [
      'rules that name an address group',
      creating(
        'address_groups',
        () => makeOne(world, 'address_groups'),
        RULE,
        (remote_address_group_id, at) => ({ ...rule(world.group, at), remote_address_group_id }),
      ),
      '404 AddressGroupNotFound',
      '409 AddressGroupInUse',
    ],
    ['shares of a network', sharing('network', 'networks'), '404 NetworkNotFound', GOES],
    ['shares of a subnet pool', sharing('subnetpool', 'subnetpools'), '404 SubnetPoolNotFound', GOES],
    ['shares of an address scope', sharing('address_scope', 'address_scopes'), '404 AddressScopeNotFound', GOES],
    ['shares of a security group', sharing('security_group', 'security_groups'), '404 SecurityGroupNotFound', GOES],
    ['shares of an address group', sharing('address_group', 'address_groups'), '404 AddressGroupNotFound', GOES],
    // Who comes when it is gone is told so by the item itself.
    ['tags of a network', below('networks', 'tags/t#'), ['404 TagResourceNotFound', '404 NetworkNotFound'], GOES],
    ['tags of a port', below('ports', 'tags/t#'), ['404 TagResourceNotFound', '404 PortNotFound'], GOES],
    [
      'addresses of a group',
      below('address_groups', 'add_addresses', (at) => ({ addresses: [`172.16.0.${at}/32`] })),
      '404 AddressGroupNotFound',
      GOES,
    ],
    [
      'prefixes of a pool',
      below('subnetpools', 'add_prefixes', (at) => ({ prefixes: [`172.16.${at}.0/24`] })),
      '404 SubnetPoolNotFound',
      GOES,
    ],
    [
      'gateways on a network',
      creating('networks', outside, ['routers', 'router'], (network_id) => ({ external_gateway_info: { network_id } })),
      '404 NetworkNotFound',
      '409 NetworkInUse',
    ],
    [
      'floating IPs of a network',
      creating('networks', outside, ['floatingips', 'floatingip'], (id) => ({ floating_network_id: id })),
      '404 NetworkNotFound',
      GOES,
    ],
    ['interfaces of a router', interfaces, '404 RouterNotFound', '409 RouterInUse'],
    ['subnets that come to a pool', onboarding, '404 SubnetPoolNotFound', '400 SubnetPoolDeleteError'],
  ];

it.each(RACES)('%s, and it is deleted', async (_, prepare, gone, needed) => {
  for (const place of PLACES) {
    const { base, built, build } = await prepare();
    const answers = await crowd((at) => (at === place ? send('DELETE', base) : build(at)), BUILDERS + 1);
    const [deletion] = answers.splice(place, 1) as [Answer];
    const done = answers.filter(({ status }) => status < 300);
    const deleted = deletion.status === 204;
    if (!deleted) expect(tally([deletion])).toEqual({ [needed]: 1 });
    else if (needed !== GOES) expect(tally(done)).toEqual({});
    const refused = tally(answers.filter(({ status }) => status >= 300));
    for (const refusal of Object.keys(refused)) expect([gone].flat()).toContain(refusal);
    expect(deleted || done.length === BUILDERS).toBe(true);
    expect((await send('GET', base)).status).toBe(deleted ? 404 : 200);
    for (const { body } of built === undefined ? [] : done) {
      const [{ id }] = Object.values(body) as [{ id: string }];
      expect((await send('GET', `${built}/${id}`)).status).toBe(deleted ? 404 : 200);
    }
  }
});

it('no transaction had to be run again', () => {
  expect([...stack.counts].filter(([name]) => name.startsWith('nucleon_transaction_retries_total'))).toEqual([]);
});
