/**
 * How fast RPC, state reports and the outbox are: `node bin/node24.mjs bench/rpc.ts [POSTGRES_URL] [BROKER_URL]`.
 *
 * Broker (the embedded one unless a URL of an open broker is given), worker, relay and agents are processes of their own, as in
 * a deployment; the figures are from the agents' side, with the CPU time that the worker and the relay spent. POSTGRES_URL is
 * a server where a database may be made (default `NUCLEON_TEST_POSTGRES_URL`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { openDatabase } from '#src/db/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { systemClock } from '#src/lib/clock.ts';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { createOutbox, startRelay } from '#src/outbox/mod.ts';
import { createReporter } from '#src/plugins/ml2/agents/reports.ts';
import { agentEndpoint } from '#src/plugins/ml2/agents/rpc.ts';
import { connectMqtt, createRpcClient, createTopics, notificationPublisher, startRpcServer } from '#src/rpc/mod.ts';
import { openUsers, startEmbedded } from '../test/broker/embedded.ts';
import { migratedDatabase } from '../test/support/database.ts';

const base = { log: silentLogger, metrics: silentMetrics, clock: systemClock };
const topics = createTopics();
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);

const connect = (url: string, clientId: string, receiveMaximum = 1000) =>
  connectMqtt({ ...base, url, clientId: `${clientId}-${process.pid}`, clean: true, receiveMaximum });

const ROLES: Readonly<Record<string, (...args: string[]) => Promise<string>>> = {
  async broker() {
    const { port } = await startEmbedded('', { users: openUsers });
    return `mqtt://127.0.0.1:${port}`;
  },
  async worker(broker, postgres) {
    const db = openDatabase({ ...base, url: postgres!, applicationName: 'bench worker', poolSize: 4 });
    const reports = agentEndpoint({
      ...base,
      report: createReporter({ db, downTime: 75, enableNew: true }),
      changed: async () => {},
      agentObjects: async () => [],
      deleteAgent: async () => {},
      dhcpLoadType: 'networks',
      downTime: 75,
    });
    const echo = { version: '1.0', methods: { echo: async (_call: unknown, args: JsonObject) => args } };
    const listeners = [
      { topic: 'q-reports-plugin', endpoints: [reports] },
      { topic: 'bench', endpoints: [echo] },
    ];
    await startRpcServer({
      ...base,
      connection: await connect(broker!, 'worker', 4000),
      topics,
      listeners,
      concurrency: 2000,
    });
    return 'ready';
  },
  async relay(broker, postgres) {
    const connection = await connect(broker!, 'relay');
    await startRelay({ ...base, url: postgres!, publish: notificationPublisher(connection, topics) });
    return 'ready';
  },
};

class Role {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(role: string, ...args: string[]) {
    const argv = [new URL(import.meta.url).pathname, '--role', role, ...args];
    this.#child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  async said(): Promise<string> {
    return String((await this.#lines.next()).value);
  }

  /** CPU seconds so far. */
  async cpu(): Promise<number> {
    this.#child.stdin!.write('cpu\n');
    return Number(await this.said());
  }

  stop(): void {
    this.#child.stdin!.end();
  }
}

async function calls(
  broker: string,
  worker: Role,
  what: string,
  inFlight: number,
  qos: 0 | 1,
  call: Caller,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: 8 }, (_, n) => connect(broker, `agent-${n}`)));
  const clients = await Promise.all(
    connections.map((connection, n) => createRpcClient({ ...base, connection, topics, host: `host-${n}` })),
  );
  let count = 0;
  const cpuBefore = await worker.cpu();
  const end = Date.now() + SECONDS * 1000;
  const ours = process.cpuUsage();
  await Promise.all(
    Array.from({ length: inFlight }, async (_, n) => {
      while (Date.now() < end) {
        await call(clients[n % clients.length]!, n, qos);
        count++;
      }
    }),
  );
  const cpu = (await worker.cpu()) - cpuBefore;
  const own = process.cpuUsage(ours);
  const rate = Math.round(count / SECONDS);
  const micros = Math.round((cpu / count) * 1e6);
  const agents = Math.round((own.user + own.system) / count);
  await Promise.all(connections.map((connection) => connection.stop()));
  console.log(
    `${what}, QoS ${qos}, ${inFlight} in flight: ${rate}/s; CPU each: worker ${micros} µs, agents ${agents} µs`,
  );
}

type Caller = (client: Awaited<ReturnType<typeof createRpcClient>>, n: number, qos: 0 | 1) => Promise<unknown>;

const ECHO: Caller = (client, n, qos) => client.call('bench', 'echo', { n, text: 'x'.repeat(300) }, { qos });
const REPORT: Caller = (client, n, qos) => {
  const configurations = {
    bridge_mappings: { physnet1: 'br-ex' },
    tunnel_types: ['vxlan'],
    devices: n,
    padding: 'x'.repeat(400),
  };
  const agent_state = {
    agent_state: {
      agent_type: `agent ${n}`,
      binary: 'neutron-openvswitch-agent',
      host: client.host,
      topic: 'N/A',
      configurations,
    },
  };
  return client.call('q-reports-plugin', 'report_state', { agent_state, time: new Date().toISOString() }, { qos });
};

