/** What distributed routers cost in SQL statements: the same however many ports, hosts and neighbours there are. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Attributes } from '../router/support.ts';
import { DvrCloud } from './support.ts';

let cloud: DvrCloud;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  cloud = await DvrCloud.start('dvr_statements', { QUOTAS: { quota_router: -1, quota_floatingip: -1 } });
  await cloud.hosts();
});
afterAll(async () => {
  vi.useRealTimers();
  await cloud.stop();
});

/** Costs, the look at the quota included that is due once in a while: here always. */
const cost = (work: () => Promise<unknown>): Promise<number> => {
  vi.advanceTimersByTime(60_000);
  return cloud.l3.cost(work);
};

it('servers on networks of distributed routers cost one statement more to create, and to delete', async () => {
  const [plain, lan, busy] = [await cloud.lan(), await cloud.lan(), await cloud.lan()];
  await cloud.add(await cloud.router(), { subnet_id: lan.sub.id });
  await cloud.add(await cloud.router(), { subnet_id: busy.sub.id });
  for (let n = 0; n < 5; n++) {
    const port = await cloud.stack.create('port', { network_id: busy.net.id });
    await cloud.add(await cloud.router(), { port_id: port.id });
    await cloud.server(busy, `c${1 + (n % 2)}`);
  }
  const costs: number[][] = [];
  for (const where of [plain, lan, busy]) {
    let port: Attributes;
    const create = await cost(async () => {
      port = await cloud.server(where, 'c1');
    });
    costs.push([create, await cost(() => cloud.delete('ports', port))]);
  }
  const [[create = 0, remove = 0] = [], ...others] = costs;
  // The messages of a deletion go out with those for the L2 agent.
  expect(others).toEqual([
    [create + 1, remove + 1],
    [create + 1, remove + 1],
  ]);
});

it('interfaces, gateways and migrations cost what they do for every one of the ports that they make', async () => {
  const outside = await cloud.l3.external();
  const measure = async (neighbours: number) => {
    const router = await cloud.router({ admin_state_up: false });
    const lan = await cloud.lan();
    for (let n = 0; n < neighbours; n++) {
      const port = await cloud.stack.create('port', { network_id: lan.net.id });
      await cloud.add(await cloud.router(), { port_id: port.id });
      await cloud.server(lan, `c${1 + (n % 2)}`);
    }
    const change = (attributes: object) => cost(() => cloud.change('router', router, attributes));
    return {
      'add interface': await cost(() => cloud.add(router, { subnet_id: lan.sub.id })),
      'set gateway': await change(cloud.gateway(outside.net)),
      centralise: await change({ distributed: false }),
      distribute: await change({ distributed: true }),
      'clear gateway': await change({ external_gateway_info: null }),
      'remove interface': await cost(() => cloud.remove(router, { subnet_id: lan.sub.id })),
    };
  };
  const alone = await measure(0);
  expect(await measure(6)).toEqual(alone);
  expect(alone).toEqual({
    ...{ 'add interface': 16, 'remove interface': 15, 'set gateway': 28, 'clear gateway': 20 },
    ...{ centralise: 30, distribute: 34 },
  });
});
