/**
 * Every kind of resource, made as often and as large as is asked, for suites that do the same with all of them. All objects
 * are of the project `alice`.
 */
import { forwardingActions, helperActions, ndpProxies } from './kinds_below.ts';
import { admin, member, type Stack, type Who } from './stack.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** What the objects stand on. */
export interface World {
  readonly stack: Stack;
  readonly network: string;
  readonly subnet: string;
  readonly group: string;
  /** A network that is external for the project alone. */
  readonly outside: string;
  /** A number that was not given before. */
  next(): number;
}

export interface Kind {
  readonly member: string;
  /** Attributes of a new one, with so many rows below it. */
  body?(world: World, rows: number): Attributes;
  /** Makes one where that cannot be asked for; its id. */
  make?(world: World): Promise<string>;
  /** Puts so many rows below one, beyond what its attributes say. */
  grow?(world: World, id: string, rows: number): Promise<unknown>;
  /** What an update sets. */
  change?(world: World, rows: number): Attributes;
  /** Requests on an item or the collection beyond the usual ones: method, path behind the collection, body. */
  readonly actions?: Readonly<Record<string, (world: World, id: string, rows: number) => Action | Promise<Action>>>;
  /** Who owns it, and so does what the administrator does. */
  readonly owner?: Who;
}

export type Action = readonly [method: string, path: string, body?: unknown];

export const alice = member('alice');

const times = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** Two bytes of an IPv4 address. */
const bytes = (number: number): string => `${(number >> 8) & 255}.${number & 255}`;

/** Requests about the tags of an item, which has so many to begin with. */
function tagsOf(collection: string): NonNullable<Kind['actions']> {
  type Tagging = (id: string, tags: readonly string[]) => Action;
  const ready =
    (tagging: Tagging) =>
    async ({ stack, next }: World, id: string, rows: number) => {
      const tags = ['red', ...times(rows, () => `t${next()}`)];
      await stack.call('PUT', `/v2.0/${collection}/${id}/tags`, { body: { tags } });
      return tagging(
        id,
        times(rows, () => `t${next()}`),
      );
    };
  return {
    'GET tags': ready((id) => ['GET', `/${id}/tags`]),
    'PUT tags': ready((id, tags) => ['PUT', `/${id}/tags`, { tags }]),
    'POST tags': ready((id, tags) => ['POST', `/${id}/tags`, { tags }]),
    'DELETE tags': ready((id) => ['DELETE', `/${id}/tags`]),
    'GET tag': ready((id) => ['GET', `/${id}/tags/red`]),
    'PUT tag': ready((id) => ['PUT', `/${id}/tags/blue`]),
    'DELETE tag': ready((id) => ['DELETE', `/${id}/tags/red`]),
  };
}

const share = (network: string, project: number): Attributes => ({
  object_type: 'network',
  object_id: network,
  action: 'access_as_shared',
  target_tenant: String(project).padStart(32, '0'),
});

/** Networks with a subnet each: the subnets. */
async function lans({ stack, next }: World, count: number): Promise<readonly string[]> {
  const made = times(count, async () => {
    const { id } = await stack.create('network', {}, alice);
    const subnet = { network_id: id, ip_version: 4, cidr: `10.${bytes(next())}.0/24` };
    return (await stack.create('subnet', subnet, alice)).id as string;
  });
  return await Promise.all(made);
}

async function attach({ stack }: World, router: string, body: Attributes): Promise<void> {
  const answer = await stack.call('PUT', `/v2.0/routers/${router}/add_router_interface`, { body });
  if (answer.status !== 200) throw new Error(`add_router_interface: ${answer.status} ${answer.text}`);
}

/** A port on a network of its own. */
async function freePort(world: World): Promise<string> {
  const [subnet] = await lans(world, 1);
  const { network_id } = (await world.stack.call('GET', `/v2.0/subnets/${subnet}`)).body.subnet;
  return (await world.stack.create('port', { network_id }, alice)).id;
}

