/** What L3 agents ask and report of highly available routers, as Neutron's agents do. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Attributes } from '../router/support.ts';
import { admin } from '../support/stack.ts';
import { HaCloud } from './support.ts';

let cloud: HaCloud;
beforeAll(async () => {
  cloud = await HaCloud.begin('l3_ha_rpc');
  await cloud.agents('host1', 'host2', 'host3');
});
afterAll(() => cloud.stop());

/** What Neutron's server answered; `host1` had an enabled highly available router at none of these times. */
const OBSERVED: readonly {
  readonly method: string;
  readonly args: (router: Attributes) => JsonObject;
  answer: unknown;
}[] = [
  {
    method: 'update_ha_routers_states',
    args: ({ id }) => ({ host: 'host1', states: { [id]: 'active' } }),
    answer: null,
  },
  { method: 'get_host_ha_router_count', args: () => ({ host: 'host1' }), answer: 0 },
  { method: 'update_all_ha_network_port_statuses', args: () => ({ host: 'host1' }), answer: null },
];

it.each(OBSERVED)('$method is answered as Neutron does', async ({ method, args, answer }) => {
  const router = await cloud.haRouter('observed', { admin_state_up: false });
  expect(await cloud.call('host1', method, args(router))).toEqual(answer);
  await cloud.delete('router', router);
});

it('get_host_ha_router_count counts the enabled highly available routers of the host', async () => {
  const [up, down] = [await cloud.haRouter('count'), await cloud.haRouter('count', { admin_state_up: false })];
  await cloud.stack.create('router', { ha: false }, admin);
  expect(await cloud.call('host1', 'get_host_ha_router_count', { host: 'host1' })).toBe(1);
  expect(await cloud.call('nobody', 'get_host_ha_router_count', {})).toBe(0);
  for (const router of [up, down]) await cloud.delete('router', router);
});

describe('update_all_ha_network_port_statuses', () => {
  it('has the ports of the host be wired anew, and no others', async () => {
    const router = await cloud.haRouter('wired');
    const [here, there] = [await cloud.wire(router, 'host1'), await cloud.wire(router, 'host2')];
    expect([(await cloud.show('port', here)).status, (await cloud.show('port', there)).status]).toEqual([
      'ACTIVE',
      'ACTIVE',
    ]);
    expect(await cloud.call('host1', 'update_all_ha_network_port_statuses', { host: 'host1' })).toBeNull();
    expect([(await cloud.show('port', here)).status, (await cloud.show('port', there)).status]).toEqual([
      'DOWN',
      'ACTIVE',
    ]);
    const before = await cloud.stack.dump();
    await cloud.call('host1', 'update_all_ha_network_port_statuses', { host: 'host1' });
    expect(await cloud.stack.dump()).toBe(before);
  });
});

it('a router that is fetched says its state, its virtual router id and its epoch', async () => {
  const router = await cloud.haRouter('fetched');
  await cloud.tell('host2', { [router.id]: 'active' });
  const [id] = await cloud.vrIds('fetched');
  for (const [host, state] of [
    ['host1', 'standby'],
    ['host2', 'active'],
  ] as const) {
    const [fetched] = await cloud.call(host, 'sync_routers', { host, router_ids: [router.id] });
    expect(fetched).toMatchObject({ id: router.id, ha: true, ha_vr_id: id, ha_epoch: 1, _ha_state: state });
    expect(fetched._ha_interface).toMatchObject({ device_id: router.id, 'binding:host_id': host });
  }
});

describe('update_ha_routers_states refuses', () => {
  it.each([
    ['a state that there is not', { states: { a: 'passive' } }],
    ['a state that is no text', { states: { a: 1 } }],
    ['states that are a list', { states: ['active'] }],
    ['the name of what objects have', { states: { a: 'toString' } }],
    ['an epoch that is no number', { states: {}, epochs: { a: '1' } }],
    ['an epoch below zero', { states: {}, epochs: { a: -1 } }],
    ['an epoch that is no whole number', { states: {}, epochs: { a: 0.5 } }],
    ['far too many', { states: Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`r${n}`, 'active'])) }],
  ])('%s', async (_, args) => {
    await expect(cloud.call('host1', 'update_ha_routers_states', args as never)).rejects.toMatchObject({
      type: 'InvalidInput',
    });
  });
});

it('nothing at all may be reported', async () => {
  expect(await cloud.call('host1', 'update_ha_routers_states', {})).toBeNull();
  expect(await cloud.call('host1', 'update_ha_routers_states', { states: null, epochs: {} })).toEqual({});
});
