/** Several gateways of one router: added, replaced and removed, beside what Neutron's older `external_gateway_info` says of one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, Stack, type Who } from '../support/stack.ts';
import { type Attributes, alice, Cloud, OPTIONS } from './support.ts';

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('gateways', OPTIONS, 8);
  cloud = new Cloud(stack);
  const quota = { network: -1, subnet: -1, port: -1, router: -1, floatingip: -1 };
  for (const project of ['alice', 'admin']) await stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota } });
});
afterAll(() => stack.stop());

type Action = 'add' | 'update' | 'remove';
const bodyOf = (external_gateways: unknown) => ({ router: { external_gateways } });

async function act(action: Action, { id }: Attributes, gateways: object[], as: Who = alice): Promise<Attributes> {
  return (await cloud.done('PUT', `routers/${id}/${action}_external_gateways`, bodyOf(gateways), as)).router;
}
const refused = (action: Action, { id }: Attributes, gateways: unknown, as: Who = alice) =>
  cloud.refusal('PUT', `routers/${id}/${action}_external_gateways`, bodyOf(gateways), as);

/** The gateways' networks, in order, each known by its place among those that are given. */
const networksOf = (router: Attributes, ...networks: Attributes[]) =>
  router.external_gateways.map(({ network_id }: { network_id: string }) =>
    networks.findIndex(({ net }) => net.id === network_id),
  );
const on = ({ net }: Attributes, more: object = {}) => ({ network_id: net.id, ...more });
const at = (address: string) => ({ external_fixed_ips: [{ ip_address: address }] });
const addressOf = (gateway: Attributes): string => gateway.external_fixed_ips[0].ip_address;
/** An external network that gives out the addresses from .100 on by itself. */
async function pooled(prefix: string): Promise<Attributes> {
  const net = await stack.create('network', { 'router:external': true });
  const allocation_pools = [{ start: `${prefix}.100`, end: `${prefix}.199` }];
  const subnet = { network_id: net.id, ip_version: 4, cidr: `${prefix}.0/24`, allocation_pools };
  return { net, sub: await stack.create('subnet', subnet) };
}
const gatewayPorts = async ({ id }: Attributes) =>
  (await cloud.portsOf(id)).filter(({ device_owner }) => device_owner === 'network:router_gateway');