/** A port that a router connects with the world outside. */
async function reachablePort(world: World): Promise<string> {
  const { stack, outside } = world;
  const port_id = await freePort(world);
  const { fixed_ips } = (await stack.call('GET', `/v2.0/ports/${port_id}`)).body.port;
  const router = await stack.create('router', { external_gateway_info: { network_id: outside } }, alice);
  await attach(world, router.id, { subnet_id: fixed_ips[0].subnet_id });
  return port_id;
}

/** What topologies of projects are made of, once. */
async function makeDefaults(stack: Stack): Promise<void> {
  const { sql } = stack.database;
  if ((await sql`select 1 from external_networks where is_default`).length > 0) return;
  const outside = await stack.create('network', { 'router:external': true, is_default: true });
  await stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '12.0.0.0/8' });
  const pool = { name: 'default', prefixes: ['13.0.0.0/8'], default_prefixlen: 26, is_default: true, shared: true };
  await stack.create('subnetpool', pool);
}

/** Routes to the world outside. */
const routes = (count: number) =>
  times(count, (at) => ({ destination: `192.168.${at}.0/24`, nexthop: '11.255.255.254' }));

export const KINDS: Readonly<Record<string, Kind>> = {
  networks: {
    member: 'network',
    body: ({ next }) => ({ name: `n${next()}` }),
    async grow({ stack, next }, network_id, rows) {
      const subnets = times(rows, () => ({ network_id, ip_version: 4, cidr: `10.${bytes(next())}.0/24` }));
      await stack.call('POST', '/v2.0/subnets', { as: alice, body: { subnets } });
    },
    change: () => ({ name: 'new', admin_state_up: false }),
    actions: tagsOf('networks'),
  },
  subnets: {
    member: 'subnet',
    body: ({ next, network }, rows) => ({
      network_id: network,
      ip_version: 4,
      cidr: `10.${bytes(next())}.0/24`,
      host_routes: times(Math.min(rows, 20), (at) => ({ destination: `10.${at}.0.0/16`, nexthop: '10.0.0.9' })),
      dns_nameservers: times(Math.min(rows, 5), (at) => `192.0.2.${at + 1}`),
    }),
    change: (_, rows) => ({
      name: 'new',
      host_routes: times(Math.min(rows, 20), (at) => ({ destination: `10.${at}.0.0/16`, nexthop: '10.0.0.9' })),
      dns_nameservers: times(Math.min(rows, 5), (at) => `192.0.2.${at + 9}`),
    }),
    actions: tagsOf('subnets'),
  },
  ports: {
    member: 'port',
    body: ({ network, subnet }, rows) => ({
      network_id: network,
      fixed_ips: times(Math.min(rows, 5), () => ({ subnet_id: subnet })),
      allowed_address_pairs: times(Math.min(rows, 10), (at) => ({ ip_address: `10.9.9.${at}` })),
      extra_dhcp_opts: times(rows, (at) => ({ opt_name: String(at + 10), opt_value: 'x' })),
    }),
    change: ({ subnet }, rows) => ({
      name: 'new',
      fixed_ips: times(Math.min(rows, 5), () => ({ subnet_id: subnet })),
      allowed_address_pairs: times(Math.min(rows, 10), (at) => ({ ip_address: `10.9.8.${at}` })),
      extra_dhcp_opts: times(rows, (at) => ({ opt_name: String(at + 10), opt_value: 'y' })),
    }),
    actions: tagsOf('ports'),
  },
  subnetpools: {
    member: 'subnetpool',
    body: ({ next }, rows) => ({
      name: 'p',
      prefixes: ['192.0.2.0/24', ...times(rows, () => `10.${bytes(next() * 2)}.0/24`)],
    }),
    change: () => ({ name: 'new', default_prefixlen: 25 }),
    actions: {
      ...tagsOf('subnetpools'),
      add_prefixes: ({ next }, id, rows) => [
        'PUT',
        `/${id}/add_prefixes`,
        { prefixes: times(rows, () => `10.${bytes(next() * 2)}.0/24`) },
      ],
      remove_prefixes: (_, id) => ['PUT', `/${id}/remove_prefixes`, { prefixes: ['192.0.2.0/24'] }],
      async onboard_network_subnets({ stack, next }, id, rows) {
        const network = await stack.create('network', {}, alice);
        const subnets = times(rows, () => ({
          network_id: network.id,
          ip_version: 4,
          cidr: `10.${bytes(next() * 2)}.0/24`,
        }));
        await stack.call('POST', '/v2.0/subnets', { as: alice, body: { subnets } });
        return ['PUT', `/${id}/onboard_network_subnets`, { network_id: network.id }];
      },
    },
  },
  address_scopes: {
    member: 'address_scope',
    body: ({ next }) => ({ ip_version: 4, name: `s${next()}` }),
    change: () => ({ name: 'new' }),
  },
  address_groups: {
    member: 'address_group',
    body: ({ next }, rows) => ({ name: 'g', addresses: times(rows, () => `10.${bytes(next())}.0/24`) }),
    change: () => ({ name: 'new' }),
    actions: {
      add_addresses: ({ next }, id, rows) => [
        'PUT',
        `/${id}/add_addresses`,
        { addresses: times(rows, () => `10.${bytes(next())}.1/32`) },
      ],
      async remove_addresses({ stack, next }, id, rows) {
        const addresses = times(rows, () => `10.${bytes(next())}.1/32`);
        await stack.call('PUT', `/v2.0/address_groups/${id}/add_addresses`, { body: { addresses } });
        return ['PUT', `/${id}/remove_addresses`, { addresses }];
      },
    },
  },
  security_groups: {
    member: 'security_group',
    body: ({ next }) => ({ name: `g${next()}` }),
    async grow({ stack }, security_group_id, rows) {
      const security_group_rules = times(rows, (at) => ({
        ...{ security_group_id, direction: 'ingress', protocol: 'tcp' },
        ...{ port_range_min: at + 1, port_range_max: at + 1 },
      }));
      await stack.call('POST', '/v2.0/security-group-rules', { as: alice, body: { security_group_rules } });
    },
    change: () => ({ name: 'new', description: 'new' }),
    actions: tagsOf('security_groups'),
  },
  security_group_rules: {
    member: 'security_group_rule',
    body({ group, next }) {
      const port = next();
      const ports = { port_range_min: port, port_range_max: port };
      return { security_group_id: group, direction: 'ingress', protocol: 'tcp', ...ports };
    },
  },
  default_security_group_rules: {
    member: 'default_security_group_rule',
    owner: admin,
    body({ next }) {
      const port = next();
      const used = { used_in_default_sg: false, used_in_non_default_sg: true };
      return { direction: 'ingress', protocol: 'udp', port_range_min: port, port_range_max: port, ...used };
    },
  },
  security_groups_default_statefulness: {
    member: 'security_groups_default_statefulness',
    owner: admin,
    body: ({ next }) => ({ project_id: `project ${next()}`, stateful: false }),
    change: () => ({ stateful: true }),
  },
  rbac_policies: {
    member: 'rbac_policy',
    body: ({ network, next }) => share(network, next()),
    change: ({ next }) => ({ target_tenant: String(next()).padStart(32, '0') }),
  },
  segments: {
    member: 'segment',
    owner: admin,
    body: ({ network }) => ({ network_id: network, network_type: 'vxlan' }),
    change: () => ({ name: 'new' }),
  },
  routers: {
    member: 'router',
    body: ({ next, outside }) => ({ name: `r${next()}`, external_gateway_info: { network_id: outside } }),
    change: () => ({ name: 'new', admin_state_up: false }),
    actions: {
      ...tagsOf('routers'),
      ...helperActions,
      'clear gateway': (_, id) => ['PUT', `/${id}`, { router: { external_gateway_info: null } }],
      async 'set gateway'({ stack, outside }, id) {
        await stack.call('PUT', `/v2.0/routers/${id}`, { body: { router: { external_gateway_info: null } } });
        return ['PUT', `/${id}`, { router: { external_gateway_info: { network_id: outside } } }];
      },
      async add_router_interface(world, id, rows) {
        for (const subnet_id of await lans(world, Math.min(rows, 5))) await attach(world, id, { subnet_id });
        const [subnet_id] = await lans(world, 1);
        return ['PUT', `/${id}/add_router_interface`, { subnet_id }];
      },
      async 'add_router_interface by port'(world, id, rows) {
        for (const subnet_id of await lans(world, Math.min(rows, 5))) await attach(world, id, { subnet_id });
        return ['PUT', `/${id}/add_router_interface`, { port_id: await freePort(world) }];
      },
      async remove_router_interface(world, id, rows) {
        const subnets = await lans(world, Math.min(rows, 5));
        for (const subnet_id of subnets) await attach(world, id, { subnet_id });
        return ['PUT', `/${id}/remove_router_interface`, { subnet_id: subnets[0] }];
      },
      add_external_gateways: ({ outside }, id) => [
        'PUT',
        `/${id}/add_external_gateways`,
        { router: { external_gateways: [{ network_id: outside }] } },
      ],
      update_external_gateways: ({ outside }, id) => [
        'PUT',
        `/${id}/update_external_gateways`,
        { router: { external_gateways: [{ network_id: outside }] } },
      ],
      remove_external_gateways: ({ outside }, id) => [
        'PUT',
        `/${id}/remove_external_gateways`,
        { router: { external_gateways: [{ network_id: outside }] } },
      ],
      add_extraroutes: (_, id, rows) => ['PUT', `/${id}/add_extraroutes`, { router: { routes: routes(rows) } }],
      async remove_extraroutes({ stack }, id, rows) {
        await stack.call('PUT', `/v2.0/routers/${id}`, { body: { router: { routes: routes(rows) } } });
        return ['PUT', `/${id}/remove_extraroutes`, { router: { routes: routes(rows) } }];
      },
    },
  },
  floatingips: {
    member: 'floatingip',
    body: ({ outside }) => ({ floating_network_id: outside }),
    change: () => ({ description: 'new' }),
    actions: {
      ...tagsOf('floatingips'),
      ...forwardingActions(reachablePort),
      associate: async (world, id) => ['PUT', `/${id}`, { floatingip: { port_id: await reachablePort(world) } }],
      async disassociate(world, id) {
        const body = { floatingip: { port_id: await reachablePort(world) } };
        await world.stack.call('PUT', `/v2.0/floatingips/${id}`, { body });
        return ['PUT', `/${id}`, { floatingip: { port_id: null } }];
      },
    },
  },
  floatingip_pools: { member: 'floatingip_pool' },
  ndp_proxies: ndpProxies,
  network_ip_availabilities: {
    member: 'network_ip_availability',
    owner: admin,
    async make({ stack, next }) {
      const { id } = await stack.create('network', {}, alice);
      await stack.create('subnet', { network_id: id, ip_version: 4, cidr: `10.${bytes(next())}.0/24` }, alice);
      return id;
    },
    async grow({ stack, next }, network_id, rows) {
      const subnets = times(rows, () => ({ network_id, ip_version: 4, cidr: `10.${bytes(next())}.0/24` }));
      await stack.call('POST', '/v2.0/subnets', { as: alice, body: { subnets } });
    },
  },
  agents: {
    member: 'agent',
    owner: admin,
    async make({ stack, next }) {
      const [made] = await stack.database.sql<{ id: string }[]>`
        insert into agents (id, agent_type, "binary", topic, host, availability_zone, admin_state_up, configurations,
          created_at, started_at, heartbeat_timestamp)
        values (gen_random_uuid(), 'DHCP agent', 'b', 't', ${`host ${next()}`}, 'nova', true, '{}', now(), now(), now())
        returning id`;
      return made!.id;
    },
    change: () => ({ description: 'new' }),
  },
  availability_zones: { member: 'availability_zone' },
  flavors: {
    member: 'flavor',
    owner: admin,
    body: ({ next }) => ({ name: `f${next()}`, service_type: 'L3_ROUTER_NAT' }),
    change: () => ({ name: 'new' }),
    async grow({ stack }, flavor, rows) {
      for (const metainfo of times(rows, (at) => `profile ${at}`)) {
        const { id } = await stack.create('service_profile', { metainfo });
        await stack.call('POST', `/v2.0/flavors/${flavor}/service_profiles`, { body: { service_profile: { id } } });
      }
    },
  },
  service_profiles: {
    member: 'service_profile',
    owner: admin,
    body: ({ next }) => ({ metainfo: `m${next()}` }),
    change: () => ({ description: 'new' }),
  },
  service_providers: { member: 'service_provider' },
  auto_allocated_topology: {
    member: 'auto_allocated_topology',
    owner: admin,
    async make({ stack, next }) {
      await makeDefaults(stack);
      const project = `project ${next()}`;
      await stack.call('GET', `/v2.0/auto-allocated-topology/${project}`);
      return project;
    },
    actions: {
      allocate: ({ next }) => ['GET', `/project ${next()}`],
      check: ({ next }) => ['GET', `/project ${next()}?fields=dry-run`],
    },
  },
  quotas: {
    member: 'quota',
    owner: admin,
    async make({ stack, next }) {
      const project = `project ${next()}`;
      await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota: { network: 7 } } });
      return project;
    },
    change: () => ({ network: 9, port: 9, force: true }),
    actions: {
      default: (_, id) => ['GET', `/${id}/default`],
      details: (_, id) => ['GET', `/${id}/details`],
    },
  },
};

