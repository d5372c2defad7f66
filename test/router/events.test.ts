/** What others are told of routers and floating IPs, and that they can refuse. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import { hearing } from './plugin/heard.ts';
import { Cloud } from './support.ts';

const LISTENER = new URL('./plugin/mod.ts', import.meta.url).pathname;

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('router_events', { DEFAULT: { service_plugins: ['router', LISTENER] } });
  cloud = new Cloud(stack);
});
beforeEach(async () => {
  await stack.clear();
  hearing().refuse = undefined;
  hearing().notify = false;
});
afterAll(() => stack.stop());

/** The events of a piece of work. */
async function heardOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  hearing().heard.length = 0;
  await work();
  return hearing().heard;
}

const whole = (operation: string, kind: string) =>
  ['before', 'precommit', 'after'].map((when) => `${when}_${operation} ${kind}`);

it('routers, their gateways and interfaces, and floating IPs are told of in order', async () => {
  const [first, second, inside] = [await cloud.external(), await cloud.external(), await cloud.lan()];
  const to = (network_id: string) => ({ external_gateway_info: { network_id } });
  const { id } = await cloud.router();
  const floatingip = await cloud.floating(first.net);
  const port = await stack.create('port', { network_id: inside.net.id, project_id: 'alice' });
  const bound = { port_id: port.id };

  expect(await heardOf(() => cloud.router(first.net))).toEqual([
    ...['before_create router', 'precommit_create router_gateway', 'precommit_create router'],
    ...['after_create router_gateway', 'after_create router'],
  ]);
  expect(await heardOf(() => cloud.change('router', id, to(first.net.id)))).toEqual([
    ...['before_update router', 'precommit_create router_gateway', 'precommit_update router'],
    ...['after_create router_gateway', 'after_update router'],
  ]);
  expect(await heardOf(() => cloud.change('router', id, to(second.net.id)))).toEqual([
    ...['before_update router', 'precommit_delete router_gateway', 'precommit_create router_gateway'],
    ...['precommit_update router', 'after_delete router_gateway', 'after_create router_gateway'],
    'after_update router',
  ]);
  await cloud.change('router', id, to(first.net.id));
  const attach = { subnet_id: inside.sub.id };
  expect(await heardOf(() => cloud.add({ id }, attach))).toEqual(whole('create', 'router_interface'));
  const associated = () => cloud.change('floatingip', floatingip.id, bound);
  expect(await heardOf(associated)).toEqual(whole('update', 'floatingip'));
  expect(await heardOf(() => cloud.done('DELETE', `ports/${port.id}`))).toEqual(whole('update', 'floatingip').slice(1));
  expect(await heardOf(() => cloud.remove({ id }, attach))).toEqual(whole('delete', 'router_interface'));
  expect(await heardOf(() => cloud.done('DELETE', `floatingips/${floatingip.id}`))).toEqual(
    whole('delete', 'floatingip'),
  );
  expect(await heardOf(() => cloud.done('DELETE', `routers/${id}`))).toEqual([
    ...['before_delete router', 'precommit_delete router', 'after_delete router_gateway', 'after_delete router'],
  ]);
});

it.each(['before_create', 'precommit_create'])('who is told may refuse: %s of an interface', async (event) => {
  const [router, { sub }] = [await cloud.router(), await cloud.lan()];
  hearing().refuse = `${event} router_interface`;
  const path = `routers/${router.id}/add_router_interface`;
  expect(await cloud.refusal('PUT', path, { subnet_id: sub.id })).toBe('400 BadRequest');
});

it('messages that are left at precommit events are in the outbox of the transaction', async () => {
  const messages = async () =>
    (await stack.database.sql<{ key: string }[]>`select key from outbox where topic = 'test_agent'`).map(
      ({ key }) => key,
    );
  const { outside, router, port } = await cloud.connected();
  hearing().notify = true;
  const { id } = await cloud.floating(outside.net, { port_id: port.id });
  await cloud.change('router', router.id, { name: 'new' });
  await cloud.done('DELETE', `ports/${port.id}`);
  expect(await messages()).toEqual([`router:${id}`, `router:${router.id}`, `router:${id}`]);
});
