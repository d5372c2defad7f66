/** Whole routers as L3 agents get them, against what was observed of Neutron. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shapeOf } from '../l2_rpc/support.ts';
import { admin } from '../support/stack.ts';
import { DISTRIBUTED, HIGHLY_AVAILABLE, LEGACY, SUBNET_PORT } from './observed.ts';
import { type Anything, L3Cloud } from './support.ts';

const PLUGINS = ['router', 'flavors', 'port_forwarding', 'conntrack_helper', 'ndp_proxy', 'segments'];

/** What is here beside what Neutron has. */
const BESIDE: ReadonlySet<string> = new Set(['ha_epoch', 'external_gateways']);
/** By key: what is compared as a kind. */
const KINDS: Readonly<Record<string, (value: Anything) => Anything>> = {
  revision_number: () => '<number>',
  mtu: () => '<number>',
  ha_vr_id: (id) => (id === 0 ? 0 : '<number>'),
  hostname: () => '<name>',
  fqdn: () => '<name>',
  project_id: (id) => (id === '' ? '' : '<project>'),
  tenant_id: (id) => (id === '' ? '' : '<project>'),
};

function comparable(value: Anything): Anything {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !BESIDE.has(key))
      .map(([key, member]) => [key, KINDS[key]?.(member) ?? comparable(member)]),
  );
}

const shape = (answer: Anything): Anything => comparable(shapeOf(answer));
/** The status of a port is its L2 agent's affair. */
const withoutStatus = ({ port_details, ...floatingip }: Anything) => ({
  ...floatingip,
  port_details: { ...port_details, status: '<status>' },
});

let cloud: L3Cloud;
let outside: Anything;
beforeAll(async () => {
  cloud = await L3Cloud.start('l3_golden', { DEFAULT: { service_plugins: PLUGINS } });
  await cloud.agent('host1', 'dvr_snat');
  outside = await cloud.external();
});
afterAll(() => cloud?.stack.stop());

/** A router with a gateway, an interface and a floating IP of a port inside. */
async function routerWith(attributes: object, subnet: object = {}) {
  const inside = await cloud.lan(`10.0.${cloud.next()}.0/24`, admin, subnet);
  const gateway = { external_gateway_info: { network_id: outside.net.id } };
  const router = await cloud.stack.create('router', { name: 'r1', ...gateway, ...attributes });
  await cloud.add(router, { subnet_id: inside.sub.id }, admin);
  const port = await cloud.stack.create('port', {
    network_id: inside.net.id,
    name: 'x',
    device_owner: 'compute:nova',
    device_id: 'vm1',
    'binding:host_id': 'host1',
    allowed_address_pairs: [{ ip_address: '10.0.0.99', mac_address: 'fa:16:3e:00:00:99' }],
  });
  await cloud.floating(outside.net, { port_id: port.id }, admin);
  return { router, inside, port };
}

async function synced(id: string): Promise<Anything> {
  const answer = await cloud.sync('host1', { router_ids: [id] });
  expect(answer).toHaveLength(1);
  const router = shape(answer[0]);
  return router._floatingips === undefined
    ? router
    : { ...router, _floatingips: router._floatingips.map(withoutStatus) };
}

describe('routers as they were observed of Neutron', () => {
  it('a centralised one', async () => {
    const { router, inside } = await routerWith({}, { dns_nameservers: ['10.0.0.9'] });
    await cloud.stack.create('subnet', {
      ...{ network_id: inside.net.id, ip_version: 6, cidr: '2001:db8::/64' },
      ...{ ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' },
    });
    const nexthop = String(inside.sub.cidr).replace('0/24', '9');
    await cloud.change('router', router.id, { routes: [{ destination: '10.9.0.0/24', nexthop }] }, admin);
    expect(await synced(router.id)).toEqual(LEGACY);
  });

  it('a distributed one, and the ports of its subnet', async () => {
    const { router, inside } = await routerWith({ distributed: true });
    await cloud.call('host1', 'get_agent_gateway_port', { host: 'host1', network_id: outside.net.id }, '1.2');
    // Neutron binds it to the host when the L3 agent asks, here it is when the L2 agent does, which is wiring it then.
    const [wired] = (await cloud.portsOf(router.id)).filter(({ device_owner }) => /distributed/.test(device_owner));
    await cloud.l2.call('host1', 'get_device_details', { device: wired.id, agent_id: 'a', host: 'host1' });
    const interfaces = DISTRIBUTED._interfaces.map((port) => ({ ...port, status: 'BUILD' }));
    expect(await synced(router.id)).toEqual({ ...DISTRIBUTED, _interfaces: interfaces });
    const ports = await cloud.call('host1', 'get_ports_by_subnet', { host: 'host1', subnet_id: inside.sub.id }, '1.2');
    const own = ports.filter(({ device_owner }: Anything) => device_owner === 'compute:nova');
    expect(own.map((port: Anything) => ({ ...shape(port), status: '<status>' }))).toEqual([SUBNET_PORT]);
  });

  it('a highly available one', async () => {
    const router = await cloud.stack.create('router', { name: 'r1', ha: true });
    const answer = await synced(router.id);
    expect({ ...answer, _ha_interface: { ...answer._ha_interface, name: '<name>' } }).toEqual(HIGHLY_AVAILABLE);
  });

  it('the service plugins that are loaded', async () => {
    const answer = await cloud.call('host1', 'get_service_plugin_list', {}, '1.3');
    expect(answer).toEqual(expect.arrayContaining(['CORE', 'L3_ROUTER_NAT', 'PORTFORWARDING', 'CONNTRACKHELPER']));
  });
});
