import { describe, expect, it } from 'vitest';
import { type Attributes, type Caller, unknownId, useCloud } from './support.ts';

const people = useCloud('routers', { DEFAULT: { service_plugins: ['router'] } });

/** A network with an IPv4 subnet. */
async function lan(caller: Caller, cidr = '10.0.0.0/24', attributes: Attributes = {}) {
  const net = await caller.network();
  return { net, sub: await caller.subnet(net, cidr, attributes) };
}

/** An external network. */
async function outside(admin: Caller, cidr = '172.24.4.0/24') {
  const ext = await admin.network({ 'router:external': true });
  return { ext, sub: await admin.subnet(ext, cidr, { enable_dhcp: false }) };
}

const router = (caller: Caller, attributes: Attributes = {}) => caller.create('router', attributes);
const add = (caller: Caller, { id }: Attributes, body: unknown) =>
  caller.ask(200, 'PUT', `/routers/${id}/add_router_interface`, body);
const remove = (caller: Caller, { id }: Attributes, body: unknown) =>
  caller.ask(200, 'PUT', `/routers/${id}/remove_router_interface`, body);

describe('the interfaces of a router', () => {
  it('are once on each subnet, on none that overlaps, and not where the gateway address is taken', async () => {
    const { alice } = people();
    const { sub } = await lan(alice);
    const r = await router(alice);
    const path = `/routers/${r.id}/add_router_interface`;
    await add(alice, r, { subnet_id: sub.id });
    await alice.refused(400).ask('PUT', path, { subnet_id: sub.id });
    const other = await lan(alice, '10.0.0.128/25');
    expect(await alice.refused(400).ask('PUT', path, { subnet_id: other.sub.id })).toContain('overlap');
    const second = await router(alice);
    await alice.refused(409).ask('PUT', `/routers/${second.id}/add_router_interface`, { subnet_id: sub.id });
    const closed = await lan(alice, '10.77.0.0/24', { gateway_ip: null });
    await alice.refused(400).ask('PUT', path, { subnet_id: closed.sub.id });
    await alice.refused(404).ask('PUT', path, { subnet_id: unknownId() });
    await alice.refused(400).ask('PUT', path, {});
  });

  it('may be ports that are there, with their addresses', async () => {
    const { alice } = people();
    const { net, sub } = await lan(alice);
    const r = await router(alice);
    const path = `/routers/${r.id}/add_router_interface`;
    const port = await alice.port(net, { fixed_ips: [{ ip_address: '10.0.0.99' }] });
    await alice.refused(400).ask('PUT', path, { port_id: port.id, subnet_id: sub.id });
    await alice.refused(400).ask('PUT', path, { port_id: 'nope' });
    await add(alice, r, { port_id: port.id });
    const attached = await alice.show('port', port.id);
    expect(attached).toMatchObject({ device_id: r.id, fixed_ips: [{ ip_address: '10.0.0.99' }] });
    expect(attached.device_owner).toMatch(/^network:/);
    const bare = await alice.port(net, { fixed_ips: [] });
    await alice.refused(400).ask('PUT', path, { port_id: bare.id });
    const used = await alice.port(net, { device_id: 'vm' });
    await alice.refused(409, 'PortInUse').ask('PUT', path, { port_id: used.id });
    await alice.refused(409).remove('port', port.id);
  });

  it('are taken away by what they are', async () => {
    const { alice } = people();
    const { net, sub } = await lan(alice);
    const s2 = await alice.subnet(net, '10.0.1.0/24');
    const r = await router(alice);
    const { port_id } = await add(alice, r, { subnet_id: sub.id });
    const path = `/routers/${r.id}/remove_router_interface`;
    await alice.refused(404).ask('PUT', path, { subnet_id: s2.id });
    await alice.refused(400, 'SubnetMismatchForPort').ask('PUT', path, { port_id, subnet_id: s2.id });
    await alice.refused(400).ask('PUT', path, {});
    await remove(alice, r, { port_id });
  });

  it('do not change their addresses by way of their ports, not even for an administrator', async () => {
    const { alice, admin } = people();
    const { sub } = await lan(alice);
    const r = await router(alice);
    const { port_id } = await add(alice, r, { subnet_id: sub.id });
    await alice.refused(400).change('port', port_id, { fixed_ips: [{ ip_address: '10.0.0.77' }] });
    const more = [{ ip_address: '10.0.0.1' }, { ip_address: '10.0.0.78' }];
    await admin.refused(400).change('port', port_id, { fixed_ips: more });
    const { fixed_ips } = await alice.show('port', port_id);
    expect(fixed_ips).toEqual([{ subnet_id: sub.id, ip_address: '10.0.0.1' }]);
  });

  it('keep their subnet its gateway', async () => {
    const { alice } = people();
    const allocation_pools = [{ start: '10.0.5.10', end: '10.0.5.20' }];
    const { sub } = await lan(alice, '10.0.5.0/24', { allocation_pools });
    await add(alice, await router(alice), { subnet_id: sub.id });
    await alice.refused(409, 'GatewayIpInUse').change('subnet', sub.id, { gateway_ip: '10.0.5.254' });
    await alice.change('subnet', sub.id, { gateway_ip: '10.0.5.1' });
    await alice.refused(409).change('subnet', sub.id, { gateway_ip: null });
  });

  it('have no addresses in common with the gateway', async () => {
    const { alice, admin } = people();
    const { ext } = await outside(admin, '172.25.4.0/24');
    const inner = await lan(alice, '172.25.4.0/25');
    const r = await router(alice);
    await add(alice, r, { subnet_id: inner.sub.id });
    await admin.refused(400).change('router', r.id, { external_gateway_info: { network_id: ext.id } });
    const r2 = await router(alice);
    await alice.change('router', r2.id, { external_gateway_info: { network_id: ext.id } });
    const upper = await lan(alice, '172.25.4.128/25');
    await alice.refused(400).ask('PUT', `/routers/${r2.id}/add_router_interface`, { subnet_id: upper.sub.id });
  });
});

