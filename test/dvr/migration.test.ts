import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { DvrCloud } from './support.ts';

const DOWN = { admin_state_up: false };

describe('migration of routers', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_migration');
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
  });

  const owners = async (router: Attributes): Promise<string[]> =>
    (await cloud.l3.portsOf(router.id)).map(({ device_owner }) => device_owner.slice('network:'.length)).toSorted();
  const agentsOf = async ({ id }: Attributes): Promise<string[]> => {
    const rows = await cloud.sql<{ host: string }[]>`
      select a.host from router_l3_agents l join agents a on a.id = l.agent_id where l.router_id = ${id} order by 1`;
    return rows.map(({ host }) => host);
  };
  const centralised = async () => {
    const [outside, inside] = [await cloud.l3.external(), await cloud.lan()];
    const router = await cloud.router({ distributed: false, ...cloud.gateway(outside.net) });
    await cloud.add(router, { subnet_id: inside.sub.id });
    return { outside, inside, router };
  };

  it('is refused while the router is up, and where it goes up or down with it', async () => {
    for (const distributed of [true, false]) {
      const router = await cloud.router({ distributed });
      const path = `routers/${router.id}`;
      const ask = (more: object) => cloud.refusal('PUT', path, { router: { distributed: !distributed, ...more } });
      expect(await ask({})).toBe('400 BadRequest');
      expect(await ask(DOWN)).toBe('400 BadRequest');
      await cloud.change('router', router, DOWN);
      expect(await ask({ admin_state_up: true })).toBe('400 BadRequest');
      expect((await cloud.change('router', router, { distributed: !distributed })).distributed).toBe(!distributed);
    }
  });

  it('makes all of a router distributed, and centralised again', async () => {
    const { router, inside } = await centralised();
    expect(await agentsOf(router)).toEqual(['n1']);
    await cloud.server(inside, 'c1');
    await cloud.change('router', router, DOWN);
    await cloud.change('router', router, { distributed: true });
    expect(await owners(router)).toEqual(['router_centralized_snat', 'router_gateway', 'router_interface_distributed']);
    expect(await cloud.snat(router)).toEqual([[inside.sub.id]]);
    expect(await agentsOf(router)).toEqual(['n1']);
    await cloud.change('router', router, { admin_state_up: true });
    expect(await cloud.l3.call('c1', 'get_router_ids', { host: 'c1' }, '1.9')).toEqual([router.id]);
    await cloud.change('router', router, DOWN);
    const gone = await cloud.told(
      () => cloud.change('router', router, { distributed: false }),
      'router_removed_from_agent',
    );
    expect(gone).toContain('router_removed_from_agent c1 {"router_id":"router"}');
    expect(await owners(router)).toEqual(['router_gateway', 'router_interface']);
    expect(await agentsOf(router)).toEqual(['n1']);
    expect(await cloud.l3.call('c1', 'get_router_ids', { host: 'c1' }, '1.9')).toEqual([]);
  });

  it('that changes nothing changes nothing', async () => {
    const { router } = await centralised();
    await cloud.change('router', router, DOWN);
    const first = await cloud.change('router', router, { distributed: true });
    const ports = await cloud.l3.portsOf(router.id);
    const second = await cloud.change('router', router, { distributed: true });
    expect(second.revision_number).toBe(first.revision_number);
    expect(await cloud.l3.portsOf(router.id)).toEqual(ports);
  });

  it('goes with a change of the gateway', async () => {
    const { router, inside } = await centralised();
    const other = await cloud.l3.external();
    await cloud.change('router', router, DOWN);
    await cloud.change('router', router, { distributed: true, ...cloud.gateway(other.net) });
    expect(await cloud.snat(router)).toEqual([[inside.sub.id]]);
    await cloud.change('router', router, { distributed: false, external_gateway_info: null });
    expect(await owners(router)).toEqual(['router_interface']);
  });

  it('takes the ports of agents away with the last distributed gateway', async () => {
    const { router, outside, inside } = await cloud.connected();
    const port = await cloud.server(inside, 'c1');
    await cloud.stack.create('floatingip', { floating_network_id: outside.net.id, port_id: port.id });
    await cloud.change('router', router, DOWN);
    expect(await cloud.sql`select from agent_gateway_ports`).toHaveLength(1);
    await cloud.change('router', router, { distributed: false });
    expect(await cloud.sql`select from agent_gateway_ports`).toHaveLength(0);
    const [floatingip] = await cloud.sql`select router_id from floatingips`;
    expect(floatingip?.['router_id']).toBe(router.id);
  });

  it('that fails leaves the router as it was', async () => {
    const { router } = await centralised();
    const { net } = await cloud.lan();
    const { id } = await cloud.stack.create('subnet', {
      ...{ network_id: net.id, ip_version: 4, cidr: '10.8.0.0/30', gateway_ip: '10.8.0.1' },
      ...{ allocation_pools: [{ start: '10.8.0.2', end: '10.8.0.2' }], enable_dhcp: false },
    });
    await cloud.stack.create('port', { network_id: net.id, fixed_ips: [{ subnet_id: id }] });
    await cloud.add(router, { subnet_id: id });
    await cloud.change('router', router, DOWN);
    cloud.stack.refusalsChangeNothing = true;
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { distributed: true } })).toBe(
      '409 IpAddressGenerationFailure',
    );
    cloud.stack.refusalsChangeNothing = false;
    expect(await owners(router)).toEqual(['router_gateway', 'router_interface', 'router_interface']);
  });

  it('goes between all kinds of highly available and distributed routers', async () => {
    await cloud.l3.agent('n2', 'dvr_snat');
    const { router, inside } = await centralised();
    const kinds = [
      { ha: true, distributed: false, owner: 'ha_router_replicated_interface', agents: ['n1', 'n2'] },
      { ha: true, distributed: true, owner: 'router_interface_distributed', agents: ['n1', 'n2'] },
      { ha: false, distributed: true, owner: 'router_interface_distributed' },
      { ha: true, distributed: false, owner: 'ha_router_replicated_interface', agents: ['n1', 'n2'] },
      { ha: false, distributed: false, owner: 'router_interface' },
      { ha: true, distributed: true, owner: 'router_interface_distributed', agents: ['n1', 'n2'] },
      { ha: false, distributed: false, owner: 'router_interface' },
    ];
    await cloud.change('router', router, DOWN);
    for (const { ha, distributed, owner, agents } of kinds) {
      await cloud.change('router', router, { ha, distributed });
      const kind = `ha ${ha}, distributed ${distributed}`;
      expect([kind, await cloud.snat(router)]).toEqual([kind, distributed ? [[inside.sub.id]] : []]);
      const named = (await owners(router)).filter(
        (name) => name.includes('_interface') && name !== 'router_ha_interface',
      );
      expect([kind, named]).toEqual([kind, [owner]]);
      const has = await agentsOf(router);
      expect([kind, agents === undefined ? has.length : has]).toEqual([kind, agents ?? 1]);
    }
  });
});
