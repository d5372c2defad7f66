/** Requests about what stands below floating IPs and routers, and NDP proxies, for `kinds.ts`. */
import type { Action, Kind, World } from './kinds.ts';
import { member } from './stack.ts';

type Attributes = Readonly<Record<string, unknown>>;
type Actions = NonNullable<Kind['actions']>;

const alice = member('alice');

const times = <Made>(count: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** One alone, or several, of which a request takes so many. */
const sent = (one: string, several: string, bodies: readonly Attributes[]): Attributes =>
  bodies.length === 1 ? { [one]: bodies[0] } : { [several]: bodies.slice(0, 10) };

async function post(world: World, path: string, body: Attributes): Promise<Attributes[]> {
  const answer = await world.stack.call('POST', `/v2.0/${path}`, { as: alice, body });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return Object.values(answer.body).flat() as Attributes[];
}

/** Of port forwardings below a floating IP, to a port that `reachable` makes. */
export function forwardingActions(reachable: (world: World) => Promise<string>): Actions {
  const wishes = async (world: World, rows: number): Promise<Attributes[]> => {
    const internal_port_id = await reachable(world);
    const { fixed_ips } = (await world.stack.call('GET', `/v2.0/ports/${internal_port_id}`)).body.port;
    const to = { protocol: 'tcp', internal_port_id, internal_ip_address: fixed_ips[0].ip_address };
    return times(rows, (at) => ({ ...to, internal_port: at + 1, external_port: at + 1 }));
  };
  const below =
    (request: (id: string, forwarding: Attributes, other: Attributes) => Action) =>
    async (world: World, id: string, rows: number): Promise<Action> => {
      const asked = await wishes(world, rows + 1);
      const [first, ...others] = await post(world, `floatingips/${id}/port_forwardings`, { port_forwardings: asked });
      return request(id, first!, others.at(-1)!);
    };
  const item = (id: string, forwarding: Attributes) => `/${id}/port_forwardings/${forwarding['id']}`;
  return {
    async 'add port forwardings'(world, id, rows) {
      const body = sent('port_forwarding', 'port_forwardings', await wishes(world, rows));
      return ['POST', `/${id}/port_forwardings`, body];
    },
    'list port forwardings': below((id) => ['GET', `/${id}/port_forwardings`]),
    'show port forwarding': below((id, one) => ['GET', item(id, one)]),
    'change port forwarding': below((id, one) => [
      ...(['PUT', item(id, one), { port_forwarding: { external_port: 65535 } }] as const),
    ]),
    'remove port forwarding': below((id, one) => ['DELETE', item(id, one)]),
  };
}

/** Of conntrack helpers below a router. */
export const helperActions: Actions = (() => {
  const wishes = (rows: number) => times(rows, (at) => ({ protocol: 'udp', port: at + 1, helper: 'tftp' }));
  const below =
    (request: (id: string, helper: Attributes) => Action) =>
    async (world: World, id: string, rows: number): Promise<Action> => {
      const [first] = await post(world, `routers/${id}/conntrack_helpers`, { conntrack_helpers: wishes(rows) });
      return request(id, first!);
    };
  const item = (id: string, helper: Attributes) => `/${id}/conntrack_helpers/${helper['id']}`;
  return {
    'add conntrack helpers': (_, id, rows) => [
      ...(['POST', `/${id}/conntrack_helpers`, sent('conntrack_helper', 'conntrack_helpers', wishes(rows))] as const),
    ],
    'list conntrack helpers': below((id) => ['GET', `/${id}/conntrack_helpers`]),
    'show conntrack helper': below((id, one) => ['GET', item(id, one)]),
    'change conntrack helper': below((id, one) => ['PUT', item(id, one), { conntrack_helper: { port: 65535 } }]),
    'remove conntrack helper': below((id, one) => ['DELETE', item(id, one)]),
  };
})();

/** A router that may have NDP proxies, and a network of its ports; made once. */
const places = new WeakMap<World, Promise<{ readonly router_id: string; readonly network_id: string }>>();

async function makePlace({ stack }: World) {
  const owner = { project_id: 'alice' };
  const scope = await stack.create('address_scope', { name: 'v6', ip_version: 6 });
  const prefixes = { prefixes: ['2001:db8::/32'], default_prefixlen: 64 };
  const pool = await stack.create('subnetpool', { name: 'v6', address_scope_id: scope.id, ...prefixes });
  const subnet = { ip_version: 6, subnetpool_id: pool.id };
  const outside = await stack.create('network', { 'router:external': true });
  await stack.create('subnet', { ...subnet, network_id: outside.id });
  const gateway = { external_gateway_info: { network_id: outside.id }, enable_ndp_proxy: true };
  const { id: router_id } = await stack.create('router', { ...owner, ...gateway });
  const { id: network_id } = await stack.create('network', owner);
  const body = { subnet_id: (await stack.create('subnet', { ...owner, ...subnet, network_id })).id };
  await stack.call('PUT', `/v2.0/routers/${router_id}/add_router_interface`, { body });
  return { router_id, network_id };
}

async function freeProxy(world: World): Promise<Attributes> {
  const known = places.get(world) ?? makePlace(world);
  places.set(world, known);
  const { router_id, network_id } = await known;
  const { id: port_id } = await world.stack.create('port', { network_id }, alice);
  return { project_id: 'alice', router_id, port_id };
}

export const ndpProxies: Kind = {
  member: 'ndp_proxy',
  async make(world) {
    const [made] = await post(world, 'ndp_proxies', { ndp_proxy: await freeProxy(world) });
    return String(made?.['id']);
  },
  change: () => ({ name: 'new' }),
  actions: {
    async create(world, _, rows) {
      const bodies = await Promise.all(times(Math.min(rows, 10), () => freeProxy(world)));
      return ['POST', '', sent('ndp_proxy', 'ndp_proxies', bodies)];
    },
  },
};
