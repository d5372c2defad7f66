/**
 * What is wrong with one device, one driver or one host is not the others' failure: lists are answered but for what fails, and
 * what an agent says of itself disturbs nobody else.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import type { MechanismContext } from '#src/lib/ml2/mechanism_driver.ts';
import { type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { l2populationMechanismDriver } from '#src/plugins/ml2/drivers/l2population/mod.ts';
import { openvswitchMechanismDriver } from '#src/plugins/ml2/drivers/openvswitch/mod.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import { configOf, putAgent, recordingLog } from '../binding/support.ts';
import { Cloud } from '../l2_rpc/support.ts';
import { type Thing, World } from '../ml2/support.ts';
import { EXAMPLES } from './agents_methods.ts';
import { AgentWorld, type Anything, methodsOf, type Side } from './agents_support.ts';

/** A driver that fails for ports of this name, and a row that refuses to be written. */
const BROKEN = 'broken';

describe.each(['driver', 'row'])('a broken %s', (what) => {
  const { log, lines } = recordingLog();
  let world: World;
  let network: Thing;
  beforeAll(async () => {
    const fails = ({ current }: MechanismContext) => {
      if (what === 'driver' && current['name'] === BROKEN) throw new Error('secret of the driver');
    };
    const drivers = [
      openvswitchMechanismDriver(configOf()),
      l2populationMechanismDriver(),
      { name: 'failing', update_port_precommit: fails },
    ];
    world = await World.start({}, drivers, log);
    if (what === 'row') {
      await world.database.sql.unsafe(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'secret of the row'; end $$;
        create trigger refuse before update of status on ports for each row when (old.name = '${BROKEN}')
        execute function refuse()`);
    }
    await putAgent(world.database, 'host1');
    ({ network } = await world.lan());
  });
  afterAll(() => world.stop());

  const call = async (method: string, args: object): Promise<Anything> => {
    const endpoints = endpointsByTopic(world.plugin.rpcListeners?.() ?? []).get('q-plugin') ?? [];
    return await dispatch(endpoints, 'host1', { method, args: args as never, version: '1.0', context: {} });
  };
  const statuses = async (ids: readonly string[]) => {
    const rows = await world.database.sql<{ id: string; status: string }[]>`
      select id, status from ports where id = any(${ids as string[]}::uuid[])`;
    const byId = new Map(rows.map(({ id, status }) => [id, status]));
    return ids.map((id) => byId.get(id));
  };
  let ids: string[];
  beforeEach(async () => {
    ids = [];
    for (const name of ['a', 'b', BROKEN, 'c', 'd']) {
      const body = { network_id: network.id, name, device_owner: 'compute:nova', 'binding:host_id': 'host1' };
      // Binding is an update of the port, which fails for the broken one, too: it is there already when it breaks.
      ids.push((await world.create('port', { ...body, name: 'fine' })).id);
      await world.database.sql`update ports set name = ${name} where id = ${ids.at(-1)!}`;
    }
    lines.length = 0;
  });
  const broken = () => ids[2]!;
  const others = () => ids.filter((id) => id !== broken());

  it('leaves the other devices of a list up', async () => {
    const answer = await call('update_device_list', { devices_up: [...ids, 'nobody'], devices_down: [] });
    expect(answer).toEqual({
      devices_up: [...others(), 'nobody'],
      failed_devices_up: [broken()],
      devices_down: [],
      failed_devices_down: [],
    });
    expect(await statuses(ids)).toEqual(['ACTIVE', 'ACTIVE', 'DOWN', 'ACTIVE', 'ACTIVE']);
    const errors = lines.filter((line: Anything) => JSON.stringify(line).includes('their agent tries again'));
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).toContain(broken());
  });

  it('leaves the other devices of a list down', async () => {
    await world.database.sql`update ports set name = 'fine' where id = any(${ids}::uuid[])`;
    await world.database.sql`update ports set status = 'ACTIVE' where id = any(${ids}::uuid[])`;
    await world.database.sql`update ports set name = ${BROKEN} where id = ${broken()}`;
    const answer = await call('update_device_list', { devices_up: [], devices_down: [...ids, 'nobody'] });
    expect(answer).toEqual({
      devices_up: [],
      failed_devices_up: [],
      devices_down: [...others().map((device) => ({ device, exists: true })), { device: 'nobody', exists: false }],
      failed_devices_down: [broken()],
    });
    expect(await statuses(ids)).toEqual(['DOWN', 'DOWN', 'ACTIVE', 'DOWN', 'DOWN']);
  });

  it('leaves the details of the other devices of a list', async () => {
    const answer = await call('get_devices_details_list_and_failed_devices', { devices: [...ids, 'nobody'] });
    expect(answer.failed_devices).toEqual([broken()]);
    expect(answer.devices.map(({ device, port_id }: Anything) => port_id ?? { device })).toEqual([
      ...others(),
      { device: 'nobody' },
    ]);
    expect(await statuses(ids)).toEqual(['BUILD', 'BUILD', 'DOWN', 'BUILD', 'BUILD']);
  });

  it('fails for the one caller of many at once that asks for it, and tells him nothing of the cause', async () => {
    for (const method of ['get_device_details', 'update_device_up', 'update_device_down']) {
      await world.database.sql`update ports set status = 'ACTIVE' where name <> ${BROKEN} and id = any(${ids}::uuid[])`;
      const outcomes = await Promise.allSettled(ids.map((device) => call(method, { device })));
      const failed = outcomes.map(({ status }) => status === 'rejected');
      // A port that is DOWN already is not written.
      expect(failed, method).toEqual([false, false, method !== 'update_device_down', false, false]);
    }
  });
});

describe('many hosts', () => {
  it('that report at once are written together', async () => {
    const cloud = await Cloud.start('agents_many', { quotas: { quota_port: -1 } });
    try {
      const hosts = Array.from({ length: 200 }, (_, n) => `host${n}`);
      for (const [n, host] of hosts.entries()) await cloud.agent(host, { tunneling_ip: `192.0.2.${n}` });
      const lan = await cloud.lan('10.0.0.0/20');
      const ports = hosts.map((host) => ({
        network_id: lan.id,
        device_owner: 'compute:nova',
        'binding:host_id': host,
      }));
      const { body } = await cloud.stack.call('POST', '/v2.0/ports', { body: { ports } });
      const ids: string[] = body.ports.map(({ id }: { id: string }) => id);
      const statements = async (method: string) => {
        const before = cloud.stack.counted('nucleon_sql_statements_total');
        await Promise.all(hosts.map((host, n) => cloud.call(host, method, { device: ids[n] })));
        return cloud.stack.counted('nucleon_sql_statements_total') - before;
      };
      // By each alone it would be 12 or 7 for each.
      expect(await statements('update_device_up')).toBeLessThan(130);
      const [{ active } = { active: 0 }] = await cloud.sql<{ active: number }[]>`
        select count(*)::int as active from ports where status = 'ACTIVE'`;
      expect(active).toBe(200);
      expect(await statements('update_device_up')).toBeLessThan(60);
      expect(await statements('update_device_down')).toBeLessThan(80);
    } finally {
      await cloud.stop();
    }
  });
});

describe('what an agent says of itself', () => {
  let world: AgentWorld;
  let alice: Side;
  beforeAll(async () => {
    world = await AgentWorld.start('agents_of_themselves');
    alice = await world.furnish(1, 'alice');
    await world.furnish(2, 'mallory');
  });
  afterAll(() => world.stop());

  const MEMBERS = [
    ...['tunneling_ip', 'tunnel_types', 'bridge_mappings', 'l2_population', 'l2pop_network_types', 'datapath_type'],
    ...[
      'ovs_capabilities',
      'ovs_hybrid_plug',
      'integration_bridge',
      'vhostuser_socket_dir',
      'networks',
      'device_mappings',
    ],
    ...['interface_mappings', 'resource_provider_bandwidths', 'baremetal_smartnic'],
  ];
  const NONSENSE = [
    null,
    0,
    -1,
    1e308,
    true,
    '',
    'x'.repeat(2000),
    [],
    [[]],
    [null],
    {},
    { a: { b: [1] } },
    '::',
    '__proto__',
  ];

  it('disturbs neither the scheduling nor the binding nor the messages of others', async () => {
    const report = methodsOf(world.stack).find(({ name }) => name === 'q-reports-plugin report_state')!;
    const usual = EXAMPLES['q-reports-plugin report_state']!({ ...alice, host: 'host-of-mallory' })[0] as Anything;
    const shared = await world.stack.create('network', { shared: true, availability_zone_hints: [] });
    await world.stack.create('subnet', { network_id: shared.id, cidr: '10.80.0.0/20', ip_version: 4 });
    const mallory = { network_id: shared.id, 'binding:host_id': 'host-of-mallory', device_owner: 'compute:nova' };
    for (const nonsense of NONSENSE) {
      for (const agent_type of ['Open vSwitch agent', 'DHCP agent', 'NIC Switch agent']) {
        const configurations = Object.fromEntries(MEMBERS.map((name) => [name, nonsense]));
        const state = { ...usual.agent_state.agent_state, agent_type, configurations, start_flag: true };
        const { result } = await world.ask('host-of-mallory', report, {
          ...usual,
          agent_state: { agent_state: state },
        });
        expect(result).toMatch(/^(new|alive)$/);
      }
      // Bound to it or not: the request is answered.
      const theirs = await world.stack.call('POST', '/v2.0/ports', { body: { port: mallory } });
      expect(theirs.status, theirs.text).toBe(201);
      const port = await world.stack.create('port', { ...mallory, 'binding:host_id': alice.host });
      expect(port['binding:vif_type']).toBe('ovs');
      await world.sql`delete from port_provisioning_blocks where entity = 'DHCP'`;
      const up = methodsOf(world.stack).find(({ name }) => name === 'q-plugin update_device_up')!;
      await world.ask(alice.host, up, { device: port.id, agent_restarted: true });
      await world.ask('host-of-mallory', up, { device: theirs.body.port.id, agent_restarted: true });
      const lan = await world.stack.create('network', {});
      await world.stack.create('subnet', { network_id: lan.id, cidr: '10.90.0.0/24', ip_version: 4 });
      const rows = await world.sql<OutboxRow[]>`
        delete from outbox returning id, key, host, topic, payload, recipients, reads, object_id`;
      const complaints: unknown[] = [];
      const log = { ...silentLogger, error: (...said: unknown[]) => void complaints.push(said) };
      await renderRows(world.sql, rows, sourcesOf(world.stack.plugins), log);
      expect(complaints, JSON.stringify(nonsense)).toEqual([]);
      expect(world.stack.errors).toEqual([]);
    }
    const { status } = await world.stack.call('GET', '/v2.0/agents');
    expect(status).toBe(200);
  });
});
