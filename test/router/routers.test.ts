/** Routers: gateways, interfaces and routes, and what stands in the way of what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, Stack } from '../support/stack.ts';
import { alice, bob, Cloud, OPTIONS } from './support.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('router', OPTIONS, 8);
  cloud = new Cloud(stack);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, floatingip: -1, rbac_policy: -1 };
  for (const project of ['alice', 'admin']) await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
});
afterAll(() => stack.stop());

describe('a router', () => {
  it('has what Neutron says a router has', async () => {
    const { net, sub } = await cloud.external();
    const router = await cloud.router(net);
    expect(Object.keys(router).toSorted()).toEqual(
      [
        ...['admin_state_up', 'created_at', 'description', 'external_gateway_info', 'id', 'name', 'project_id'],
        ...['revision_number', 'routes', 'status', 'tags', 'tenant_id', 'updated_at'],
        ...['availability_zone_hints', 'availability_zones', 'flavor_id'],
        ...['enable_snat', 'external_gateways', 'enable_default_route_ecmp', 'enable_default_route_bfd'],
      ].toSorted(),
    );
    expect(router).toMatchObject({ status: 'ACTIVE', admin_state_up: true, routes: [], project_id: 'alice' });
    expect(router.external_gateway_info).toEqual({
      network_id: net.id,
      external_fixed_ips: [{ subnet_id: sub.id, ip_address: expect.any(String) }],
      enable_snat: true,
    });
    const [port, ...others] = await cloud.portsOf(router.id);
    expect(others).toEqual([]);
    expect(port).toMatchObject({ device_owner: 'network:router_gateway', project_id: '', network_id: net.id });
  });

  it('is one of several of one request, all or none', async () => {
    const { net } = await cloud.external();
    const gateway = { external_gateway_info: { network_id: net.id } };
    const { routers } = await cloud.done('POST', 'routers', { routers: [{ name: 'a' }, { name: 'b', ...gateway }] });
    expect(routers.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    expect(routers[1].external_gateway_info.network_id).toBe(net.id);
    const inner = await cloud.lan();
    const wrong = { external_gateway_info: { network_id: inner.net.id } };
    expect(await cloud.refusal('POST', 'routers', { routers: [gateway, wrong] })).toBe('400 BadRequest');
  });

  it('is limited in number, and so are its routes', async () => {
    const body = { quota: { router: 1, router_route: 1 } };
    await stack.call('PUT', '/v2.0/quotas/bob', { body });
    const { net } = await cloud.external();
    const router = await cloud.router(net, bob);
    const more = { router: { external_gateway_info: { network_id: net.id } } };
    expect(await cloud.refusal('POST', 'routers', more, bob)).toBe('409 OverQuota');
    const nexthop = (await cloud.show('subnet', router.external_gateway_info.external_fixed_ips[0].subnet_id))
      .gateway_ip;
    const routes = ['10.1.0.0/24', '10.2.0.0/24'].map((destination) => ({ destination, nexthop }));
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { routes } }, bob)).toBe('409 OverQuota');
    expect((await cloud.change('router', router.id, { routes: routes.slice(1) }, bob)).routes).toEqual(routes.slice(1));
    expect(await cloud.used('bob')).toMatchObject({ router: 1, router_route: 0, port: 0 });
    await cloud.done('DELETE', `routers/${router.id}`, undefined, bob);
    expect(await cloud.used('bob')).toMatchObject({ router: 0 });
  });

  it('goes with its gateway, and not while it has interfaces', async () => {
    const { router, inside } = await cloud.connected();
    const { status, body } = await cloud.ask('DELETE', `routers/${router.id}`);
    expect([status, body.NeutronError.type]).toEqual([409, 'RouterInUse']);
    expect(body.NeutronError.message).toContain(`Router ${router.id} has ports still attached: `);
    await cloud.remove(router, { subnet_id: inside.sub.id });
    await cloud.done('DELETE', `routers/${router.id}`);
    expect(await cloud.portsOf(router.id)).toEqual([]);
  });
});

describe('the gateway of a router', () => {
  it('is set, moved and taken away, with its port', async () => {
    const [first, second] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router();
    const to = (network_id: string) => ({ external_gateway_info: { network_id } });
    const set = await cloud.change('router', router.id, to(first.net.id));
    expect(set.revision_number).toBe(router.revision_number + 1);
    const [port] = await cloud.portsOf(router.id);
    const again = await cloud.change('router', router.id, to(first.net.id));
    expect(again.external_gateway_info).toEqual(set.external_gateway_info);
    expect(again.revision_number).toBe(set.revision_number);
    await cloud.change('router', router.id, to(second.net.id));
    const [moved, ...others] = await cloud.portsOf(router.id);
    expect([moved?.network_id, others.length]).toEqual([second.net.id, 0]);
    expect(moved?.id).not.toBe(port?.id);
    expect((await cloud.change('router', router.id, { external_gateway_info: {} })).external_gateway_info).toBeNull();
    expect(await cloud.portsOf(router.id)).toEqual([]);
  });

  it('translates addresses unless an administrator says otherwise', async () => {
    const { net } = await cloud.external();
    const router = await cloud.router(net);
    const snat = async (info: object, as = alice as typeof admin | typeof alice) =>
      (await cloud.change('router', router.id, { external_gateway_info: { network_id: net.id, ...info } }, as))
        .external_gateway_info.enable_snat;
    const off = { external_gateway_info: { network_id: net.id, enable_snat: false } };
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: off })).toBe('403 PolicyNotAuthorized');
    expect(await snat({ enable_snat: false }, admin)).toBe(false);
    // Whoever does not say asks for the default.
    expect(await snat({})).toBe(true);
  });

  it('has the addresses that an administrator chooses', async () => {
    const { net, sub } = await cloud.external('198.51.100.0/24');
    const router = await cloud.router(net);
    const at = (...addresses: readonly string[]) => ({
      external_gateway_info: {
        network_id: net.id,
        external_fixed_ips: addresses.map((ip_address) => ({ subnet_id: sub.id, ip_address })),
      },
    });
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: at('198.51.100.9') })).toBe(
      '403 PolicyNotAuthorized',
    );
    const [port] = await cloud.portsOf(router.id);
    const { external_gateway_info: chosen } = await cloud.change('router', router.id, at('198.51.100.9'), admin);
    expect(chosen.external_fixed_ips).toEqual([{ subnet_id: sub.id, ip_address: '198.51.100.9' }]);
    expect((await cloud.portsOf(router.id))[0]?.id).toBe(port?.id);
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: at('198.51.100.1') }, admin)).toBe(
      '400 BadRequest',
    );
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: at('203.0.113.9') }, admin)).toBe(
      '400 InvalidIpForSubnet',
    );
  });

  it('gets an address of the first subnet of an IP version that comes to its network', async () => {
    const { net } = await cloud.external();
    const router = await cloud.router(net);
    const six = { network_id: net.id, ip_version: 6, cidr: '2001:db8:9::/64' };
    const { id } = await stack.create('subnet', six);
    const { external_fixed_ips: fixed } = (await cloud.show('router', router.id)).external_gateway_info;
    expect(fixed).toHaveLength(2);
    expect(fixed[1].subnet_id).toBe(id);
  });

  it('stays while a route needs it', async () => {
    const { net } = await cloud.external('192.0.2.0/24');
    const router = await cloud.router(net);
    const routes = [{ destination: '10.0.0.0/8', nexthop: '192.0.2.1' }];
    await cloud.change('router', router.id, { routes });
    const none = { router: { external_gateway_info: null } };
    expect(await cloud.refusal('PUT', `routers/${router.id}`, none)).toBe('400 InvalidRoutes');
    await cloud.change('router', router.id, { external_gateway_info: null, routes: [] });
  });

  it('is on an external network that its owner sees', async () => {
    const hidden = await stack.create('network', {});
    const request = { router: { external_gateway_info: { network_id: hidden.id } } };
    expect(await cloud.refusal('POST', 'routers', request)).toBe('404 NetworkNotFound');
    expect(await cloud.refusal('POST', 'routers', request, admin)).toBe('400 BadRequest');
  });
});

describe('an interface', () => {
  it('says what has been attached, in the names of the API', async () => {
    const [router, { net, sub }] = [await cloud.router(), await cloud.lan()];
    const attached = await cloud.add(router, { subnet_id: sub.id });
    const { port_id, ...rest } = attached;
    expect(rest).toEqual({
      ...{ id: router.id, project_id: 'alice', network_id: net.id },
      ...{ subnet_id: sub.id, subnet_ids: [sub.id] },
    });
    expect(await cloud.show('port', port_id)).toMatchObject({
      ...{ device_id: router.id, device_owner: 'network:router_interface', project_id: 'alice' },
      fixed_ips: [{ subnet_id: sub.id, ip_address: sub.gateway_ip }],
    });
    expect((await cloud.show('router', router.id)).revision_number).toBe(router.revision_number + 1);
    expect(await cloud.remove(router, { subnet_id: sub.id })).toEqual(attached);
    expect(await cloud.portsOf(router.id)).toEqual([]);
  });

  it('has all IPv6 subnets of a network on one port', async () => {
    const [router, { net, sub }] = [await cloud.router(), await cloud.lan('2001:db8:1::/64')];
    const second = await stack.create('subnet', { network_id: net.id, ip_version: 6, cidr: '2001:db8:2::/64' }, alice);
    const { port_id } = await cloud.add(router, { subnet_id: sub.id });
    expect(await cloud.add(router, { subnet_id: second.id })).toMatchObject({ port_id, subnet_ids: [second.id] });
    const addresses = async () =>
      (await cloud.show('port', port_id)).fixed_ips.map((one: { subnet_id: string }) => one.subnet_id);
    expect(await addresses()).toEqual([sub.id, second.id]);
    const port = await stack.create('port', { network_id: net.id }, alice);
    const path = `routers/${router.id}/add_router_interface`;
    expect(await cloud.refusal('PUT', path, { port_id: port.id })).toBe('400 BadRequest');
    await cloud.remove(router, { subnet_id: sub.id });
    expect(await addresses()).toEqual([second.id]);
    await cloud.remove(router, { port_id });
    expect(await cloud.portsOf(router.id)).toEqual([]);
  });

  it('is on a subnet of another project only where that is shared with the project by name', async () => {
    const target_tenant = 'c'.repeat(32);
    const carol = { project: target_tenant, roles: 'member' };
    const { net, sub } = await cloud.lan();
    const router = await cloud.router(undefined, carol);
    const path = `routers/${router.id}/add_router_interface`;
    expect(await cloud.refusal('PUT', path, { subnet_id: sub.id }, carol)).toBe('404 SubnetNotFound');
    const share = { object_type: 'network', object_id: net.id, action: 'access_as_shared' };
    const all = { rbac_policy: { ...share, target_tenant: '*' } };
    await cloud.done('POST', 'rbac-policies', all, admin);
    expect(await cloud.refusal('PUT', path, { subnet_id: sub.id }, carol)).toBe('400 BadRequest');
    await cloud.done('POST', 'rbac-policies', { rbac_policy: { ...share, target_tenant } });
    await cloud.add(router, { subnet_id: sub.id }, carol);
  });

  it('of a subnet that hears a router outside is refused', async () => {
    const outside = { ipv6_address_mode: 'slaac' };
    const [router, { sub }] = [await cloud.router(), await cloud.lan('2001:db8:7::/64', alice, outside)];
    const path = `routers/${router.id}/add_router_interface`;
    expect(await cloud.refusal('PUT', path, { subnet_id: sub.id })).toBe('400 BadRequest');
  });
});

describe('the port of a router', () => {
  it('is neither deleted nor given to others by way of ports', async () => {
    const { router, inside } = await cloud.connected();
    for (const port of await cloud.portsOf(router.id)) {
      const path = `ports/${port.id}`;
      expect(await cloud.refusal('DELETE', path, undefined, admin)).toBe('409 ServicePortInUse');
      for (const change of [{ device_id: 'vm' }, { device_owner: 'compute:nova' }, { device_id: '' }]) {
        expect(await cloud.refusal('PUT', path, { port: change }, admin)).toBe('400 BadRequest');
      }
      expect((await cloud.change('port', port.id, { name: 'named' }, admin)).name).toBe('named');
    }
    expect(await cloud.refusal('DELETE', `subnets/${inside.sub.id}`)).toBe('409 SubnetInUse');
    expect(await cloud.refusal('DELETE', `networks/${inside.net.id}`)).toBe('409 NetworkInUse');
  });

  it('is none of a router of another project', async () => {
    const [router, { net }] = [await cloud.router(undefined, bob), await cloud.lan()];
    const port = { network_id: net.id, device_owner: 'network:router_interface', device_id: router.id };
    expect(await cloud.refusal('POST', 'ports', { port })).toBe('409 DeviceIDNotOwnedByTenant');
  });
});

describe('an external network', () => {
  it('is neither deleted nor made internal while it is a gateway', async () => {
    const { net } = await cloud.external();
    const router = await cloud.router(net);
    expect(await cloud.refusal('DELETE', `networks/${net.id}`, undefined, admin)).toBe('409 NetworkInUse');
    const inner = { network: { 'router:external': false } };
    expect(await cloud.refusal('PUT', `networks/${net.id}`, inner, admin)).toBe('409 ExternalNetworkInUse');
    await cloud.done('DELETE', `routers/${router.id}`);
    await cloud.done('DELETE', `networks/${net.id}`, undefined, admin);
  });

  it('stays shared with the projects whose routers and floating IPs are on it', async () => {
    const carol = { project: 'd'.repeat(32), roles: 'member' };
    const net = await stack.create('network', {});
    await stack.create('subnet', { network_id: net.id, ip_version: 4, cidr: '172.30.0.0/24' });
    const rbac_policy = { object_type: 'network', object_id: net.id, action: 'access_as_external' };
    const share = { rbac_policy: { ...rbac_policy, target_tenant: carol.project } };
    const { id } = (await cloud.done('POST', 'rbac-policies', share, admin)).rbac_policy;
    const path = `rbac-policies/${id}`;
    const elsewhere = { rbac_policy: { target_tenant: 'e'.repeat(32) } };
    const router = await cloud.router(net, carol);
    expect(await cloud.refusal('DELETE', path, undefined, admin)).toBe('409 RbacPolicyInUse');
    expect(await cloud.refusal('PUT', path, elsewhere, admin)).toBe('409 RbacPolicyInUse');
    await cloud.done('DELETE', `routers/${router.id}`, undefined, carol);
    const floatingip = await cloud.floating(net, {}, carol);
    expect(await cloud.refusal('DELETE', path, undefined, admin)).toBe('409 RbacPolicyInUse');
    await cloud.done('DELETE', `floatingips/${floatingip.id}`, undefined, carol);
    await cloud.done('DELETE', path, undefined, admin);
    expect(await cloud.refusal('POST', 'floatingips', { floatingip: { floating_network_id: net.id } }, carol)).toBe(
      '404 NetworkNotFound',
    );
  });
});
