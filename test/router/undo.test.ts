/**
 * A mechanism driver that fails behind the commit: what was made is taken back, the verbs' own by the verbs, and what was written
 * together with it. Nothing is left.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Stack } from '../support/stack.ts';
import { failure } from './driver/failure.ts';
import { alice, Cloud } from './support.ts';

const CORE = fileURLToPath(new URL('driver/mod.ts', import.meta.url));

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('router_undo', { DEFAULT: { core_plugin: CORE, service_plugins: ['router'] } });
  // What is taken back was there for a moment: messages about it are on their way.
  stack.refusalsChangeNothing = false;
  cloud = new Cloud(stack);
});
beforeEach(async () => {
  failure().at = undefined;
  await stack.clear();
  stack.errors.length = 0;
});
afterAll(() => stack.stop());

/** All but what is told of what was done, and counters of it. */
const state = () => stack.dump(['outbox', 'quota_usages']);
const used = () => cloud.used('alice');

it('a router is not there without its gateway', async () => {
  const { net } = await cloud.external();
  await cloud.router(net);
  const [before, counted] = [await state(), await used()];
  failure().at = 'network:router_gateway';
  const body = { external_gateway_info: { network_id: net.id } };
  expect(await cloud.refusal('POST', 'routers', { router: body })).toBe('500 MechanismDriverError');
  // Of two it is the second that fails.
  failure().left = 1;
  expect(await cloud.refusal('POST', 'routers', { routers: [body, body] })).toBe('500 MechanismDriverError');
  expect(await state()).toBe(before);
  expect(await used()).toEqual(counted);
});

it('a project has no part of a topology', async () => {
  await cloud.external('203.0.113.0/24', { is_default: true });
  const pool = { prefixes: ['10.0.0.0/16'], default_prefixlen: 26, is_default: true, shared: true };
  await stack.create('subnetpool', { name: 'default', ...pool });
  for (const at of ['network:router_gateway', 'network:router_interface', 'auto_allocated_network']) {
    failure().at = at;
    expect(await cloud.refusal('GET', 'auto-allocated-topology/alice')).toBe('500 MechanismDriverError');
    for (const kind of ['networks', 'subnets', 'ports', 'routers']) {
      expect((await cloud.done('GET', kind, undefined, alice))[kind].filter(isOwn), `${kind}, ${at}`).toEqual([]);
    }
    expect(await used()).toMatchObject({ network: 0, subnet: 0, port: 0, router: 0 });
  }
  failure().at = undefined;
  expect((await cloud.ask('GET', 'auto-allocated-topology/alice')).status).toBe(200);
});

const isOwn = ({ project_id }: { readonly project_id: string }): boolean => project_id === 'alice';