describe('external gateways', () => {
  it('are shown with the one of external_gateway_info first', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    expect(router.external_gateways).toEqual([router.external_gateway_info]);
    const both = await act('add', router, [on(b)]);
    expect(networksOf(both, a, b)).toEqual([0, 1]);
    expect(both.external_gateway_info).toEqual(router.external_gateway_info);
    expect(both.external_gateways[1]).toEqual({
      network_id: b.net.id,
      external_fixed_ips: [{ subnet_id: b.sub.id, ip_address: expect.any(String) }],
      enable_snat: true,
    });
    expect(both.revision_number).toBe(router.revision_number + 1);
    expect(await cloud.show('router', router.id, alice)).toEqual(both);
    const { routers } = (await stack.call('GET', `/v2.0/routers?id=${router.id}`, { as: alice })).body;
    expect(routers).toEqual([both]);
    expect((await cloud.router()).external_gateways).toEqual([]);
  });

  it('are all added to a router that has none, of which the first is shown', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router();
    const both = await act('add', router, [on(b, { enable_snat: false }), on(a)], admin);
    expect(networksOf(both, a, b)).toEqual([1, 0]);
    expect(both).toMatchObject({ enable_snat: false, external_gateway_info: { network_id: b.net.id } });
  });

  it('may be several on one network', async () => {
    const a = await cloud.external();
    const router = await cloud.router(a.net);
    const three = await act('add', router, [on(a), on(a)]);
    expect(new Set(three.external_gateways.map(addressOf)).size).toBe(3);
    expect((await gatewayPorts(router)).length).toBe(3);
  });

  it('are refused where their networks overlap with each other or with what is inside', async () => {
    const [a, b] = [await cloud.external('198.51.100.0/24'), await cloud.external('198.51.100.0/25')];
    const inner = await cloud.lan('198.51.100.64/26');
    const router = await cloud.router(a.net);
    expect(await refused('add', router, [on(b)])).toBe('400 BadRequest');
    const [c, free] = [await cloud.external(), await cloud.router()];
    expect(await refused('add', free, [on(a), on(b)])).toBe('400 BadRequest');
    await act('add', free, [on(c), on(a)]);
    expect(await cloud.refusal('PUT', `routers/${free.id}/add_router_interface`, { subnet_id: inner.sub.id })).toBe(
      '400 BadRequest',
    );
    const inside = await cloud.router();
    await cloud.add(inside, { subnet_id: inner.sub.id });
    expect(await refused('add', inside, [on(c), on(a)])).toBe('400 BadRequest');
    expect((await gatewayPorts(inside)).length).toBe(0);
  });

  it('are at addresses that only administrators choose', async () => {
    const a = await pooled('192.0.2');
    const router = await cloud.router(a.net);
    expect(await refused('add', router, [on(a, at('192.0.2.50'))])).toBe('403 PolicyNotAuthorized');
    expect(await refused('update', router, [on(a, { enable_snat: false })])).toBe('403 PolicyNotAuthorized');
    const both = await act('add', router, [on(a, at('192.0.2.50'))], admin);
    expect(addressOf(both.external_gateways[1])).toBe('192.0.2.50');
    expect(await refused('add', router, [on(a, at('192.0.2.1'))], admin)).toBe('400 BadRequest');
    // Which one goes is said by its address; that is for everybody.
    expect((await act('remove', router, [on(a, at('192.0.2.50'))])).external_gateways.length).toBe(1);
  });

  it('are no more than 32', async () => {
    const a = await cloud.external('203.0.112.0/22');
    const router = await cloud.router(a.net);
    const many = Array.from({ length: 32 }, () => on(a));
    expect(await refused('add', router, many)).toBe('409 UnableToAddExtraGateways');
    expect((await act('add', router, many.slice(1))).external_gateways.length).toBe(32);
    await cloud.done('DELETE', `routers/${router.id}`);
  });

  it('stay as they are where nothing is named', async () => {
    const a = await cloud.external();
    const router = await cloud.router(a.net);
    for (const nothing of [[], {}]) {
      const path = `routers/${router.id}/remove_external_gateways`;
      expect((await cloud.done('PUT', path, bodyOf(nothing))).router).toEqual(router);
    }
  });

  it.each([
    ['no list', {}],
    ['nothing of a router', { router: null }],
    ['what is no list', bodyOf('all')],
    ['no network', bodyOf([{}])],
    ['no network id', bodyOf([{ network_id: 'outside' }])],
    ['something unknown', bodyOf([{ network_id: crypto.randomUUID(), color: 'red' }])],
  ])('refuses a body with %s', async (_, body) => {
    const router = await cloud.router();
    for (const action of ['add', 'update', 'remove']) {
      const { status } = await cloud.ask('PUT', `routers/${router.id}/${action}_external_gateways`, body);
      expect(status).toBe(400);
    }
  });
});

describe('external_gateway_info', () => {
  it('moves the gateway that is shown, and leaves the others', async () => {
    const [a, b, c] = [await cloud.external(), await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    const before = await act('add', router, [on(b)]);
    const moved = await cloud.change('router', router.id, { external_gateway_info: { network_id: c.net.id } });
    expect(networksOf(moved, a, b, c)).toEqual([2, 1]);
    expect(moved.external_gateways[1]).toEqual(before.external_gateways[1]);
  });

  it('of null takes the shown one away, and shows another', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    await act('add', router, [on(b)]);
    const left = await cloud.change('router', router.id, { external_gateway_info: null });
    expect(networksOf(left, a, b)).toEqual([1]);
    expect(left.external_gateway_info).toEqual(left.external_gateways[0]);
    const none = await cloud.change('router', router.id, { external_gateway_info: null });
    expect(none).toMatchObject({ external_gateways: [], external_gateway_info: null });
  });
});

