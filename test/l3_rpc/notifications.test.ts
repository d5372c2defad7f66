/** What makes a router another one than its agents know, and who of them is told; in the shortest words, by names of things. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { admin } from '../support/stack.ts';
import { type Anything, inShort, L3Cloud } from './support.ts';

let cloud: L3Cloud;
let names: Map<string, string>;
let scene: Anything;

beforeAll(async () => {
  cloud = await L3Cloud.start('l3_notifications');
});
afterAll(() => cloud?.stack.stop());
beforeEach(async () => {
  await cloud.stack.clear();
  await cloud.agent('host1');
  await cloud.agent('host2');
  scene = await cloud.connected();
  await cloud.give('host1', scene.router);
  names = new Map([[scene.router.id, 'r1']]);
});

const told = async (work: () => Promise<unknown>) => inShort(await cloud.told(work), names);
const UPDATED = ['routers_updated host1 ["r1"]'];

/** A second router on the same networks outside, of the other host. */
async function other() {
  const inside = await cloud.lan();
  const router = await cloud.router(scene.outside.net);
  await cloud.add(router, { subnet_id: inside.sub.id });
  await cloud.give('host2', router);
  names.set(router.id, 'r2');
  const port = await cloud.stack.create('port', { network_id: inside.net.id }, admin);
  return { router, inside, port };
}

it('a router that is changed, by whatever', async () => {
  const { router, inside } = scene;
  const nexthop = String(inside.sub.cidr).replace('0/24', '9');
  const routes = { router: { routes: [{ destination: '10.9.0.0/24', nexthop }] } };
  for (const work of [
    () => cloud.change('router', router.id, { name: 'another' }),
    () => cloud.change('router', router.id, { admin_state_up: false }),
    () => cloud.done('PUT', `routers/${router.id}/add_extraroutes`, routes),
    () => cloud.done('PUT', `routers/${router.id}/remove_extraroutes`, routes),
    () => cloud.remove(router, { subnet_id: inside.sub.id }),
    () => cloud.change('router', router.id, { external_gateway_info: null }),
  ]) {
    expect(await told(work)).toEqual(UPDATED);
  }
});

it('a router that is not changed by what is said', async () => {
  expect(await told(() => cloud.change('router', scene.router.id, { name: '' }))).toEqual([]);
});

it('a router that is deleted, to those who had it', async () => {
  const { router, inside } = scene;
  await cloud.remove(router, { subnet_id: inside.sub.id });
  await cloud.change('router', router.id, { external_gateway_info: null });
  const work = () => cloud.done('DELETE', `routers/${router.id}`);
  expect(await told(work)).toEqual(['router_deleted host1 {"router_id":"r1"}']);
});

it('floating IPs that are made, moved to other ports, taken off and deleted', async () => {
  const { outside, inside, port } = scene;
  const second = await cloud.stack.create('port', { network_id: inside.net.id }, admin);
  let floatingip: Anything;
  const make = async () => {
    floatingip = await cloud.floating(outside.net, { port_id: port.id });
  };
  const lead = (port_id: string | null) => () => cloud.change('floatingip', floatingip.id, { port_id }, admin);
  const remove = () => cloud.done('DELETE', `floatingips/${floatingip.id}`);
  expect(await told(make)).toEqual(UPDATED);
  expect(new Set(await told(lead(second.id)))).toEqual(new Set(UPDATED));
  expect(await told(lead(null))).toEqual(UPDATED);
  expect(await told(lead(port.id))).toEqual(UPDATED);
  expect(await told(remove)).toEqual(UPDATED);
  expect(await told(() => cloud.floating(outside.net))).toEqual([]);
});

it('a floating IP that moves from one router to another, to both', async () => {
  const { port } = await other();
  const floatingip = await cloud.floating(scene.outside.net, { port_id: scene.port.id });
  const work = () => cloud.change('floatingip', floatingip.id, { port_id: port.id }, admin);
  expect(await told(work)).toEqual(['routers_updated host1 ["r1"]', 'routers_updated host2 ["r2"]']);
});

