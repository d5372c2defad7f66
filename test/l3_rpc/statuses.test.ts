/** What L3 agents report of floating IPs, and which reports count. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { admin } from '../support/stack.ts';
import { type Anything, L3Cloud } from './support.ts';

let cloud: L3Cloud;
let scene: Anything;
let floatingip: Anything;

beforeAll(async () => {
  cloud = await L3Cloud.start('l3_statuses');
});
afterAll(() => cloud?.stack.stop());
beforeEach(async () => {
  await cloud.stack.clear();
  await cloud.agent('host1');
  await cloud.agent('host2');
  scene = await cloud.connected();
  await cloud.give('host1', scene.router);
  floatingip = await cloud.floating(scene.outside.net, { port_id: scene.port.id });
});

const report = (host: string, fip_statuses: object, router: Anything = scene.router) =>
  cloud.call(host, 'update_floatingip_statuses', { router_id: router.id, fip_statuses }, '1.1');
const status = async ({ id }: Anything) => (await cloud.show('floatingip', id)).status;

it.each(['ACTIVE', 'ERROR', 'DOWN'])('a floating IP becomes %s when the agent of its router says so', async (said) => {
  expect(await report('host1', { [floatingip.id]: said })).toBeNull();
  expect(await status(floatingip)).toBe(said);
});

it('a report that says nothing new changes nothing', async () => {
  await report('host1', { [floatingip.id]: 'ACTIVE' });
  const before = await cloud.show('floatingip', floatingip.id);
  expect(before.revision_number).toBe(floatingip.revision_number + 1);
  await report('host1', { [floatingip.id]: 'ACTIVE' });
  expect(await cloud.show('floatingip', floatingip.id)).toEqual(before);
});

it('nobody but the agent that has the router reports of it, and of no other floating IPs', async () => {
  const other = await cloud.connected();
  await cloud.give('host2', other.router);
  const foreign = await cloud.floating(other.outside.net, { port_id: other.port.id });
  await report('host2', { [floatingip.id]: 'ACTIVE' });
  await report('host2', { [floatingip.id]: 'ACTIVE' }, other.router);
  await report('host1', { [foreign.id]: 'ERROR', [crypto.randomUUID()]: 'ACTIVE', 'no id': 'ACTIVE' });
  await report('host1', { [floatingip.id]: 'ACTIVE' }, { id: 'no id' });
  expect([await status(floatingip), await status(foreign)]).toEqual(['DOWN', 'DOWN']);
});

it('a floating IP that the router has no more is DOWN with the next report', async () => {
  await report('host1', { [floatingip.id]: 'ACTIVE' });
  await cloud.change('floatingip', floatingip.id, { port_id: null });
  expect(await status(floatingip)).toBe('ACTIVE');
  await report('host1', {});
  expect(await status(floatingip)).toBe('DOWN');
});

it('one that another router has by now is not', async () => {
  await report('host1', { [floatingip.id]: 'ACTIVE' });
  const inside = await cloud.lan();
  const router = await cloud.router(scene.outside.net);
  await cloud.add(router, { subnet_id: inside.sub.id });
  await cloud.give('host2', router);
  const port = await cloud.stack.create('port', { network_id: inside.net.id }, admin);
  await cloud.change('floatingip', floatingip.id, { port_id: port.id }, admin);
  await report('host1', {});
  expect(await status(floatingip)).toBe('ACTIVE');
  await report('host2', { [floatingip.id]: 'ERROR' }, router);
  expect(await status(floatingip)).toBe('ERROR');
});

it('costs the same for one as for many', async () => {
  const more = [floatingip];
  for (let n = 0; n < 5; n++) {
    const port = await cloud.stack.create('port', { network_id: scene.inside.net.id });
    more.push(await cloud.floating(scene.outside.net, { port_id: port.id }, admin));
  }
  const all = (said: string) => Object.fromEntries(more.map(({ id }) => [id, said]));
  const one = await cloud.cost(() => report('host1', { [floatingip.id]: 'ERROR' }));
  const many = await cloud.cost(() => report('host1', all('ACTIVE')));
  expect([one, many]).toEqual([6, 6]);
  expect(await Promise.all(more.map(status))).toEqual(more.map(() => 'ACTIVE'));
});