describe('update_external_gateways', () => {
  it('keeps what is named, makes what is new, takes away the rest, and shows the first', async () => {
    const [a, b, c] = [await cloud.external(), await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    const before = await act('add', router, [on(b)]);
    const after = await act('update', router, [on(b), on(c)]);
    expect(networksOf(after, a, b, c)).toEqual([1, 2]);
    expect(after.external_gateways[0]).toEqual(before.external_gateways[1]);
    const turned = await act('update', router, [on(c), on(b)]);
    expect(turned.external_gateways).toEqual(after.external_gateways.toReversed());
    expect(turned.external_gateway_info).toEqual(turned.external_gateways[0]);
    const fresh = await act('update', router, [on(a), on(c)]);
    expect(networksOf(fresh, a, b, c)).toEqual([0, 2]);
    expect(await act('update', router, [])).toMatchObject({ external_gateways: [], external_gateway_info: null });
    expect(await gatewayPorts(router)).toEqual([]);
  });

  it('changes the addresses of one that is named by one of them', async () => {
    const a = await pooled('192.0.3');
    const router = await cloud.router(a.net);
    const two = await act('add', router, [on(a, at('192.0.3.60'))], admin);
    const ports = (await gatewayPorts(router)).map(({ id }) => id).toSorted();
    const more = { external_fixed_ips: [{ ip_address: '192.0.3.60' }, { ip_address: '192.0.3.61' }] };
    const first = addressOf(two.external_gateways[0]);
    const after = await act('update', router, [on(a, at(first)), on(a, more)], admin);
    expect(after.external_gateways[1].external_fixed_ips.map((one: Attributes) => one.ip_address)).toEqual([
      '192.0.3.60',
      '192.0.3.61',
    ]);
    expect((await gatewayPorts(router)).map(({ id }) => id).toSorted()).toEqual(ports);
    expect(await refused('update', router, [on(a)])).toBe('400 UnableToMatchGateways');
  });

  it('decides by its first about SNAT', async () => {
    const a = await cloud.external();
    const router = await cloud.router(a.net);
    expect(await act('update', router, [on(a, { enable_snat: false })], admin)).toMatchObject({ enable_snat: false });
    expect(await act('update', router, [on(a)])).toMatchObject({ enable_snat: true });
  });
});

describe('remove_external_gateways', () => {
  it('takes away what is named, and shows the next', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    const both = await act('add', router, [on(b)]);
    const left = await act('remove', router, [on(a)]);
    expect(left.external_gateways).toEqual(both.external_gateways.slice(1));
    expect(left.external_gateway_info).toEqual(both.external_gateways[1]);
    expect(await refused('remove', router, [on(a)])).toBe('400 UnableToMatchGateways');
    await act('remove', router, [on(b)]);
    expect(await refused('remove', router, [on(b)])).toBe('409 UnableToRemoveGateways');
  });

  it('wants to know which of several on one network', async () => {
    const a = await cloud.external();
    const router = await cloud.router(a.net);
    const [, second] = (await act('add', router, [on(a)])).external_gateways;
    expect(await refused('remove', router, [on(a)])).toBe('400 UnableToMatchGateways');
    const left = await act('remove', router, [on(a, at(addressOf(second)))]);
    expect(left.external_gateways.map(addressOf)).not.toContain(addressOf(second));
  });

  it('is refused while floating IPs go by it, and changes nothing', async () => {
    const { outside, router, port } = await cloud.connected();
    const other = await cloud.external();
    await act('add', router, [on(other)]);
    const floating = await cloud.floating(other.net, { port_id: port.id });
    expect(floating.router_id).toBe(router.id);
    expect(await refused('remove', router, [on(other)])).toBe('409 RouterExternalGatewayInUseByFloatingIp');
    expect(await refused('update', router, [on(outside)])).toBe('409 RouterExternalGatewayInUseByFloatingIp');
    expect(await refused('update', router, [])).toBe('409 RouterExternalGatewayInUseByFloatingIp');
    expect(networksOf(await cloud.show('router', router.id), outside, other)).toEqual([0, 1]);
    // The one that is shown is needed by none.
    const left = await cloud.change('router', router.id, { external_gateway_info: null });
    expect(networksOf(left, outside, other)).toEqual([1]);
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { external_gateway_info: null } })).toBe(
      '409 RouterExternalGatewayInUseByFloatingIp',
    );
    // Another on the same network leads there as well.
    const twice = await act('add', router, [on(other)]);
    await act('remove', router, [on(other, at(addressOf(twice.external_gateways[0])))]);
    await cloud.done('DELETE', `floatingips/${floating.id}`);
    expect((await act('update', router, [])).external_gateways).toEqual([]);
  });
});

