/** Requests that name an object by its id: what a project asks with ids that are another's, or nobody's. */
import type { CallOptions } from '../support/stack.ts';

export type Naming = readonly [
  what: string,
  method: string,
  path: (id: string) => string,
  options?: (id: string) => CallOptions,
];

/** Objects of the caller that requests need beside the one that they name. */
export interface Own {
  readonly network: string;
  readonly port: string;
  readonly pool: string;
  readonly group: string;
  readonly router: string;
  /** A network that is external for all. */
  readonly outside: string;
  readonly floatingip: string;
}

/** How an update changes an item that has no name. */
const CHANGES: Readonly<Record<string, object>> = {
  rbac_policies: { target_tenant: 'd'.repeat(32) },
  security_groups_default_statefulness: { stateful: true },
  agents: { description: 'taken' },
  floatingips: { description: 'taken' },
};

/** All that is done to an item of any collection. */
export function onItem(collection: string, member: string, operations: readonly string[]): readonly Naming[] {
  const path = (id: string) => `/v2.0/${collection}/${id}`;
  const list = (query: string) => (id: string) => `/v2.0/${collection}?${query}${id}`;
  const body = { [member]: CHANGES[collection] ?? { name: 'taken' } };
  const match = (revision: number) => ({ 'If-Match': `revision_number=${revision}` });
  const rows: Readonly<Record<string, readonly Naming[]>> = {
    show: [
      ['shows it', 'GET', path],
      ['shows some of it', 'GET', (id) => `${path(id)}?fields=id&fields=project_id`],
    ],
    update: [
      ['updates it', 'PUT', path, () => ({ body })],
      ['updates nothing of it', 'PUT', path, () => ({ body: { [member]: {} } })],
      ['updates it if its revision is', 'PUT', path, () => ({ body, headers: match(0) })],
      ['updates it if its revision is not', 'PUT', path, () => ({ body, headers: match(99) })],
    ],
    delete: [
      ['deletes it', 'DELETE', path],
      ['deletes it if its revision is', 'DELETE', path, () => ({ headers: match(0) })],
    ],
    list: [
      ['pages behind it', 'GET', list('limit=1&marker=')],
      ['pages before it', 'GET', list('limit=1&page_reverse=true&marker=')],
      ['filters by its id', 'GET', list('id=')],
    ],
  };
  return operations.flatMap((operation) => rows[operation] ?? []);
}

/** All that is done to the tags of an item. */
export function onTags(collection: string): readonly Naming[] {
  const tags = (rest: string) => (id: string) => `/v2.0/${collection}/${id}/tags${rest}`;
  return [
    ['reads its tags', 'GET', tags('')],
    ['reads a tag of it', 'GET', tags('/red')],
    ['tags it', 'PUT', tags('/blue')],
    ['tags it anew', 'PUT', tags(''), () => ({ body: { tags: ['a'] } })],
    ['adds tags to it', 'POST', tags(''), () => ({ body: { tags: ['a'] } })],
    ['takes a tag away', 'DELETE', tags('/red')],
    ['takes its tags away', 'DELETE', tags('')],
  ];
}

const action = (collection: string, name: string, body: object): Naming => [
  `asks for ${name}`,
  'PUT',
  (id) => `/v2.0/${collection}/${id}/${name}`,
  () => ({ body }),
];

/** Lists the objects that stand on it. */
const under = (collection: string, key: string): Naming => [
  `lists ${collection} by it`,
  'GET',
  (id) => `/v2.0/${collection}?${key}${key.endsWith('=') ? '' : '='}${encodeURIComponent(id)}`,
];

/** Makes something that names it. */
const making = (
  what: string,
  collection: string | ((id: string) => string),
  member: string,
  attributes: (id: string) => object,
): Naming => [
  `makes ${what}`,
  'POST',
  (id) => `/v2.0/${typeof collection === 'string' ? collection : collection(id)}`,
  (id) => ({ body: { [member]: attributes(id) } }),
];

/** What stands below it: listed, and made. */
const below = (collection: string, under: string, member: string, attributes: () => object): readonly Naming[] => [
  [`lists its ${under}`, 'GET', (id) => `/v2.0/${collection}/${id}/${under}`],
  making(`one of its ${under}`, (id) => `${collection}/${id}/${under}`, member, attributes),
];

