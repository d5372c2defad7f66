/**
 * Bodies of every collection, made from the attribute maps that are served: valid ones, in which some attributes are hostile,
 * or hostile deep inside a value of the right shape.
 */
import fc from 'fast-check';
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import { KINDS, type World } from '../support/kinds.ts';
import { addressLike, scalar, value } from './hostile.ts';

export type Ids = Readonly<Record<string, string>>;
/** What a body is made of, once there are objects to name. */
type Made = (ids: Ids) => unknown;

const plain = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Made> => arbitrary.map((one) => () => one);
/** The id of an object that there is, or something else. */
const idOf = (collection: string): fc.Arbitrary<Made> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant((ids: Ids): unknown => ids[collection]) },
    { weight: 1, arbitrary: plain(scalar) },
  );
const oneOf = (...values: readonly unknown[]): fc.Arbitrary<Made> =>
  fc.oneof({ weight: 3, arbitrary: plain(fc.constantFrom(...values)) }, { weight: 1, arbitrary: plain(scalar) });
const some = (item: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc.array(item, { maxLength: 4 }).map((items) => (ids) => items.map((one) => one(ids)));
const dict = (fields: Readonly<Record<string, fc.Arbitrary<Made>>>): fc.Arbitrary<Made> =>
  fc
    .record(fields, { requiredKeys: [] })
    .map((made) => (ids) => Object.fromEntries(Object.entries(made).map(([name, one]) => [name, one?.(ids)])));

const ip = plain(addressLike);
const number = plain(fc.oneof(fc.integer({ min: -2, max: 70_000 }), scalar));
const flag = oneOf(true, false);
const words = some(plain(scalar));
const prefixes = some(ip);

/** By attribute, values of the right shape with hostile parts. */
const SHAPES: Readonly<Record<string, fc.Arbitrary<Made>>> = {
  network_id: idOf('networks'),
  subnetpool_id: idOf('subnetpools'),
  address_scope_id: idOf('address_scopes'),
  segment_id: idOf('segments'),
  security_group_id: idOf('security_groups'),
  remote_group_id: idOf('security_groups'),
  remote_address_group_id: idOf('address_groups'),
  object_id: fc.oneof(...['networks', 'subnetpools', 'address_scopes', 'address_groups'].map(idOf)),
  object_type: oneOf('network', 'subnetpool', 'address_scope', 'security_group', 'address_group', 'qos_policy'),
  action: oneOf('access_as_shared', 'access_as_external'),
  target_tenant: oneOf('*', 'a'.repeat(32), 'alice'),
  floating_network_id: idOf('networks'),
  port_id: idOf('ports'),
  external_gateway_info: dict({
    network_id: idOf('networks'),
    external_fixed_ips: some(dict({ subnet_id: idOf('subnets'), ip_address: ip })),
    enable_snat: flag,
  }),
  routes: some(dict({ destination: ip, nexthop: ip })),
  router: dict({ routes: some(dict({ destination: ip, nexthop: ip })) }),
  fixed_ip_address: ip,
  floating_ip_address: ip,
  fixed_ips: some(dict({ subnet_id: idOf('subnets'), ip_address: ip, device_id: plain(value) })),
  allowed_address_pairs: some(dict({ ip_address: ip, mac_address: oneOf('fa:16:3e:00:00:01') })),
  extra_dhcp_opts: some(dict({ opt_name: oneOf('mtu', '26'), opt_value: plain(scalar), ip_version: oneOf(4, 6) })),
  allocation_pools: some(dict({ start: ip, end: ip })),
  host_routes: some(dict({ destination: ip, nexthop: ip })),
  dns_nameservers: prefixes,
  segments: some(
    dict({
      'provider:network_type': oneOf('vlan', 'vxlan', 'flat', 'local', 'gre', 'geneve'),
      'provider:physical_network': oneOf('physnet1', null),
      'provider:segmentation_id': number,
    }),
  ),
  addresses: prefixes,
  prefixes,
  security_groups: some(idOf('security_groups')),
  service_types: some(oneOf('network:dhcp', 'compute:nova', 'network:routed')),
  availability_zone_hints: some(oneOf('nova')),
  tags: words,
  'binding:profile': dict({ a: plain(value), __proto: plain(value) }),
  hints: dict({ openvswitch: dict({ other_config: dict({ 'tx-steering': oneOf('thread', 'hash') }) }) }),
  cidr: ip,
  gateway_ip: ip,
  prefixlen: number,
  default_prefixlen: number,
  min_prefixlen: number,
  max_prefixlen: number,
  default_quota: number,
  ip_version: oneOf(4, 6),
  mtu: number,
  port_range_min: number,
  port_range_max: number,
  protocol: oneOf('tcp', 'udp', 'icmp', 'ipv6-icmp', 'any', 0, '255', null),
  ethertype: oneOf('IPv4', 'IPv6'),
  direction: oneOf('ingress', 'egress'),
  remote_ip_prefix: ip,
  'provider:network_type': oneOf('vlan', 'vxlan', 'flat', 'local', 'gre', 'geneve'),
  'provider:physical_network': oneOf('physnet1', 'physnet2', null),
  'provider:segmentation_id': number,
  ipv6_address_mode: oneOf('slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'),
  ipv6_ra_mode: oneOf('slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'),
  port_security_enabled: flag,
  is_default: flag,
  shared: flag,
  stateful: flag,
  'router:external': flag,
  enable_dhcp: flag,
};

export type Method = 'POST' | 'PUT';
/** One object's attributes for a creation or a change. */
export type Attributes = (world: World, ids: Ids, method: Method) => Readonly<Record<string, unknown>>;

/** Attributes of an object: what makes it valid, but for some that are hostile or left out. */
export function attributesOf(collection: string, known: AttributeMap): fc.Arbitrary<Attributes> {
  const { body, change } = KINDS[collection]!;
  const allowed = (name: string, method: Method) =>
    known[name]?.[method === 'POST' ? 'allow_post' : 'allow_put'] ?? name === 'id';
  const settable = Object.keys(known).filter((name) => allowed(name, 'POST') || allowed(name, 'PUT'));
  const name = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...settable, 'id') },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(known), '__proto__', 'constructor', 'tags', '') },
  );
  const given = name.chain((one) => {
    const shape = Object.hasOwn(SHAPES, one) ? SHAPES[one] : undefined;
    const hostile = plain(value);
    const arbitrary =
      shape === undefined ? hostile : fc.oneof({ weight: 3, arbitrary: shape }, { weight: 1, arbitrary: hostile });
    return fc.tuple(fc.constant(one), arbitrary);
  });
  return fc
    .record({
      valid: fc.boolean(),
      rows: fc.integer({ min: 0, max: 3 }),
      given: fc.array(given, { maxLength: 4 }),
    })
    .map(({ valid, rows, given }) => (world, ids, method) => {
      const base = method === 'POST' ? (body?.(world, rows) ?? {}) : valid ? (change?.(world, rows) ?? {}) : {};
      // Mostly those that may be set at all: others are refused before anything else is looked at.
      const set = given.filter(([one], at) => at === 3 || !Object.hasOwn(known, one) || allowed(one, method));
      return { ...base, ...Object.fromEntries(set.map(([one, made]) => [one, made(ids)])) };
    });
}

/** A body of an action or a sub-resource, under its key. */
export const bodyUnder = (key: string): fc.Arbitrary<Made> =>
  fc.oneof(
    { weight: 4, arbitrary: (SHAPES[key] ?? plain(value)).map((made) => (ids: Ids) => ({ [key]: made(ids) })) },
    { weight: 1, arbitrary: plain(fc.record({ [key]: value })) },
    { weight: 1, arbitrary: plain(value) },
  );
