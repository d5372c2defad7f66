/**
 * The objects of routers that Neutron 21 was seen to push, and nothing beside them: of port forwardings and conntrack helpers. They
 * go to the hosts that have the router, where Neutron tells all agents; and as `updated`, whether they are new or not.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { L3Cloud } from '../l3_rpc/support.ts';
import { toldBy } from '../objects/support.ts';
import type { Attributes } from '../router/support.ts';
import { IP, UUID } from './shapes.ts';

let cloud: L3Cloud;
let scene: Attributes;
let floatingip: Attributes;
beforeAll(async () => {
  const service_plugins = ['router', 'port_forwarding', 'conntrack_helper'];
  cloud = await L3Cloud.start('observed_router_objects', { DEFAULT: { service_plugins } });
  for (const host of ['host1', 'host2']) await cloud.agent(host);
  scene = await cloud.connected();
  await cloud.give('host1', scene.router);
  floatingip = await cloud.floating(scene.outside.net);
});
afterAll(() => cloud?.stack.stop());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const push = (name: string, version: string, data: object) => ({
  topic: `neutron-vo-${name}-${version}`,
  method: 'push',
  hosts: ['host1'],
  args: {
    resource_list: [
      {
        'versioned_object.name': name,
        'versioned_object.namespace': 'versionedobjects',
        'versioned_object.version': version,
        'versioned_object.data': data,
      },
    ],
    event_type: 'updated',
  },
});

const forwarding = (external_port: number, revision_number: number) =>
  push('PortForwarding', '1.3', {
    ...{ id: UUID, floatingip_id: UUID, external_port, external_port_range: `${external_port}:${external_port}` },
    ...{ protocol: 'tcp', internal_port_id: UUID, internal_ip_address: IP, internal_port: 80 },
    ...{ internal_port_range: '80:80', floating_ip_address: IP, router_id: UUID, description: '' },
    ...{ revision_number, created_at: TIME, updated_at: TIME },
  });

it('create port forwarding, update port forwarding', async () => {
  const path = `floatingips/${floatingip.id}/port_forwardings`;
  const [{ ip_address }] = scene.port.fixed_ips;
  const port_forwarding = {
    ...{ protocol: 'tcp', internal_port: 80, external_port: 8080 },
    ...{ internal_port_id: scene.port.id, internal_ip_address: ip_address },
  };
  let id = '';
  const made = await toldBy(cloud.stack, async () => {
    id = (await cloud.done('POST', path, { port_forwarding })).port_forwarding.id;
  });
  expect(made).toEqual([forwarding(8080, 0)]);
  const change = { port_forwarding: { external_port: 8081 } };
  const changed = await toldBy(cloud.stack, () => cloud.done('PUT', `${path}/${id}`, change));
  expect(changed).toEqual([forwarding(8081, 1)]);
});

it('create conntrack helper', async () => {
  const conntrack_helper = { protocol: 'udp', port: 69, helper: 'tftp' };
  const path = `routers/${scene.router.id}/conntrack_helpers`;
  const made = await toldBy(cloud.stack, () => cloud.done('POST', path, { conntrack_helper }));
  expect(made).toEqual([push('ConntrackHelper', '1.0', { id: UUID, router_id: UUID, ...conntrack_helper })]);
});
