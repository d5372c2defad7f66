import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { DvrCloud } from './support.ts';

describe('what happens to distributed routers at once', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_at_once');
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
  });

  it('the last servers of a host go, and it hears that the router has left', async () => {
    const { inside } = await cloud.connected();
    const ports: Attributes[] = [];
    for (let n = 0; n < 6; n++) ports.push(await cloud.server(inside, 'c1'));
    const gone = await cloud.told(
      () => Promise.all(ports.map((port) => cloud.delete('ports', port))),
      'router_removed_from_agent',
    );
    expect(new Set(gone)).toEqual(new Set(['router_removed_from_agent c1 {"router_id":"router"}']));
  });

  it('interfaces and the gateway come, and all have their SNAT ports', async () => {
    const outside = await cloud.l3.external();
    const lans = [await cloud.lan(), await cloud.lan(), await cloud.lan()];
    const router = await cloud.router();
    await Promise.all([
      ...lans.map(({ sub }) => cloud.add(router, { subnet_id: sub.id })),
      cloud.change('router', router, cloud.gateway(outside.net)),
    ]);
    expect(await cloud.snat(router)).toEqual(lans.map(({ sub }) => [sub.id]).toSorted());
    await Promise.all([
      cloud.remove(router, { subnet_id: lans[0].sub.id }),
      cloud.change('router', router, { external_gateway_info: null }),
    ]);
    expect(await cloud.snat(router)).toEqual([]);
  });

  it('floating IPs come to a host, and there is one port for them', async () => {
    const { outside, inside } = await cloud.connected();
    const ports: Attributes[] = [];
    for (let n = 0; n < 4; n++) ports.push(await cloud.server(inside, 'c1'));
    await Promise.all(
      ports.map(({ id }) => cloud.stack.create('floatingip', { floating_network_id: outside.net.id, port_id: id })),
    );
    expect(await cloud.sql`select from ports where device_owner = 'network:floatingip_agent_gateway'`).toHaveLength(1);
    expect(cloud.stack.errors).toEqual([]);
  });

  it('a router is migrated and its interface goes, and both are done', async () => {
    const { inside, router } = await cloud.connected();
    await cloud.change('router', router, { admin_state_up: false });
    await Promise.all([
      cloud.change('router', router, { distributed: false }),
      cloud.remove(router, { subnet_id: inside.sub.id }),
    ]);
    const ports = await cloud.l3.portsOf(router.id);
    expect(ports.map(({ device_owner }) => device_owner)).toEqual(['network:router_gateway']);
  });
});
