/** All gateways of a router reach the agent that has it, with their ports, and are where it is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Anything, L3Cloud } from '../l3_rpc/support.ts';

let cloud: L3Cloud;
beforeAll(async () => {
  cloud = await L3Cloud.start('gateways_sync');
});
afterAll(() => cloud.stack.stop());

it('sync_routers has the first gateway as gw_port, and the further ones with their ports', async () => {
  await cloud.agent('host1');
  const [a, b] = [await cloud.external(), await cloud.external()];
  const router = await cloud.router(a.net);
  const body = { router: { external_gateways: [{ network_id: b.net.id }, { network_id: a.net.id }] } };
  const { router: shown } = await cloud.done('PUT', `routers/${router.id}/add_external_gateways`, body);
  await cloud.give('host1', router);
  const [synced] = await cloud.sync('host1', { router_ids: [router.id] });
  expect(synced.gw_port.fixed_ips[0].ip_address).toBe(shown.external_gateway_info.external_fixed_ips[0].ip_address);
  const [first, ...further] = synced.external_gateways;
  expect(first).toEqual(shown.external_gateways[0]);
  expect(further.map(({ port: _, ...gateway }: Anything) => gateway)).toEqual(shown.external_gateways.slice(1));
  for (const { network_id, port } of further) {
    expect(port).toMatchObject({ network_id, 'binding:host_id': 'host1', device_owner: 'network:router_gateway' });
    expect(port.subnets).toMatchObject([{ cidr: (network_id === a.net.id ? a : b).sub.cidr }]);
    expect(port.fixed_ips).toMatchObject([{ prefixlen: 24 }]);
  }
});

it('sync_routers shows the one gateway of other routers as the API does', async () => {
  const { net } = await cloud.external();
  const router = await cloud.router(net);
  await cloud.give('host1', router);
  const [synced] = await cloud.sync('host1', { router_ids: [router.id] });
  expect(synced.external_gateways).toEqual(router.external_gateways);
});