/** What the objects of all kinds stand on, and no limits for who owns them. */
export async function makeWorld(stack: Stack): Promise<World> {
  const limits = (await stack.call('GET', '/v2.0/quotas/alice/default')).body.quota;
  const quota = Object.fromEntries(Object.keys(limits).map((name) => [name, -1]));
  await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota } });
  const network = (await stack.create('network', {}, alice)).id;
  // So wide that no two pick the same address.
  const wide = { ip_version: 6, cidr: '2001:db8::/64', ipv6_address_mode: 'dhcpv6-stateful' };
  const subnet = (await stack.create('subnet', { network_id: network, ...wide }, alice)).id;
  const group = (await stack.create('security_group', {}, alice)).id;
  const outside = (await stack.create('network', {})).id;
  // Written here, because `/rbac-policies` wants ids of projects as Keystone makes them.
  const { sql } = stack.database;
  await sql`insert into external_networks (network_id) values (${outside})`;
  await sql`
    insert into network_rbacs (id, project_id, network_id, action, target_project)
    values (gen_random_uuid(), 'admin', ${outside}, 'access_as_external', 'alice')`;
  await stack.create('subnet', { network_id: outside, ip_version: 4, cidr: '11.0.0.0/8' });
  let number = 1;
  return { stack, network, subnet, group, outside, next: () => number++ };
}

/** A new object with so many rows below it; its id. */
export async function makeOne(world: World, collection: string, rows = 1): Promise<string> {
  const { member, owner = alice, make, body, grow } = KINDS[collection]!;
  const created = async () => {
    const sent = { [member]: body!(world, rows) };
    const answer = await world.stack.call('POST', `/v2.0/${collection}`, { as: owner, body: sent });
    if (answer.status !== 201) throw new Error(`POST ${collection}: ${answer.status} ${answer.text}`);
    return answer.body[member].id;
  };
  const id = await (make === undefined ? created() : make(world));
  await grow?.(world, id, rows);
  return id;
}
