/** Whatever happens, in any order: agents that do as they are told have the routers that they would be given if they started anew. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { DvrCloud } from './support.ts';

const HOSTS = ['n1', 'n2', 'c1', 'c2', 'inner'];

/** Numbers that look like chance, the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2654435761;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

describe('agents of distributed routers', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_history', { QUOTAS: { quota_floatingip: -1 } });
  });
  afterAll(() => cloud.stop());
  beforeEach(async () => {
    await cloud.clear();
    await cloud.hosts();
    await cloud.l3.agent('n2', 'dvr_snat');
    await cloud.l3.agent('inner', 'dvr_no_external');
  });

  it.each([1, 4, 10])('have what they should after history %i', async (seed) => {
    const roll = dice(seed);
    const one = <Thing>(things: readonly Thing[]): Thing => things[roll(things.length)] as Thing;
    const [outside, lans] = [await cloud.l3.external(), [await cloud.lan(), await cloud.lan(), await cloud.lan()]];
    const routers: Attributes[] = [];
    for (const name of ['r1', 'r2', 'r3']) routers.push(await cloud.router({ name, admin_state_up: false }));
    const servers: Attributes[] = [];
    const interfaces = new Map<string, Attributes>();
    const fixed = new Map<string, Attributes>();

    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      async 'a server comes'() {
        servers.push(await cloud.server(one(lans), one(['', 'c1', 'c2', 'n1', 'inner'])));
      },
      async 'a server moves'() {
        if (servers.length > 0)
          await cloud.change('port', one(servers), { 'binding:host_id': one(['', 'c1', 'c2', 'n2']) });
      },
      async 'a server goes'() {
        if (servers.length > 0) await cloud.delete('ports', servers.splice(roll(servers.length), 1)[0]);
      },
      async 'an interface comes or goes'() {
        const [router, lan] = [one(routers), one(lans)];
        const key = `${router.id} ${lan.net.id}`;
        const port = interfaces.get(key);
        if (port !== undefined) {
          const { status } = await cloud.l3.ask(
            'PUT',
            `routers/${router.id}/remove_router_interface`,
            { port_id: port.id },
            { project: 'admin', roles: 'admin' },
          );
          if (status === 200) interfaces.delete(key);
          return;
        }
        const made = await cloud.stack.create('port', { network_id: lan.net.id });
        await cloud.add(router, { port_id: made.id });
        interfaces.set(key, made);
      },
      async 'a gateway comes or goes'() {
        const router = one(routers);
        const { external_gateway_info } = await cloud.l3.show('router', router.id);
        const wanted = external_gateway_info === null ? cloud.gateway(outside.net) : { external_gateway_info: null };
        await cloud.l3.ask('PUT', `routers/${router.id}`, { router: wanted }, { project: 'admin', roles: 'admin' });
      },
      async 'a floating IP comes'() {
        if (servers.length === 0) return;
        const port = one(servers);
        const floatingip = { floating_network_id: outside.net.id, port_id: port.id };
        const { status, body } = await cloud.l3.ask(
          'POST',
          'floatingips',
          { floatingip },
          { project: 'admin', roles: 'admin' },
        );
        if (status === 201) fixed.set(body.floatingip.id, body.floatingip);
      },
      async 'a floating IP goes'() {
        const [id] = [...fixed.keys()];
        if (id === undefined) return;
        fixed.delete(id);
        await cloud.delete('floatingips', { id });
      },
      async 'a router is centralised or distributed'() {
        const router = one(routers);
        const { distributed } = await cloud.l3.show('router', router.id);
        await cloud.change('router', router, { distributed: !distributed });
      },
      async 'SNAT moves'() {
        const { id } = one(routers);
        const { distributed, external_gateway_info } = await cloud.l3.show('router', id);
        if (!distributed || external_gateway_info === null) return;
        const rows = await cloud.sql<{ id: string; has: boolean }[]>`
          select a.id, exists (select from router_l3_agents l where l.router_id = ${id} and l.agent_id = a.id) as has
          from agents a where agent_type = 'L3 agent' and configurations->>'agent_mode' = 'dvr_snat' order by host`;
        const [from, to] = [rows.find(({ has }) => has), rows.find(({ has }) => !has)];
        if (from !== undefined) await cloud.delete(`agents/${from.id}/l3-routers`, { id });
        await cloud.l3.done(
          'POST',
          `agents/${to?.id}/l3-routers`,
          { router_id: id },
          { project: 'admin', roles: 'admin' },
        );
      },
    };

    const has = async (host: string): Promise<string[]> =>
      (await cloud.l3.call(host, 'get_router_ids', { host }, '1.9')) as string[];
    const known = new Map(HOSTS.map((host) => [host, new Set<string>()]));
    const names = new Map(routers.map(({ id, name }) => [id, name]));
    const told: string[] = [];
    for (let step = 0; step < 60; step++) {
      const name = one(Object.keys(steps));
      const messages = await cloud.l3.told(steps[name]!);
      const now = new Map(await Promise.all(HOSTS.map(async (host) => [host, await has(host)] as const)));
      for (const { method, args, to } of messages) {
        for (const host of to === 'all' ? HOSTS : to) {
          const { routers: updated = [], payload = [], router_id } = args;
          for (const id of method === 'routers_updated' ? updated : method === 'router_added_to_agent' ? payload : []) {
            if (now.get(host)?.includes(id)) known.get(host)?.add(id);
            else known.get(host)?.delete(id);
          }
          if (method === 'router_removed_from_agent') known.get(host)?.delete(payload.router_id);
          if (method === 'router_deleted') known.get(host)?.delete(router_id);
        }
      }
      told.push(`${step} ${name}`);
      const named = (ids: Iterable<string>) => [...ids].map((id) => names.get(id)).toSorted();
      for (const host of HOSTS) {
        expect(named(known.get(host) ?? []), `${host} after ${told.slice(-6).join(', ')}`).toEqual(
          named(now.get(host) ?? []),
        );
      }
    }
    // SNAT ports are where interfaces are, of distributed routers with a gateway.
    for (const router of routers) {
      const { distributed, external_gateway_info } = await cloud.l3.show('router', router.id);
      const wanted = lans
        .filter(({ net }) => interfaces.has(`${router.id} ${net.id}`))
        .map(({ sub }) => [sub.id])
        .toSorted();
      expect(await cloud.snat(router)).toEqual(distributed && external_gateway_info !== null ? wanted : []);
    }
    expect(cloud.stack.errors).toEqual([]);
  });
});
