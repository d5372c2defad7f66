/** Lists of networks, subnets and ports: filters, pages, fields, and how many statements they take. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter } from '#src/lib/api/query.ts';
import { ALICE, addresses, filter, refusal, type Thing, World } from './support.ts';

let world: World;
let lan: { network: Thing; subnet: Thing };
let lan6: { network: Thing; subnet: Thing };
let outside: Thing;
let ports: readonly Thing[];

beforeAll(async () => {
  world = await World.start();
  lan = await world.lan({ name: 'four', cidr: '10.31.7.0/24' }, ALICE);
  lan6 = await world.lan({ name: 'six', ip_version: 6, cidr: 'fd00:7::/64', gateway_ip: null });
  outside = await world.create('network', {
    name: 'out',
    'router:external': true,
    shared: true,
    mtu: 1300,
    'provider:network_type': 'vlan',
    'provider:physical_network': 'physnet1',
    'provider:segmentation_id': 2107,
  });
  const body = { network_id: lan.network.id };
  ports = [
    await world.create(
      'port',
      { ...body, name: 'a', fixed_ips: [{ ip_address: '10.31.7.77' }], device_id: 'vm1' },
      ALICE,
    ),
    await world.create('port', {
      ...body,
      name: 'b',
      fixed_ips: [{ ip_address: '10.31.7.8' }],
      'binding:host_id': 'h1',
    }),
    await world.create('port', {
      network_id: lan6.network.id,
      name: 'c',
      admin_state_up: false,
      device_owner: 'compute:nova',
    }),
    await world.create('port', { network_id: outside.id, name: 'd%_', description: 'x' }),
  ];
});
afterAll(() => world?.stop());

const fixed = (key: string, ...values: string[]): Filter => ({ attribute: 'fixed_ips', operator: 'in', key, values });
const part = (key: string, value: string): Filter => ({ ...fixed(key, value), operator: 'substring' });
const names = async (kind: string, ...filters: Filter[]) =>
  (await world.list(kind, { filters, sorts: [{ attribute: 'name', direction: 'asc' }] })).map((item) => item['name']);

describe('filters', () => {
  test.each<[string, () => Filter[], string[]]>([
    ['by name, any of', () => [filter('name', 'a', 'c', 'nobody')], ['a', 'c']],
    ['by id', () => [filter('id', ports[1]!.id, 'no id')], ['b']],
    ['by network and state', () => [filter('network_id', lan.network.id), filter('admin_state_up', true)], ['a', 'b']],
    ['by an off switch', () => [filter('admin_state_up', false)], ['c']],
    ['by both values of a switch', () => [filter('admin_state_up', false, true)], ['a', 'b', 'c', 'd%_']],
    ['by MAC address in another form', () => [filter('mac_address', ports[0]!.mac_address.toUpperCase())], ['a']],
    ['by device', () => [filter('device_id', 'vm1')], ['a']],
    ['by no device', () => [filter('device_id', ''), filter('device_owner', '')], ['b', 'd%_']],
    ['by host', () => [filter('binding:host_id', 'h1')], ['b']],
    ['by status', () => [filter('status', 'DOWN')], ['a', 'b', 'c', 'd%_']],
    ['by owner under either name', () => [filter('tenant_id', 'alice'), filter('project_id', 'alice')], ['a']],
    // The one with a host has been tried to bind.
    ['by revision', () => [filter('revision_number', '1')], ['a', 'c', 'd%_']],
    ['by description', () => [filter('description', 'x')], ['d%_']],
    ['by address', () => [fixed('ip_address', '10.31.7.77')], ['a']],
    ['by what is no address', () => [fixed('ip_address', 'banana')], []],
    ['by subnet', () => [fixed('subnet_id', lan.subnet.id)], ['a', 'b']],
    ['by subnet and address', () => [fixed('subnet_id', lan.subnet.id), fixed('ip_address', '10.31.7.8')], ['b']],
    ['by a part of the address', () => [part('ip_address', '31.7.7')], ['a']],
    ['by a part with wildcards that are none', () => [part('ip_address', '10%')], []],
  ])('ports %s', async (_, filters, expected) => {
    expect(await names('port', ...filters())).toEqual(expected);
  });

  test('an unknown key of fixed_ips is refused, not ignored', async () => {
    expect(await refusal(names('port', fixed('banana', 'x')))).toMatchObject({ type: 'InvalidInput', status: 400 });
  });

  test.each<[string, () => Filter[], string[]]>([
    ['by being external', () => [filter('router:external', true)], ['out']],
    ['by being shared', () => [filter('shared', true)], ['out']],
    ['by being neither', () => [filter('shared', false), filter('router:external', false)], ['lan', 'lan']],
    ['by MTU', () => [filter('mtu', 1300)], ['out']],
    ['by type', () => [filter('provider:network_type', 'vlan')], ['out']],
    ['by physical network', () => [filter('provider:physical_network', 'physnet1')], ['out']],
    ['by segmentation id', () => [filter('provider:segmentation_id', 2107)], ['out']],
    ['by owner', () => [filter('project_id', 'alice')], ['lan']],
  ])('networks %s', async (_, filters, expected) => {
    expect(await names('network', ...filters())).toEqual(expected);
  });

  test.each<[string, () => Filter[], string[]]>([
    ['by network', () => [filter('network_id', lan.network.id)], ['four']],
    ['by cidr', () => [filter('cidr', '10.31.7.0/24')], ['four']],
    ['by cidr with host bits', () => [filter('cidr', '10.31.7.9/24')], ['four']],
    ['by what is no cidr', () => [filter('cidr', 'x')], []],
    ['by version', () => [filter('ip_version', 6)], ['six']],
    ['by gateway', () => [filter('gateway_ip', '10.31.7.1')], ['four']],
    ['by no gateway', () => [filter('gateway_ip', null)], ['six']],
    ['by DHCP', () => [filter('enable_dhcp', true)], ['four', 'six']],
    ['by being shared', () => [filter('shared', true)], []],
    ['by being external', () => [filter('router:external', false)], ['four', 'six']],
  ])('subnets %s', async (_, filters, expected) => {
    expect(await names('subnet', ...filters())).toEqual(expected);
  });
});

test.each([
  ['port', 'fixed_ips'],
  ['port', 'binding:profile'],
  ['network', 'subnets'],
  ['subnet', 'prefixlen'],
])('%ss have no order by %s', async (kind, attribute) => {
  const refused = await refusal(world.list(kind, { sorts: [{ attribute, direction: 'asc' }] }));
  expect(refused).toMatchObject({ type: 'HTTPBadRequest', status: 400 });
});

test('changed_since shows what has changed since', async () => {
  expect(await world.list('port', { changed_since: '2000-01-01T00:00:00' })).toHaveLength(4);
  expect(await world.list('port', { changed_since: '2999-01-01T00:00:00' })).toEqual([]);
});

test('fields limits what is read', async () => {
  const [port] = await world.list('port', { fields: ['id', 'fixed_ips', 'nonsense'], filters: [filter('name', 'a')] });
  expect(port).toEqual({ id: ports[0]!.id, fixed_ips: ports[0]!.fixed_ips });
});

test.each(['port', 'network', 'subnet'])(
  'every sort key of %ss sorts, in both directions and page by page',
  async (kind) => {
    const resource = world.plugin.resources!.find(({ member }) => member === kind)!;
    const added = world.plugin.extensions.map(({ attributes }) => attributes?.[resource.collection] ?? {});
    const specs = Object.assign({}, resource.attributes, ...added) as (typeof resource)['attributes'];
    const keys = Object.keys(specs).filter((name) => specs[name]?.is_sort_key === true);
    expect(keys).toContain('tenant_id');
    for (const attribute of keys.filter((name) => name !== 'fixed_ips')) {
      for (const direction of ['asc', 'desc'] as const) {
        const sorts = [
          { attribute, direction },
          ...(attribute === 'id' ? [] : [{ attribute: 'id', direction: 'asc' as const }]),
        ];
        const all = await world.list(kind, { sorts });
        const paged: Thing[] = [];
        for (let marker: string | undefined; ; marker = paged.at(-1)?.id) {
          const page = await world.list(kind, { sorts, limit: 1, ...(marker === undefined ? {} : { marker }) });
          if (page.length === 0) break;
          paged.push(...page);
        }
        expect(
          paged.map(({ id }) => id),
          `${attribute} ${direction}`,
        ).toEqual(all.map(({ id }) => id));
      }
    }
  },
);

test.each(['port', 'network', 'subnet'])('%ss can be filtered by every attribute that says so', async (kind) => {
  const resource = world.plugin.resources!.find(({ member }) => member === kind)!;
  const added = world.plugin.extensions.map(({ attributes }) => attributes?.[resource.collection] ?? {});
  const specs = Object.assign({}, resource.attributes, ...added) as (typeof resource)['attributes'];
  const everything = (await world.list(kind)).length;
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.is_filter !== true || name === 'fixed_ips') continue;
    const found = await world.list(kind, { filters: [filter(name, 'surely-no-value')] });
    expect(found.length, `${name} is ignored`).toBeLessThan(everything);
  }
});

test('a list is one statement, whatever its rows and filters; a page after a marker is two', async () => {
  for (const kind of ['network', 'subnet', 'port']) {
    expect(await world.statements(() => world.list(kind))).toBe(1);
    expect(await world.statements(() => world.list(kind, {}, ALICE))).toBe(1);
    const [first] = await world.list(kind);
    expect(await world.statements(() => world.list(kind, { limit: 1, marker: first!.id }))).toBe(2);
    expect(await world.statements(() => world.show(kind, first!.id))).toBe(1);
  }
  const filters = [fixed('subnet_id', lan.subnet.id), filter('name', 'a', 'b')];
  expect(await world.statements(() => world.list('port', { filters }))).toBe(1);
});

test('a marker that is not visible is not found', async () => {
  const page = (id: string) => world.list('port', { limit: 1, marker: id }, ALICE);
  expect(await refusal(page(ports[2]!.id))).toMatchObject({ type: 'PortNotFound' });
  expect(await refusal(page('x'))).toMatchObject({ type: 'PortNotFound' });
  expect(addresses((await page(ports[0]!.id))[0] ?? ports[1]!)).toEqual(['10.31.7.8']);
});