describe('a router with several gateways', () => {
  it('is deleted with all of them', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    await act('add', router, [on(a), on(b)]);
    await cloud.done('DELETE', `routers/${router.id}`);
    expect(await cloud.portsOf(router.id)).toEqual([]);
    await cloud.done('DELETE', `networks/${b.net.id}`, undefined, admin);
  });

  it('has routes by any of them', async () => {
    const [a, b] = [await cloud.external('192.0.4.0/24'), await cloud.external('192.0.5.0/24')];
    const router = await cloud.router(a.net);
    await act('add', router, [on(b)]);
    await cloud.change('router', router.id, { routes: [{ destination: '10.250.0.0/16', nexthop: '192.0.5.9' }] });
    expect(await refused('remove', router, [on(b)])).toBe('400 InvalidRoutes');
  });

  it('keeps an external network from being deleted by any of them', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router(a.net);
    await act('add', router, [on(b)]);
    expect(await cloud.refusal('DELETE', `networks/${b.net.id}`, undefined, admin)).toBe('409 NetworkInUse');
    const subnet = { network_id: b.net.id, ip_version: 6, cidr: 'fd00:b::/64' };
    await stack.create('subnet', subnet);
    const shown = await cloud.show('router', router.id);
    expect(shown.external_gateways[1].external_fixed_ips.length).toBe(2);
  });

  it('is given gateways by many at once, one after the other', async () => {
    const [a, b] = [await cloud.external(), await cloud.external()];
    const router = await cloud.router();
    const answers = await Promise.all(
      [a, b, a, b, a, b].map((one) =>
        cloud.ask('PUT', `routers/${router.id}/add_external_gateways`, bodyOf([on(one)])),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const shown = await cloud.show('router', router.id);
    expect(shown.external_gateways.length).toBe(6);
    expect(shown.external_gateway_info).toEqual(shown.external_gateways[0]);
  });
});

describe('default routes', () => {
  it('are as the administrator says', async () => {
    const router = await stack.create('router', { enable_default_route_ecmp: true }, admin);
    expect(router).toMatchObject({ enable_default_route_ecmp: true, enable_default_route_bfd: false });
    const changed = await cloud.change('router', router.id, { enable_default_route_bfd: true }, admin);
    expect(changed).toMatchObject({ enable_default_route_ecmp: true, enable_default_route_bfd: true });
    const unsaid = await cloud.change('router', router.id, { enable_default_route_bfd: null }, admin);
    expect(unsaid).toMatchObject({ enable_default_route_bfd: true });
    const own = await cloud.router();
    expect(await cloud.refusal('PUT', `routers/${own.id}`, { router: { enable_default_route_bfd: true } })).toBe(
      '403 PolicyNotAuthorized',
    );
    expect(await cloud.refusal('POST', 'routers', { router: { enable_default_route_ecmp: true } })).toBe(
      '403 PolicyNotAuthorized',
    );
  });

  it('are found by, and so is SNAT', async () => {
    const { net } = await cloud.external();
    const router = await stack.create(
      'router',
      { external_gateway_info: { network_id: net.id, enable_snat: false } },
      admin,
    );
    const { routers } = (await stack.call('GET', '/v2.0/routers?enable_snat=false')).body;
    expect(routers.map(({ id }: { id: string }) => id)).toContain(router.id);
    expect(routers.every((one: Attributes) => one.enable_snat === false)).toBe(true);
  });
});
