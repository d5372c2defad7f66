/** Processes of a whole server killed (-9) while it works: nothing that was committed stays untold, no call unanswered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectAgent, createTopics } from '#src/rpc/mod.ts';
import { until } from '../support/nucleon.ts';
import { Cluster, type Title } from './support/cluster.ts';
import { type Hearing, hear } from './support/hearing.ts';
import { createAgent, createNetwork, expectTold, startTraffic, type Traffic } from './support/traffic.ts';

const HOST = 'compute-1';
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('a server whose processes are killed', () => {
  let cluster: Cluster;
  let hearing: Hearing;
  let network: string;

  beforeAll(async () => {
    cluster = await Cluster.start();
    await createAgent(cluster, HOST);
    network = await createNetwork(cluster);
    hearing = cluster.add(await hear(await cluster.login(HOST), HOST));
  });
  afterAll(() => cluster?.stop());
  beforeEach(() => cluster.whole());

  /** Traffic, with a kill at random moments. */
  async function killing(title: Title, kills: number, everyMs: number): Promise<Traffic> {
    const traffic = startTraffic(cluster, network, HOST);
    for (let n = 0; n < kills; n += 1) {
      await pause(everyMs * (0.5 + Math.random()));
      await until(`a ${title} to kill`, () => cluster.kill(title));
    }
    await until('work that is done', async () => traffic.done > 60, 40_000);
    await traffic.stop();
    return traffic;
  }

  test('API workers between commit and answer: what they committed is told', async () => {
    const traffic = await killing('api worker', 8, 500);
    expect(traffic.failed).toBeGreaterThan(0);
    expect(await expectTold(cluster, hearing)).toBeGreaterThan(10);
  });

  test('the outbox relay, also while it sends: the next one sends again what was not acknowledged', async () => {
    const traffic = await killing('outbox relay', 5, 700);
    expect(traffic.failed).toBe(0);
    expect(await expectTold(cluster, hearing)).toBeGreaterThan(10);
  });

  test('an RPC worker in the middle of a call: another answers it', async () => {
    const agent = await connectAgent({
      ...(await cluster.login(HOST)),
      host: HOST,
      binary: 'calling-agent',
      topics: createTopics(),
      clock: systemClock,
      log: silentLogger,
      metrics: silentMetrics,
    });
    try {
      const lock = await cluster.sql.reserve();
      await lock`begin`;
      await lock`lock table agents in access exclusive mode`;
      const call = agent.client.call(
        'q-plugin',
        'get_agents',
        { host: HOST },
        { version: '1.0', timeout: 2000, retries: 10 },
      );
      call.catch(() => {});
      const busy = () => cluster.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like '%rpc worker%' and wait_event_type = 'Lock'`;
      await until('a worker in the middle of the call', async () => (await busy()).length > 0);
      const before = await cluster.pids('rpc worker');
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await until('new workers', async () => {
        const now = await cluster.pids('rpc worker');
        return now.length === before.length && now.every((pid) => !before.includes(pid));
      });
      await lock`commit`;
      lock.release();
      expect(await call).toMatchObject([expect.anything()]);
    } finally {
      await agent.stop();
    }
  });

  test('PostgreSQL: requests are refused with 503 meanwhile, and then all goes on', async () => {
    const traffic = startTraffic(cluster, network, HOST);
    await pause(500);
    const since = Date.now();
    await cluster.kill('postgres');
    const statuses = new Set<number>();
    await until('the API answers again', async () => {
      const { status } = await cluster.ask('GET', 'networks?limit=1', undefined, 3000);
      statuses.add(status);
      return status === 200 && Date.now() - since > 1000;
    });
    await pause(1000);
    await traffic.stop();
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(traffic.failed).toBeGreaterThan(0);
    expect(await expectTold(cluster, hearing)).toBeGreaterThan(10);
  });

  test('everything at once', async () => {
    const traffic = startTraffic(cluster, network, HOST);
    for (const title of ['api worker', 'outbox relay', 'rpc worker', 'rpc reports worker', 'postgres'] as const) {
      await pause(200 * Math.random());
      await cluster.kill(title);
    }
    await until('the API answers again', async () => (await cluster.ask('GET', 'networks?limit=1')).status === 200);
    await pause(1000);
    await traffic.stop();
    await expectTold(cluster, hearing);
  });
});
