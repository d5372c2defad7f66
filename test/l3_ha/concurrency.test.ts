/** Highly available routers that are made and deleted at once: one network for a project, an id for each, and nothing left behind. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { admin } from '../support/stack.ts';
import { HaCloud } from './support.ts';

let cloud: HaCloud;
beforeAll(async () => {
  cloud = await HaCloud.begin('l3_ha_at_once');
  for (const project of ['alice', 'bob', 'carol', 'dave']) {
    await cloud.stack.call('PUT', `/v2.0/quotas/${project}`, { body: { quota: { router: -1 } } });
  }
});
afterAll(() => cloud.stop());
beforeEach(() => cloud.agents('host1', 'host2', 'host3'));

const times = <Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

async function expectConsistent(project: string, routers: number): Promise<void> {
  expect(await cloud.haNetworks(project)).toHaveLength(routers === 0 ? 0 : 1);
  const ids = await cloud.vrIds(project);
  expect(ids).toHaveLength(routers);
  expect(new Set(ids).size).toBe(routers);
  const [ports] = await cloud.sql`
    select count(*)::int as count from ports where name = ${`HA port project ${project}`}`;
  expect(ports?.['count']).toBe(3 * routers);
}

it('20 first routers of a project at once meet on one network', async () => {
  const routers = await times(20, () => cloud.haRouter('alice'));
  expect(new Set(routers.map(({ id }) => id)).size).toBe(20);
  await expectConsistent('alice', 20);
  await times(20, (n) => cloud.delete('router', routers[n]));
  await expectConsistent('alice', 0);
});

it('routers that go while others come leave a network to those that stay', async () => {
  for (let round = 0; round < 6; round++) {
    const first = await cloud.haRouter('bob');
    const [, ...stay] = await Promise.all([
      cloud.delete('router', first),
      ...(await Promise.resolve([1, 2])).map(() => cloud.haRouter('bob')),
    ]);
    await expectConsistent('bob', 2);
    await times(2, (n) => cloud.delete('router', stay[n]));
    await expectConsistent('bob', 0);
  }
});

it('the last two routers that go at once take the network with them', async () => {
  for (let round = 0; round < 6; round++) {
    const routers = await times(2, () => cloud.haRouter('carol'));
    await times(2, (n) => cloud.delete('router', routers[n]));
    await expectConsistent('carol', 0);
  }
});

it('a router that is changed back and forth by several at once is one thing or the other', async () => {
  const router = await cloud.haRouter('dave', { admin_state_up: false });
  const answers = await times(8, (n) =>
    cloud.ask('PUT', `routers/${router.id}`, { router: { ha: n % 2 === 1 } }, admin),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const { ha } = await cloud.show('router', router.id);
  expect(await cloud.haPorts(router)).toHaveLength(ha ? 3 : 0);
  await expectConsistent('dave', ha ? 1 : 0);
  expect(Object.keys(await cloud.shown(router))).toHaveLength(ha ? 3 : 1);
});
