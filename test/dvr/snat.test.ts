import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin, DvrCloud } from './support.ts';

describe('SNAT ports', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_snat_ports');
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  it('come and go with the gateway, one for each IPv4 subnet of an interface', async () => {
    const [outside, one, two] = [await cloud.l3.external(), await cloud.lan(), await cloud.lan()];
    const router = await cloud.router();
    for (const { sub } of [one, two]) await cloud.add(router, { subnet_id: sub.id });
    expect(await cloud.snat(router)).toEqual([]);
    await cloud.change('router', router, cloud.gateway(outside.net));
    expect(await cloud.snat(router)).toEqual([[one.sub.id], [two.sub.id]].toSorted());
    const [port] = await cloud.portsOf(router.id, 'router_centralized_snat');
    expect(port).toMatchObject({ project_id: '', name: '', admin_state_up: true, device_id: router.id });
    await cloud.change('router', router, { external_gateway_info: null });
    expect(await cloud.snat(router)).toEqual([]);
  });

  it('stay when another network becomes the gateway', async () => {
    const { router } = await cloud.connected();
    const before = await cloud.portsOf(router.id, 'router_centralized_snat');
    const other = await cloud.l3.external();
    await cloud.change('router', router, cloud.gateway(other.net));
    const after = await cloud.portsOf(router.id, 'router_centralized_snat');
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it('stay while any of several gateways does', async () => {
    const { router, outside, inside } = await cloud.connected();
    const other = await cloud.l3.external();
    const gateways = (...networks: { id: string }[]) => ({
      router: { external_gateways: networks.map(({ id }) => ({ network_id: id })) },
    });
    const put = (action: string, body: object) => cloud.l3.done('PUT', `routers/${router.id}/${action}`, body, admin);
    await put('add_external_gateways', gateways(other.net));
    await put('remove_external_gateways', gateways(outside.net));
    expect(await cloud.snat(router)).toEqual([[inside.sub.id]]);
    await put('remove_external_gateways', gateways(other.net));
    expect(await cloud.snat(router)).toEqual([]);
  });

  it('come and go with interfaces', async () => {
    const { router, inside } = await cloud.connected();
    const more = await cloud.lan();
    await cloud.add(router, { subnet_id: more.sub.id });
    expect(await cloud.snat(router)).toEqual([[inside.sub.id], [more.sub.id]].toSorted());
    await cloud.remove(router, { subnet_id: inside.sub.id });
    expect(await cloud.snat(router)).toEqual([[more.sub.id]]);
  });

  it('have the IPv6 subnets of a network together', async () => {
    const outside = await cloud.l3.external();
    const router = await cloud.router(cloud.gateway(outside.net));
    const { net, sub } = await cloud.lan('2001:db8:1::/64');
    const second = await cloud.stack.create('subnet', { network_id: net.id, ip_version: 6, cidr: '2001:db8:2::/64' });
    const v4 = await cloud.stack.create('subnet', { network_id: net.id, ip_version: 4, cidr: '10.9.0.0/24' });
    for (const { id } of [sub, v4, second]) await cloud.add(router, { subnet_id: id });
    expect(await cloud.snat(router)).toEqual([[v4.id], [sub.id, second.id].toSorted()].toSorted());
    const [before] = (await cloud.portsOf(router.id, 'router_centralized_snat')).filter(
      ({ fixed_ips }) => fixed_ips.length === 2,
    );
    await cloud.remove(router, { subnet_id: sub.id });
    expect(await cloud.snat(router)).toEqual([[v4.id], [second.id]].toSorted());
    const after = await cloud.portsOf(router.id, 'router_centralized_snat');
    expect(after.map(({ id }) => id)).toContain(before.id);
    const [address] = after.find(({ id }) => id === before.id).fixed_ips;
    expect(before.fixed_ips).toContainEqual(address);
    await cloud.remove(router, { subnet_id: second.id });
    expect(await cloud.snat(router)).toEqual([[v4.id]]);
  });

  it('are closed to all who are not their router', async () => {
    const { router } = await cloud.connected();
    const [{ id }] = (await cloud.portsOf(router.id, 'router_centralized_snat')) as [{ id: string }];
    expect(await cloud.refusal('DELETE', `ports/${id}`)).toBe('409 ServicePortInUse');
    expect(await cloud.refusal('PUT', `ports/${id}`, { port: { fixed_ips: [] } })).toBe('400 BadRequest');
    expect(await cloud.refusal('PUT', `ports/${id}`, { port: { device_id: '' } })).toBe('400 BadRequest');
  });

  it('that have no address left refuse the interface, and change nothing', async () => {
    const outside = await cloud.l3.external();
    const router = await cloud.router(cloud.gateway(outside.net));
    const { net } = await cloud.lan();
    const { id } = await cloud.stack.create('subnet', {
      ...{ network_id: net.id, ip_version: 4, cidr: '10.8.0.0/30', gateway_ip: '10.8.0.1' },
      ...{ allocation_pools: [{ start: '10.8.0.2', end: '10.8.0.2' }], enable_dhcp: false },
    });
    await cloud.stack.create('port', { network_id: net.id, fixed_ips: [{ subnet_id: id }] });
    expect(await cloud.refusal('PUT', `routers/${router.id}/add_router_interface`, { subnet_id: id })).toBe(
      '409 IpAddressGenerationFailure',
    );
    expect((await cloud.l3.portsOf(router.id)).map(({ device_owner }) => device_owner)).toEqual([
      'network:router_gateway',
    ]);
  });

  it('of centralised routers there are none', async () => {
    const [outside, inside] = [await cloud.l3.external(), await cloud.lan()];
    const router = await cloud.router({ distributed: false, ...cloud.gateway(outside.net) });
    await cloud.add(router, { subnet_id: inside.sub.id });
    expect(await cloud.snat(router)).toEqual([]);
  });
});
