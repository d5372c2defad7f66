/** Agents end to end: a report from any MQTT client, through broker, worker and database, to the API's verbs; and back. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCallbacks } from '#src/callbacks/mod.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { ListQuery } from '#src/lib/api/query.ts';
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import { adminContext } from '#src/lib/context.ts';
import { type LogFields, type Logger, silentLogger } from '#src/lib/log.ts';
import type { Call, PluginHost, Resource, ResourceList } from '#src/lib/plugin.ts';
import { createOutbox, startRelay } from '#src/outbox/mod.ts';
import { type AgentApi, agentApi } from '#src/plugins/ml2/agents/mod.ts';
import { createQuota } from '#src/quota/mod.ts';
import { notificationPublisher, type RpcClient, watchPresence } from '#src/rpc/mod.ts';
import { BROKERS, passwordOf } from '../broker/brokers.ts';
import { migratedDatabase, type TestDatabase } from '../support/database.ts';
import { startProxy } from './proxy.ts';
import { base, topics, until, World } from './support.ts';

const DOWN_TIME = 75;
const HOSTS = ['host-a', 'host-b'];
const context = adminContext();

const OVS = {
  agent_type: 'Open vSwitch agent',
  binary: 'neutron-openvswitch-agent',
  topic: 'N/A',
  configurations: { tunnel_types: ['vxlan'], devices: 0 },
  resource_versions: { Port: '1.11' },
};
const DHCP = {
  agent_type: 'DHCP agent',
  binary: 'neutron-dhcp-agent',
  topic: 'dhcp_agent',
  availability_zone: 'nova',
  configurations: { networks: 3, subnets: 0, ports: 0 },
};

const query = (filters: Record<string, unknown> = {}): ListQuery => ({
  filters: Object.entries(filters).map(([attribute, value]) => ({
    attribute,
    operator: 'in',
    values: [value as string],
  })),
  sorts: [
    { attribute: 'host', direction: 'asc' },
    { attribute: 'id', direction: 'asc' },
  ],
  reverse: false,
});

describe.each(BROKERS)('agents over $name', (kind) => {
  describe.skipIf(!kind.present)('with a server', () => {
    let database: TestDatabase;
    let world: World;
    let api: AgentApi;
    const events: [string, CallbackPayload<{ host: string; agent_status?: string }>][] = [];
    const errors: [string, LogFields | undefined][] = [];
    const log: Logger = { ...silentLogger, error: (message, fields) => void errors.push([message, fields]) };

    const verb = (name: string, call: Partial<Call> = {}) => api.verbs[name]!(context, { parents: {}, ...call });
    const list = async (filters: Record<string, unknown> = {}) =>
      ((await verb('get_agents', { query: query(filters) })) as ResourceList).items;
    const report = (client: RpcClient, state: JsonObject, time = new Date().toISOString().slice(0, -1)) =>
      client.call(
        'q-reports-plugin',
        'report_state',
        { agent_state: { agent_state: { host: client.host, ...state } }, time },
        { version: '1.0' },
      );
    const age = (seconds: number) =>
      database.sql`update agents set heartbeat_timestamp = now() - make_interval(secs => ${seconds})`;

    /** Stops an agent and waits for its good-bye to be recorded, which would otherwise meet the next test. */
    const leave = async (agent: { stop(): Promise<void> }) => {
      await agent.stop();
      await until(async () => (await database.sql`select from agent_presence where alive`).length === 0, 'good-bye');
    };

    beforeAll(async () => {
      database = await migratedDatabase('agents');
      world = await World.start(kind, HOSTS);
      const callbacks = createCallbacks({ log });
      for (const event of ['after_create', 'after_update', 'after_delete'] as const) {
        callbacks.subscribe('agent', event, (payload) => {
          events.push([event, payload as CallbackPayload<{ host: string; agent_status?: string }>]);
        });
      }
      const config = configFrom(allOptions, { DEFAULT: { agent_down_time: DOWN_TIME } });
      const host: PluginHost = {
        ...base,
        log,
        config,
        db: database.db,
        callbacks,
        outbox: createOutbox(),
        quota: createQuota({ resources: [], config, db: database.db, log }),
        attributeExtensions: () => [],
        plugins: { get: () => undefined, all: () => [] },
      };
      api = agentApi(host);
      await world.server([...api.rpcListeners(), ...api.stateReportListeners()], log);
      const connection = await world.connect('server');
      const hold = { will: 20, retained: 20 };
      await watchPresence({ ...base, log, connection, topics, handlers: [api.presence()], hold });
    });
    afterAll(async () => {
      await world?.stop();
      await database?.drop();
    });
    beforeEach(async () => {
      await database.sql`truncate agents, agent_presence, outbox cascade`;
      events.length = 0;
      errors.length = 0;
    });

    test('a report of a bare MQTT client shows in the list as Neutron shows it', async () => {
      const { url, ...login } = world.credentials('host-a');
      const client = await mqtt.connectAsync(url, { ...login, protocolVersion: 5 });
      const answer = new Promise<string>((resolve) =>
        client.on('message', (_topic, payload) => resolve(String(payload))),
      );
      await client.subscribeAsync('neutron/v1/down/host-a/rep/bare');
      await client.publishAsync(
        'neutron/v1/up/host-a/req/q-reports-plugin',
        JSON.stringify({
          method: 'report_state',
          args: {
            agent_state: { agent_state: { ...DHCP, host: 'host-a', start_flag: true } },
            time: '2026-11-30T12:00:00.000000',
          },
          version: '1.4',
          context: {},
        }),
        { qos: 1, properties: { responseTopic: 'neutron/v1/down/host-a/rep/bare', correlationData: Buffer.from('7') } },
      );
      expect(JSON.parse(await answer)).toEqual({ result: 'new' });
      await client.endAsync();
      const [agent] = await list();
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      expect(agent).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        agent_type: 'DHCP agent',
        binary: 'neutron-dhcp-agent',
        topic: 'dhcp_agent',
        host: 'host-a',
        admin_state_up: true,
        created_at: time,
        started_at: time,
        heartbeat_timestamp: time,
        description: null,
        resources_synced: null,
        availability_zone: 'nova',
        alive: true,
        configurations: { networks: 3, subnets: 0, ports: 0 },
      });
      expect(await verb('get_agent', { id: String(agent!['id']) })).toEqual(agent);
    });

    test('report_state answers new, alive and revived, and tells the callbacks', async () => {
      const client = await world.client('host-a');
      expect(await report(client, { ...OVS, start_flag: true })).toBe('new');
      expect(await report(client, OVS)).toBe('alive');
      await age(DOWN_TIME + 1);
      expect((await list())[0]).toMatchObject({ alive: false });
      expect(await report(client, OVS)).toBe('revived');
      expect((await list())[0]).toMatchObject({ alive: true });
      expect(events.map(([event, { latest }]) => [event, latest?.agent_status])).toEqual([
        ['after_create', 'new'],
        ['after_update', 'revived'],
      ]);
    });

    test('a later report keeps what only the first one says, and when the agent was started', async () => {
      const client = await world.client('host-a');
      await report(client, { ...OVS, availability_zone: 'az1', start_flag: true });
      await database.sql`update agents set started_at = now() - interval '1 hour'`;
      await report(client, { ...OVS, resource_versions: null, configurations: { devices: 2 } });
      const [row] = await database.sql`select *, started_at < now() - interval '59 minutes' as old from agents`;
      expect(row).toMatchObject({ availability_zone: 'az1', old: true, resource_versions: { Port: '1.11' } });
      expect(row?.['configurations']).toEqual({ devices: 2 });
      await report(client, { ...OVS, start_flag: true });
      const [again] = await database.sql`select started_at > now() - interval '1 minute' as fresh from agents`;
      expect(again?.['fresh']).toBe(true);
    });

    test('the load of a DHCP agent is what it serves', async () => {
      const client = await world.client('host-a');
      await report(client, DHCP);
      await report(client, { ...OVS, configurations: { networks: 9 } });
      const rows = await database.sql`select agent_type, load from agents order by agent_type`;
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { agent_type: 'DHCP agent', load: 3 },
        { agent_type: 'Open vSwitch agent', load: 0 },
      ]);
    });

    test('an agent cannot report for another host, nor report nonsense', async () => {
      const client = await world.client('host-a');
      await expect(report(client, { ...OVS, host: 'host-b' })).rejects.toMatchObject({ type: 'ForeignHost' });
      await expect(report(client, { ...OVS, agent_type: 7 })).rejects.toMatchObject({
        type: 'InvalidInput',
        message: expect.stringContaining('agent_state.agent_state.agent_type'),
      });
      await expect(report(client, { ...OVS, configurations: 'x' })).rejects.toMatchObject({ type: 'InvalidInput' });
      expect(await list()).toEqual([]);
    });

    test('a text that PostgreSQL cannot keep fails its own report and no other', async () => {
      const [a, b] = [await world.client('host-a'), await world.client('host-b')];
      const results = await Promise.allSettled([
        report(a, { ...OVS, configurations: { bad: '\u0000' } }),
        report(b, OVS),
        report(a, { ...DHCP, binary: 'nul\u0000' }),
      ]);
      expect(results[1]).toEqual({ status: 'fulfilled', value: 'new' });
      for (const refused of [results[0], results[2]]) {
        expect(refused).toMatchObject({ status: 'rejected', reason: { type: 'InvalidInput' } });
      }
      expect((await list()).map(({ host }) => host)).toEqual(['host-b']);
    });

    test('a thousand reports at once are written in a few statements, each answered right', async () => {
      let statements = 0;
      const counting = new Proxy(database.db, {
        get(db, name) {
          statements += 1;
          const value = Reflect.get(db, name, db);
          return name === 'transaction' ? value.bind(db) : value;
        },
      });
      const reporter = (await import('#src/plugins/ml2/agents/reports.ts')).createReporter({
        db: counting,
        downTime: DOWN_TIME,
        enableNew: false,
      });
      const reports = Array.from({ length: 1000 }, (_, n) => ({
        ...OVS,
        host: `host-${n % 500}`,
        load: 0,
        started: n < 500,
        configurations: { n },
      }));
      const outcomes = await Promise.all(reports.map(reporter));
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['new']));
      expect(statements).toBeGreaterThan(0);
      expect(statements).toBeLessThan(10);
      const [row] = await database.sql`
        select count(*)::int as n, min((configurations->>'n')::int) as least, bool_or(admin_state_up) as up from agents`;
      expect(row).toMatchObject({ n: 500, least: 500, up: false });
    });

    test('a clock that is far off is named in the log when the agent starts', async () => {
      const client = await world.client('host-a');
      await report(client, { ...OVS, start_flag: true }, '2020-01-01T00:00:00.000000');
      await report(client, { ...OVS, start_flag: true });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject([/clock/, { host: 'host-a', agent_time: '2020-01-01T00:00:00.000000' }]);
    });

    test('a lost connection makes the agent dead at once, an older will does not', async () => {
      const client = await world.client('host-a');
      const presence = (epoch: number, alive: boolean) =>
        api.presence()({ host: 'host-a', binary: OVS.binary, epoch, alive });
      const alive = async () => (await list())[0]?.['alive'];
      await presence(5, true);
      await report(client, OVS);
      await presence(4, false);
      expect(await alive()).toBe(true);
      await presence(5, false);
      expect(await alive()).toBe(false);
      // Its retained birth, delivered once more, is no news.
      await presence(5, true);
      expect(await alive()).toBe(false);
      expect(await report(client, OVS)).toBe('revived');
      await presence(6, true);
      expect(await alive()).toBe(true);
      await Promise.all([presence(8, true), presence(7, false), presence(8, false), presence(8, true)]);
      expect(await alive()).toBe(false);
      // A report long after the will speaks for itself.
      await database.sql`update agent_presence set changed_at = now() - interval '3 seconds'`;
      expect(await report(client, OVS)).toBe('alive');
      expect(await alive()).toBe(true);
    });

    test('the presence of a connected agent comes through the broker', async () => {
      const agent = await world.agent('host-a', OVS.binary);
      await report(agent.client, OVS);
      expect((await list())[0]).toMatchObject({ alive: true });
      await leave(agent);
      expect((await list())[0]).toMatchObject({ alive: false });
      const again = await world.agent('host-a', OVS.binary);
      await until(async () => (await list())[0]?.['alive'] === true, 'its birth is recorded');
      await leave(again);
    });

    test('a birth by a name that is too long is passed over, and spoils none that comes with it', async () => {
      const [a, b] = [await world.connect('host-a'), await world.connect('host-b')];
      const birth = JSON.stringify({ epoch: 1, alive: true });
      await Promise.all([
        b.publish(topics.presence('host-b', 'x'.repeat(300)), birth, { qos: 1 }),
        a.publish(topics.presence('host-a', 'good'), birth, { qos: 1 }),
      ]);
      const born = async () => await database.sql<{ host: string }[]>`select host from agent_presence`;
      await until(async () => (await born()).length > 0, 'the birth is recorded');
      expect(errors).toEqual([]);
      expect(await born()).toEqual([{ host: 'host-a' }]);
    });

    test('lists filter and sort', async () => {
      const [a, b] = [await world.client('host-a'), await world.client('host-b')];
      await Promise.all([report(a, OVS), report(a, DHCP), report(b, DHCP)]);
      await database.sql`update agents set heartbeat_timestamp = now() - interval '1 hour' where host = 'host-b'`;
      const hosts = async (filters: Record<string, unknown>) => (await list(filters)).map(({ host }) => host);
      expect(await hosts({ agent_type: 'DHCP agent' })).toEqual(['host-a', 'host-b']);
      expect(await hosts({ agent_type: 'DHCP Agent' })).toEqual(['host-a', 'host-b']);
      expect(await hosts({ alive: 'False' })).toEqual(['host-b']);
      expect(await hosts({ alive: true, agent_type: 'DHCP agent' })).toEqual(['host-a']);
      expect(await hosts({ alive: 'maybe' })).toEqual([]);
      expect(await hosts({ admin_state_up: false })).toEqual([]);
      expect(await hosts({ availability_zone: 'nova' })).toEqual(['host-a', 'host-b']);
      const sorted = query();
      const page = { ...sorted, limit: 2, sorts: [{ attribute: 'alive', direction: 'asc' as const }, ...sorted.sorts] };
      const first = (await verb('get_agents', { query: page })) as ResourceList;
      expect(first).toMatchObject({ more: true, items: [{ host: 'host-b' }, { host: 'host-a' }] });
      const marker = String(first.items[1]?.['id']);
      const second = (await verb('get_agents', { query: { ...page, marker } })) as ResourceList;
      expect(second).toMatchObject({ more: false, items: [{ host: 'host-a' }] });
    });

    test('update_agent changes what it may and tells the agent when it is disabled', async () => {
      const agent = await world.agent('host-a', DHCP.binary);
      const told: JsonObject[] = [];
      await agent.client.subscribe('dhcp_agent', ({ method, args }) => void told.push({ method, args }));
      const publish = notificationPublisher(await world.connect('server'), topics);
      const relay = await startRelay({ ...base, url: database.url, publish });
      try {
        await report(agent.client, DHCP);
        const id = String((await list())[0]?.['id']);
        const update = (body: Resource) => verb('update_agent', { id, body }) as Promise<Resource>;
        expect(await update({ description: 'd' })).toMatchObject({ description: 'd', admin_state_up: true });
        expect(await update({ admin_state_up: true })).toMatchObject({ description: 'd' });
        expect(await update({ admin_state_up: false })).toMatchObject({ admin_state_up: false });
        expect(await update({ description: null })).toMatchObject({ description: null, admin_state_up: false });
        await until(() => told.length > 0, 'the agent is told');
        expect(told).toEqual([{ method: 'agent_updated', args: { payload: { admin_state_up: false } } }]);
      } finally {
        await relay.stop();
        await leave(agent);
      }
    });

    test('what does not exist is an AgentNotFound', async () => {
      for (const id of [crypto.randomUUID(), 'no-uuid']) {
        for (const name of ['get_agent', 'update_agent', 'delete_agent']) {
          await expect(verb(name, { id, body: {} }), name).rejects.toMatchObject({
            type: 'AgentNotFound',
            message: `Agent ${id} could not be found.`,
          });
        }
      }
    });

    test('delete_agent by API or by the agent itself removes it; the next report makes it new', async () => {
      const client = await world.client('host-a');
      await report(client, OVS);
      await verb('delete_agent', { id: String((await list())[0]?.['id']) });
      expect(await report(client, OVS)).toBe('new');
      const args = { host: 'host-a', agent_type: OVS.agent_type };
      await client.call('q-plugin', 'delete_agent', args, { version: '1.3' });
      // Redelivered, it gives the same answer.
      await client.call('q-plugin', 'delete_agent', args, { version: '1.3' });
      expect(await list()).toEqual([]);
      const foreign = client.call('q-plugin', 'delete_agent', { ...args, host: 'host-b' });
      await expect(foreign).rejects.toMatchObject({ type: 'ForeignHost' });
      expect(events.filter(([event]) => event === 'after_delete')).toHaveLength(2);
    });

    test('get_agents and has_alive_neutron_server answer on q-plugin', async () => {
      const client = await world.client('host-a');
      await report(client, OVS);
      expect(await client.call('q-plugin', 'has_alive_neutron_server', {})).toBe(true);
      expect(await client.call('q-plugin', 'get_agents', { host: 'host-a' })).toEqual([
        {
          'versioned_object.name': 'Agent',
          'versioned_object.namespace': 'versionedobjects',
          'versioned_object.version': '1.1',
          'versioned_object.data': expect.objectContaining({ host: 'host-a', agent_type: OVS.agent_type, load: 0 }),
        },
      ]);
      expect(await client.call('q-plugin', 'get_agents', { is_active: false })).toEqual([]);
    });

    test('availability zones are those of DHCP and L3 agents', async () => {
      const [a, b] = [await world.client('host-a'), await world.client('host-b')];
      const l3 = { ...DHCP, agent_type: 'L3 agent', binary: 'neutron-l3-agent', topic: 'l3_agent' };
      await Promise.all([
        report(a, DHCP),
        report(b, { ...DHCP, availability_zone: 'az2' }),
        report(a, l3),
        report(b, { ...OVS, availability_zone: 'az3' }),
      ]);
      await database.sql`update agents set admin_state_up = false where availability_zone = 'az2'`;
      const { items } = (await verb('get_availability_zones', { query: query() })) as ResourceList;
      expect(items).toEqual([
        { name: 'az2', resource: 'network', state: 'unavailable' },
        { name: 'nova', resource: 'network', state: 'available' },
        { name: 'nova', resource: 'router', state: 'available' },
      ]);
      const filtered = await verb('get_availability_zones', { query: query({ resource: 'router' }) });
      expect(filtered).toMatchObject({ items: [{ resource: 'router' }] });
    });

    test('the liveness worker names the dead', async () => {
      const warnings: LogFields[] = [];
      const warn = (_message: string, fields: LogFields = {}) => void warnings.push(fields);
      const { livenessWorker } = await import('#src/plugins/ml2/agents/liveness.ts');
      const watch = livenessWorker({ ...base, log: { ...silentLogger, warn }, db: database.db, downTime: DOWN_TIME });
      await Promise.all([report(await world.client('host-a'), OVS), report(await world.client('host-b'), OVS)]);
      await database.sql`update agents set heartbeat_timestamp = now() - interval '1 hour' where host = 'host-b'`;
      await (await watch.start()).stop();
      expect(warnings).toMatchObject([{ dead: 1, total: 2, agents: [{ host: 'host-b' }] }]);
    });

    test('notifications of the time without a broker wait in the outbox, and arrive in order', async () => {
      const proxy = await startProxy(Number(new URL(world.url).port));
      const connection = await world.connect('server', { url: `mqtt://127.0.0.1:${proxy.port}` });
      const relay = await startRelay({
        ...base,
        url: database.url,
        publish: notificationPublisher(connection, topics),
      });
      try {
        const client = await world.client('host-a');
        const got: number[] = [];
        await client.subscribe('test', ({ args }) => void got.push(Number(args['n'])));
        const outbox = createOutbox();
        const say = (n: number) =>
          database.db.transaction({ label: 'test' }, (tx) =>
            outbox.add(tx, context, [
              { to: { host: 'host-a' }, topic: 'test', method: 'say', args: { n }, version: '1.0', key: 'k' },
            ]),
          );
        await say(0);
        await until(() => got.length === 1, 'the first arrives');
        proxy.cut();
        await until(() => !connection.connected, 'the connection is lost');
        for (let n = 1; n <= 30; n++) await say(n);
        const [row] = await database.sql`select count(*)::int as n from outbox`;
        expect(row?.['n']).toBe(30);
        proxy.mend();
        await until(() => new Set(got).size === 31, 'the rest arrives');
        expect([...new Set(got)]).toEqual(Array.from({ length: 31 }, (_, n) => n));
      } finally {
        await relay.stop();
        await connection.stop();
        await proxy.stop();
      }
    });

    const tools = spawnSync('mosquitto_rr', ['--help']).error === undefined;
    test.skipIf(!tools && process.env['NUCLEON_TEST_MOSQUITTO'] !== 'required')(
      'the example of docs/agent_protocol.md works as it stands there',
      async () => {
        const page = await readFile(new URL('../../docs/agent_protocol.md', import.meta.url), 'utf8');
        const example = /```sh\n(# a state report[\s\S]*?)```/.exec(page)?.[1];
        const { spawn } = await import('node:child_process');
        const env = {
          ...process.env,
          HOST: 'host-a',
          BROKER: '127.0.0.1',
          PORT: new URL(world.url).port,
          PASSWORD: passwordOf('host-a'),
        };
        const run = spawn('sh', ['-euc', example!], { env, stdio: ['ignore', 'pipe', 'pipe'] });
        let said = '';
        for (const stream of [run.stdout, run.stderr]) stream.on('data', (text) => (said += text));
        const code = await new Promise((resolve) => run.once('exit', resolve));
        expect({ code, said: said.trim() }).toEqual({ code: 0, said: '{"result":"new"}' });
        expect(await list()).toMatchObject([{ host: 'host-a', alive: true }]);
      },
    );
  });
});