const sharing = (object_type: string): readonly Naming[] =>
  ['b'.repeat(32), '*'].map((target_tenant) =>
    making(`a share with ${target_tenant[0]}`, 'rbac-policies', 'rbac_policy', (object_id) => ({
      ...{ object_type, object_id, target_tenant },
      action: 'access_as_shared',
    })),
  );
const SHARES = under('rbac-policies', 'object_id');

/** Requests of other kinds, by the collection of the object that they name. */
export function elsewhere(own: () => Own): Readonly<Record<string, readonly Naming[]>> {
  const port = (attributes: object) => ({ network_id: own().network, ...attributes });
  const changing = (what: string, path: () => string, member: string, attributes: (id: string) => object): Naming => [
    `changes ${what}`,
    'PUT',
    () => `/v2.0/${path()}`,
    (id) => ({ body: { [member]: attributes(id) } }),
  ];
  const ownPort = () => `ports/${own().port}`;
  const rule = (attributes: object) => ({ security_group_id: own().group, direction: 'ingress', ...attributes });
  const ofRouter = (what: string, named: (id: string) => object): Naming => [
    `asks for ${what}`,
    'PUT',
    () => `/v2.0/routers/${own().router}/${what}`,
    (id) => ({ body: named(id) }),
  ];
  const leading = (attributes: object) => ({ floating_network_id: own().outside, ...attributes });
  const forwarding = (internal_port_id: string) => ({
    ...{ internal_port_id, internal_ip_address: '10.2.0.9', protocol: 'tcp' },
    ...{ internal_port: 80, external_port: 8080 },
  });
  const gateway = (network_id: string) => ({ external_gateway_info: { network_id } });
  const subnet = (network_id: string, cidr = '10.9.0.0/24') => ({ network_id, ip_version: 4, cidr });
  return {
    networks: [
      under('ports', 'network_id'),
      under('subnets', 'network_id'),
      under('segments', 'network_id'),
      under('network-ip-availabilities', 'network_id'),
      SHARES,
      ...sharing('network'),
      making('a port on it', 'ports', 'port', (network_id) => ({ network_id })),
      making('a port with an address on it', 'ports', 'port', (network_id) => ({
        network_id,
        fixed_ips: [{ ip_address: '10.1.0.9' }],
      })),
      making('a port with a MAC address on it', 'ports', 'port', (network_id) => ({
        network_id,
        mac_address: 'fa:16:3e:00:00:01',
      })),
      making('ports on it and elsewhere', 'ports', 'ports', (network_id) => [port({}), { network_id }]),
      under('floatingips', 'floating_network_id'),
      making('a router to it', 'routers', 'router', gateway),
      changing('a router to lead to it', () => `routers/${own().router}`, 'router', gateway),
      making('a floating IP of it', 'floatingips', 'floatingip', (floating_network_id) => ({ floating_network_id })),
      making('a subnet on it', 'subnets', 'subnet', (id) => subnet(id)),
      making('an overlapping subnet on it', 'subnets', 'subnet', (id) => subnet(id, '10.1.0.0/24')),
      making('subnets on it and elsewhere', 'subnets', 'subnets', (id) => [subnet(own().network), subnet(id)]),
      making('a segment of it', 'segments', 'segment', (network_id) => ({ network_id, network_type: 'vxlan' })),
      [
        'takes its subnets into a pool',
        'PUT',
        () => `/v2.0/subnetpools/${own().pool}/onboard_network_subnets`,
        (network_id) => ({ body: { network_id } }),
      ],
    ],
    subnets: [
      making('a floating IP in it', 'floatingips', 'floatingip', (subnet_id) => leading({ subnet_id })),
      ofRouter('add_router_interface', (subnet_id) => ({ subnet_id })),
      ofRouter('remove_router_interface', (subnet_id) => ({ subnet_id })),
      under('ports', 'fixed_ips=subnet_id='),
      making('a port in it', 'ports', 'port', (subnet_id) => port({ fixed_ips: [{ subnet_id }] })),
      changing('a port to be in it', ownPort, 'port', (subnet_id) => ({ fixed_ips: [{ subnet_id }] })),
    ],
    ports: [
      under('ports', 'device_id'),
      under('floatingips', 'port_id'),
      making('a floating IP for it', 'floatingips', 'floatingip', (port_id) => leading({ port_id })),
      changing(
        'a floating IP to lead to it',
        () => `floatingips/${own().floatingip}`,
        'floatingip',
        (port_id) => ({
          port_id,
        }),
      ),
      ofRouter('add_router_interface', (port_id) => ({ port_id })),
      ofRouter('remove_router_interface', (port_id) => ({ port_id })),
      making(
        'a forwarding to it',
        () => `floatingips/${own().floatingip}/port_forwardings`,
        'port_forwarding',
        forwarding,
      ),
      under('ndp_proxies', 'port_id'),
      making('a proxy for it', 'ndp_proxies', 'ndp_proxy', (port_id) => ({ port_id, router_id: own().router })),
    ],
    routers: [
      under('ports', 'device_id'),
      under('floatingips', 'router_id'),
      action('routers', 'add_extraroutes', { router: { routes: [] } }),
      action('routers', 'remove_extraroutes', { router: { routes: [] } }),
      [
        'gives it an interface',
        'PUT',
        (id) => `/v2.0/routers/${id}/add_router_interface`,
        () => ({ body: { port_id: own().port } }),
      ],
      changing('a port to be its', ownPort, 'port', (device_id) => ({
        device_id,
        device_owner: 'network:router_interface',
      })),
      ...below('routers', 'conntrack_helpers', 'conntrack_helper', () => ({
        protocol: 'udp',
        port: 69,
        helper: 'tftp',
      })),
      under('ndp_proxies', 'router_id'),
      making('a proxy on it', 'ndp_proxies', 'ndp_proxy', (router_id) => ({ router_id, port_id: own().port })),
    ],
    floatingips: [
      under('ports', 'device_id'),
      ...below('floatingips', 'port_forwardings', 'port_forwarding', () => forwarding(own().port)),
    ],
    subnetpools: [
      under('subnets', 'subnetpool_id'),
      SHARES,
      ...sharing('subnetpool'),
      action('subnetpools', 'add_prefixes', { prefixes: ['10.77.0.0/16'] }),
      action('subnetpools', 'remove_prefixes', { prefixes: ['10.77.0.0/16'] }),
      [
        'takes subnets into it',
        'PUT',
        (id) => `/v2.0/subnetpools/${id}/onboard_network_subnets`,
        () => ({ body: { network_id: own().network } }),
      ],
      making('a subnet of it', 'subnets', 'subnet', (subnetpool_id) => port({ ip_version: 4, subnetpool_id })),
    ],
    address_scopes: [
      under('subnetpools', 'address_scope_id'),
      SHARES,
      ...sharing('address_scope'),
      making('a pool in it', 'subnetpools', 'subnetpool', (address_scope_id) => ({
        ...{ name: 'p', prefixes: ['10.78.0.0/16'] },
        address_scope_id,
      })),
      changing(
        'a pool to be in it',
        () => `subnetpools/${own().pool}`,
        'subnetpool',
        (address_scope_id) => ({
          address_scope_id,
        }),
      ),
    ],
    address_groups: [
      SHARES,
      ...sharing('address_group'),
      under('security-group-rules', 'remote_address_group_id'),
      action('address_groups', 'add_addresses', { addresses: ['10.0.0.0/8'] }),
      action('address_groups', 'remove_addresses', { addresses: ['10.0.0.0/8'] }),
      making('a rule about it', 'security-group-rules', 'security_group_rule', (remote_address_group_id) =>
        rule({ remote_address_group_id }),
      ),
    ],
    security_groups: [
      SHARES,
      ...sharing('security_group'),
      under('ports', 'security_groups'),
      under('security-group-rules', 'security_group_id'),
      under('security-group-rules', 'remote_group_id'),
      making('a rule of it', 'security-group-rules', 'security_group_rule', (security_group_id) =>
        rule({ security_group_id }),
      ),
      making('a rule about it', 'security-group-rules', 'security_group_rule', (remote_group_id) =>
        rule({ remote_group_id }),
      ),
      making('a port in it', 'ports', 'port', (id) => port({ security_groups: [id] })),
      changing('a port to be in it', ownPort, 'port', (id) => ({ security_groups: [id] })),
      changing('a port to be in it, too', ownPort, 'port', (id) => ({ security_groups: [own().group, id] })),
    ],
    segments: [
      under('subnets', 'segment_id'),
      making('a subnet on it', 'subnets', 'subnet', (segment_id) => ({ ...subnet(own().network), segment_id })),
    ],
  };
}
