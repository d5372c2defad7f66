/** Whether routers may have NDP proxies: `enable_ndp_proxy`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice } from '../router/support.ts';
import { Stack } from '../support/stack.ts';
import { OPTIONS, Proxying } from './support.ts';

const stacks: Stack[] = [];
const start = async (name: string, more: object = {}) => {
  const stack = await Stack.start(name, { DEFAULT: { ...OPTIONS.DEFAULT, ...more } });
  stacks.push(stack);
  await stack.call('PUT', '/v2.0/quotas/alice', { body: { quota: { router: -1 } } });
  return { stack, here: await Proxying.make(stack) };
};
afterAll(() => Promise.all(stacks.map((stack) => stack.stop())));

const REFUSED = '409 RouterGatewayNotValid';

describe('enable_ndp_proxy', () => {
  let stack: Stack;
  let here: Proxying;
  beforeAll(async () => {
    ({ stack, here } = await start('ndp_routers'));
  });
  const create = (router: object) => here.cloud.refusal('POST', 'routers', { router });
  const to = (id: string, router: object) => here.cloud.refusal('PUT', `routers/${id}`, { router });

  it('is off unless somebody turns it on', async () => {
    const router = await here.router({});
    expect(router.enable_ndp_proxy).toBe(false);
    expect(await here.cloud.change('router', router.id, { name: 'renamed' })).toMatchObject({
      enable_ndp_proxy: false,
    });
    expect(await here.cloud.change('router', router.id, { enable_ndp_proxy: true })).toMatchObject({
      ...{ enable_ndp_proxy: true, revision_number: expect.any(Number) },
    });
    expect(await here.cloud.change('router', router.id, { name: 'again' })).toMatchObject({ enable_ndp_proxy: true });
    const [found] = (await here.cloud.done('GET', `routers?enable_ndp_proxy=true&id=${router.id}`)).routers;
    expect(found.id).toBe(router.id);
    expect(await here.cloud.change('router', router.id, { enable_ndp_proxy: false })).toMatchObject({
      ...{ enable_ndp_proxy: false },
    });
    expect(await here.router()).toMatchObject({ enable_ndp_proxy: true });
    expect(await here.router({ enable_ndp_proxy: null })).toMatchObject({ enable_ndp_proxy: false });
  });

  it('needs a gateway with an IPv6 address on a network with an IPv6 address scope', async () => {
    expect(await create({ enable_ndp_proxy: true })).toBe(REFUSED);
    const { net } = await here.cloud.external('192.0.2.0/24');
    await stack.create('subnet', { network_id: net.id, ip_version: 6, cidr: '2001:df8::/64' });
    const external_gateway_info = { network_id: net.id };
    expect(await create({ external_gateway_info, enable_ndp_proxy: true })).toBe(REFUSED);
    const router = await stack.create('router', { external_gateway_info }, alice);
    expect(await to(router.id, { enable_ndp_proxy: true })).toBe(REFUSED);
    const bare = await stack.create('router', {}, alice);
    expect(await to(bare.id, { enable_ndp_proxy: true })).toBe(REFUSED);
    expect(await to(bare.id, { enable_ndp_proxy: false })).toBe('200');
    const both = { external_gateway_info: { network_id: here.external.id }, enable_ndp_proxy: true };
    expect(await here.cloud.change('router', bare.id, both)).toMatchObject({ enable_ndp_proxy: true });
    expect(await to(bare.id, { external_gateway_info: null, enable_ndp_proxy: true })).toBe(REFUSED);
  });

  it('goes with the gateway, whose IPv6 address it holds', async () => {
    const router = await here.router();
    const { subnets } = (await stack.call('GET', `/v2.0/networks/${here.external.id}`)).body.network;
    const found = (await stack.call('GET', '/v2.0/subnets')).body.subnets.filter(({ id }: { id: string }) =>
      subnets.includes(id),
    );
    const of = (version: number) => found.find(({ ip_version }: { ip_version: number }) => ip_version === version).id;
    const at = (...versions: number[]) => ({
      external_gateway_info: {
        network_id: here.external.id,
        external_fixed_ips: versions.map((version) => ({ subnet_id: of(version) })),
      },
    });
    const body = { router: at(4) };
    const path = `/v2.0/routers/${router.id}`;
    const refused = await stack.call('PUT', path, { body });
    expect(refused.body.NeutronError.type).toBe('RouterIPv6GatewayInUse');
    expect((await stack.call('PUT', path, { body: { router: at(6) } })).body.router.enable_ndp_proxy).toBe(true);
    await here.cloud.change('router', router.id, { external_gateway_info: null });
    const again = { external_gateway_info: { network_id: here.external.id } };
    expect(await here.cloud.change('router', router.id, again)).toMatchObject({ enable_ndp_proxy: false });
  });
});

describe('enable_ndp_proxy_by_default', () => {
  it('is what holds of routers with a gateway for it of which nobody has said', async () => {
    const { stack, here } = await start('ndp_by_default', { enable_ndp_proxy_by_default: true });
    expect((await here.router({})).enable_ndp_proxy).toBe(true);
    expect((await here.router({ enable_ndp_proxy: false })).enable_ndp_proxy).toBe(false);
    const bare = await stack.create('router', {}, alice);
    expect(bare.enable_ndp_proxy).toBe(false);
    const gateway = { external_gateway_info: { network_id: here.external.id } };
    expect(await here.cloud.change('router', bare.id, gateway)).toMatchObject({ enable_ndp_proxy: true });
    const off = await stack.create('router', { enable_ndp_proxy: false }, alice);
    expect(await here.cloud.change('router', off.id, gateway)).toMatchObject({ enable_ndp_proxy: false });
  });
});