async function outboxRuns(broker: string, postgres: string, relay: Role): Promise<void> {
  const db = openDatabase({ ...base, url: postgres, applicationName: 'bench writer', poolSize: 8 });
  const outbox = createOutbox();
  const client = await createRpcClient({
    ...base,
    connection: await connect(broker, 'listener'),
    topics,
    host: 'host-0',
  });
  const latencies: number[] = [];
  let got = 0;
  await client.subscribe('bench', ({ args }) => {
    got++;
    latencies.push(performance.now() - Number(args['at']));
  });
  const commit = (messages: number) => {
    const notes = Array.from({ length: messages }, (_, n) => ({
      to: { host: 'host-0' },
      topic: 'bench',
      method: 'port_update',
      args: { at: 0, text: 'x'.repeat(800) },
      version: '1.0',
      key: `port:${n}`,
    }));
    return db.transaction({ label: 'bench' }, (tx) => {
      const at = performance.now();
      return outbox.add(
        tx,
        adminContext(),
        notes.map((note) => ({ ...note, args: { ...note.args, at } })),
      );
    });
  };

  for (let n = 0; n < SECONDS * 100; n++) {
    const next = performance.now() + 10;
    void commit(1);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  const told = SECONDS * 100;
  while (got < told) await new Promise((resolve) => setTimeout(resolve, 5));
  latencies.sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  console.log(
    `outbox at 100/s, from the insert to the agent, the commit included: median ${at(0.5)} ms, 99 % ${at(0.99)} ms`,
  );

  for (const size of [1, 5]) {
    got = 0;
    const cpuBefore = await relay.cpu();
    const total = 20_000;
    const started = performance.now();
    let left = total;
    const writers = Array.from({ length: 8 }, async () => {
      while (left > 0) {
        left -= size;
        await commit(size);
      }
    });
    await Promise.all(writers);
    const written = (performance.now() - started) / 1000;
    while (got < total) await new Promise((resolve) => setTimeout(resolve, 5));
    const seconds = (performance.now() - started) / 1000;
    const micros = Math.round((((await relay.cpu()) - cpuBefore) / total) * 1e6);
    console.log(
      `outbox, ${size} in a transaction: written ${Math.round(total / written)}/s, ` +
        `at the agent ${Math.round(total / seconds)}/s; CPU each: relay ${micros} µs`,
    );
  }
  await drained(db, commit, () => got);
  await db.stop();
}

/** What the relay alone does: a full outbox, no writers. */
async function drained(db: ReturnType<typeof openDatabase>, commit: (n: number) => Promise<void>, got: () => number) {
  const before = got();
  // One transaction, so that all are there at once.
  const total = 20_000;
  await db.sql.begin(async (tx) => {
    const outbox = createOutbox();
    for (let n = 0; n < total / 500; n++) {
      const notes = Array.from({ length: 500 }, (_, i) => ({
        to: { host: 'host-0' },
        topic: 'bench',
        method: 'port_update',
        args: { at: 0, text: 'x'.repeat(800) },
        version: '1.0',
        key: `port:${i}`,
      }));
      await outbox.add(tx as never, adminContext(), notes);
    }
  });
  await commit(1);
  const started = performance.now();
  while (got() < before + total + 1) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(`outbox, backlog of ${total}: ${Math.round(total / ((performance.now() - started) / 1000))}/s`);
}

async function main(postgres: string, given: string | undefined): Promise<void> {
  process.env['NUCLEON_TEST_POSTGRES_URL'] = postgres;
  const database = await migratedDatabase('bench_rpc');
  const roles: Role[] = [];
  const start = async (role: string, ...args: string[]) => {
    const started = new Role(role, ...args);
    roles.push(started);
    return { role: started, said: await started.said() };
  };
  try {
    const broker = given ?? (await start('broker')).said;
    const { role: worker } = await start('worker', broker, database.url);
    for (const inFlight of [1, 32, 256]) await calls(broker, worker, 'RPC calls', inFlight, 1, ECHO);
    for (const inFlight of [256, 1000]) await calls(broker, worker, 'state reports', inFlight, 0, REPORT);
    await calls(broker, worker, 'state reports', 256, 1, REPORT);
    worker.stop();
    const { role: relay } = await start('relay', broker, database.url);
    await outboxRuns(broker, database.url, relay);
  } finally {
    for (const role of roles) role.stop();
    await database.drop();
  }
  process.exit(0);
}

if (process.argv[2] === '--role') {
  const [, , , role, ...args] = process.argv;
  console.log(await ROLES[role!]!(...args));
  for await (const _line of createInterface(process.stdin)) {
    const { user, system } = process.cpuUsage();
    console.log(String((user + system) / 1e6));
  }
  // The parent is done, or gone.
  process.exit(0);
} else {
  const postgres = process.argv[2] ?? process.env['NUCLEON_TEST_POSTGRES_URL'];
  if (postgres === undefined) throw new Error('give the URL of a PostgreSQL server');
  await main(postgres, process.argv[3]);
}