it('a port with floating IPs that is deleted', async () => {
  await cloud.floating(scene.outside.net, { port_id: scene.port.id });
  expect(await told(() => cloud.done('DELETE', `ports/${scene.port.id}`))).toEqual(UPDATED);
});

it('subnets and networks that are changed in what routers have of them', async () => {
  await other();
  const { net, sub } = scene.inside;
  const subnet = (id: string, attributes: object) => () => cloud.change('subnet', id, attributes, admin);
  expect(await told(subnet(sub.id, { dns_nameservers: ['10.0.0.7'] }))).toEqual(UPDATED);
  expect(await told(subnet(sub.id, { name: 'another' }))).toEqual([]);
  expect(await told(() => cloud.change('network', net.id, { mtu: 1400 }, admin))).toEqual(UPDATED);
  expect(await told(() => cloud.change('network', net.id, { name: 'another' }, admin))).toEqual([]);
  const outside = scene.outside.sub;
  const both = ['routers_updated host1 ["r1"]', 'routers_updated host2 ["r2"]'];
  expect(await told(subnet(outside.id, { gateway_ip: null }))).toEqual(both);
});

it('a subnet pool that comes into another address scope', async () => {
  const scope = await cloud.stack.create('address_scope', { ip_version: 4, name: 'scope' });
  const pool = await cloud.stack.create('subnetpool', {
    name: 'pool',
    prefixes: ['10.200.0.0/16'],
    default_prefixlen: 24,
  });
  const net = await cloud.stack.create('network', {});
  const subnet = await cloud.stack.create('subnet', { network_id: net.id, ip_version: 4, subnetpool_id: pool.id });
  await cloud.add(scene.router, { subnet_id: subnet.id }, admin);
  const work = () => cloud.change('subnetpool', pool.id, { address_scope_id: scope.id }, admin);
  expect(await told(work)).toEqual(UPDATED);
  const [router] = await cloud.sync('host1');
  const inside = router._interfaces.find(({ network_id }: Anything) => network_id === net.id);
  expect(inside.address_scopes).toEqual({ '4': scope.id, '6': null });
});

it('a first subnet of an IP version outside, in which gateways get addresses', async () => {
  const subnet = { network_id: scene.outside.net.id, ip_version: 6, cidr: '2001:db8:1::/64' };
  expect(new Set(await told(() => cloud.stack.create('subnet', subnet)))).toEqual(new Set(UPDATED));
});

it('of a distributed router, floating IPs to the host of the port alone', async () => {
  await cloud.l3Agent('snat', 'dvr_snat');
  for (const host of ['c1', 'c2']) await cloud.agent(host, 'dvr');
  const { net, sub } = await cloud.lan(undefined, admin);
  const gateway = { external_gateway_info: { network_id: scene.outside.net.id } };
  const router = await cloud.stack.create('router', { distributed: true, ...gateway });
  names.set(router.id, 'rd');
  await cloud.add(router, { subnet_id: sub.id }, admin);
  const [port] = [await cloud.l2.port(net.id, 'c1'), await cloud.l2.port(net.id, 'c2')];
  const unbound = await cloud.stack.create('port', { network_id: net.id });
  let floatingip: Anything;
  const make = async () => {
    floatingip = await cloud.floating(scene.outside.net, { port_id: port.id }, admin);
  };
  expect(new Set(await told(make))).toEqual(new Set(['routers_updated c1 ["rd"]']));
  const work = () => cloud.change('floatingip', floatingip.id, { port_id: unbound.id }, admin);
  expect(new Set(await told(work))).toEqual(new Set(['routers_updated c1 ["rd"]', 'routers_updated snat ["rd"]']));
  expect(await told(() => cloud.change('router', router.id, { name: 'another' }, admin))).toEqual([
    'routers_updated c1,c2,snat ["rd"]',
  ]);
});