describe('the routes of a router', () => {
  const route = (destination: string, nexthop = '10.0.0.50') => ({ destination, nexthop });

  it('lead to next hops on its subnets, are each there once, and hold the interface that they need', async () => {
    const { alice } = people();
    const { sub } = await lan(alice);
    const r = await router(alice);
    await add(alice, r, { subnet_id: sub.id });
    const routes = [route('10.90.0.0/24')];
    expect((await alice.change('router', r.id, { routes })).routes).toEqual(routes);
    const refused = (all: unknown, type?: string) => alice.refused(400, type).change('router', r.id, { routes: all });
    await refused([route('10.90.0.0/24', '10.55.0.1')], 'InvalidRoutes');
    await refused([route('10.90.0.0/24', '10.0.0.1')]);
    await refused([route('banana')]);
    await refused([{ destination: '10.90.0.0/24' }]);
    await refused([...routes, ...routes]);
    const leave = { subnet_id: sub.id };
    await alice
      .refused(409, 'RouterInterfaceInUseByRoute')
      .ask('PUT', `/routers/${r.id}/remove_router_interface`, leave);
    expect((await alice.change('router', r.id, { routes: null })).routes).toEqual([]);
    await remove(alice, r, leave);
  });

  it('that are added at the same moment are all there afterwards', async () => {
    const { alice } = people();
    const { sub } = await lan(alice);
    const r = await router(alice);
    await add(alice, r, { subnet_id: sub.id });
    const added = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((i) =>
        alice.send('PUT', `/routers/${r.id}/add_extraroutes`, {
          body: { router: { routes: [route(`10.9${i}.0.0/24`)] } },
        }),
      ),
    );
    expect(added.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await alice.show('router', r.id)).routes).toHaveLength(6);
  });

  it.each([{}, { routes: [] }, { router: { routes: 'x' } }, { router: 'x' }, []])('are not %j', async (body) => {
    const { alice } = people();
    const r = await router(alice);
    await alice.refused(400).ask('PUT', `/routers/${r.id}/add_extraroutes`, body);
    await alice.refused(400).ask('PUT', `/routers/${r.id}/remove_extraroutes`, body);
  });
});

it.each([[], { subnet_id: 5 }])('an interface is not %j', async (body) => {
  const { alice } = people();
  const r = await router(alice);
  await alice.refused(400).ask('PUT', `/routers/${r.id}/add_router_interface`, body);
});

it('a router that is deleted twice is gone the second time', async () => {
  const { alice } = people();
  const r = await router(alice);
  await alice.remove('router', r.id);
  await alice.refused(404, 'RouterNotFound').remove('router', r.id);
});
