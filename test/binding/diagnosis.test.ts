/** `GET /v2.0/ports/{id}/diagnosis`: why a port is not bound, and what it waits for. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { member, Stack } from '../support/stack.ts';
import { OVS, putAgent } from './support.ts';

let stack: Stack;
let network: { readonly id: string };
beforeAll(async () => {
  stack = await Stack.start('diagnosis', { ml2: { mechanism_drivers: ['openvswitch'] } });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  await stack.clear();
  network = await stack.create('network', { project_id: 'alice' });
});

const port = (body: Resource = {}) =>
  stack.create('port', { network_id: network.id, project_id: 'alice', device_owner: 'compute:nova', ...body });
const diagnose = async (id: string) => (await stack.call('GET', `/v2.0/ports/${id}/diagnosis`)).body.diagnosis;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

test('a port without a host waits for one', async () => {
  const { id } = await port();
  expect(await diagnose(id)).toEqual({
    port_id: id,
    status: 'DOWN',
    admin_state_up: true,
    bindings: [
      {
        ...{ host: '', status: 'ACTIVE', host_status: null, vif_type: 'unbound', vnic_type: 'normal' },
        ...{ levels: [], failures: [] },
      },
    ],
    waits_for: [
      { entity: 'host', reason: 'nobody has said on which host the port is to be (binding:host_id)', agents: [] },
    ],
  });
});

test('a port that could not be bound says why, by driver and segment', async () => {
  await putAgent(stack.database, 'h1', { ...OVS, tunnel_types: [] });
  const { id } = await port({ 'binding:host_id': 'h1' });
  const [segment] = await stack.database.sql`select id from network_segments where network_id = ${network.id}`;
  expect(await diagnose(id)).toMatchObject({
    bindings: [
      {
        host: 'h1',
        vif_type: 'binding_failed',
        failures: [
          {
            driver: 'openvswitch',
            segment_id: segment!['id'],
            reason: 'networks of type vxlan are out of reach, only local, flat, vlan',
            failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          },
        ],
      },
    ],
    waits_for: [
      { entity: 'binding', reason: 'the port is not bound to host h1: see the failures of its binding', agents: [] },
    ],
  });
});

test.each([
  [true, 'the Open vSwitch agent is alive, and has not reported yet'],
  [false, 'the Open vSwitch agent is dead'],
])('a port that is bound waits for its agent (alive: %s)', async (alive, said) => {
  await putAgent(stack.database, 'h1');
  const { id } = await port({ 'binding:host_id': 'h1', admin_state_up: false });
  await putAgent(stack.database, 'h1', OVS, { alive });
  await putAgent(stack.database, 'h1', {}, { agent_type: 'DHCP agent' });
  const { bindings, waits_for } = await diagnose(id);
  expect(bindings).toMatchObject([
    {
      vif_type: 'ovs',
      levels: [{ driver: 'openvswitch', network_type: 'vxlan', physical_network: null }],
      failures: [],
    },
  ]);
  expect(waits_for).toEqual([
    { entity: 'admin_state_up', reason: 'the port is disabled', agents: [] },
    {
      entity: 'L2',
      reason: `the Open vSwitch agent on host h1 has to report that it has wired the port; ${said}`,
      agents: [{ agent_type: 'Open vSwitch agent', host: 'h1', alive, heartbeat_timestamp: time }],
    },
  ]);
});

test('a port whose addresses nobody serves yet waits for DHCP', async () => {
  await putAgent(stack.database, 'h1');
  await putAgent(stack.database, 'dhcp1', {}, { agent_type: 'DHCP agent' });
  await stack.create('subnet', { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24', project_id: 'alice' });
  const { id } = await port({ 'binding:host_id': 'h1' });
  await stack.database.sql`
    insert into port_provisioning_blocks (port_id, entity) values (${id}, 'DHCP') on conflict do nothing`;
  await stack.database.sql`
    insert into network_dhcp_agents (network_id, agent_id, place)
    select ${network.id}, id, 1 from agents where host = 'dhcp1' on conflict do nothing`;
  const { waits_for } = await diagnose(id);
  expect(waits_for).toMatchObject([
    { entity: 'L2' },
    {
      entity: 'DHCP',
      reason:
        'a DHCP agent has to report that it serves the addresses; the DHCP agent is alive, and has not reported yet',
      agents: [{ host: 'dhcp1', alive: true }],
    },
  ]);
});

test('a port that is ACTIVE waits for nothing', async () => {
  await putAgent(stack.database, 'h1');
  const { id } = await port({ 'binding:host_id': 'h1' });
  await stack.database.sql`update ports set status = 'ACTIVE'`;
  expect(await diagnose(id)).toMatchObject({ status: 'ACTIVE', waits_for: [] });
});

test('is one statement, for administrators only', async () => {
  const { id } = await port();
  const before = stack.counted('nucleon_sql_statements_total');
  await diagnose(id);
  expect(stack.counted('nucleon_sql_statements_total') - before).toBe(1);
  const status = async (project: string, of = id) =>
    (await stack.call('GET', `/v2.0/ports/${of}/diagnosis`, { as: member(project) })).status;
  expect([await status('alice'), await status('bob')]).toEqual([403, 404]);
  const missing = await stack.call('GET', `/v2.0/ports/${network.id}/diagnosis`);
  expect(missing.status).toBe(404);
  expect(missing.body.NeutronError.type).toBe('PortNotFound');
});
