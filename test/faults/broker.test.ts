/**
 * The broker killed (-9) and away, with both brokers: the API goes on, what it committed waits, and is sent when the broker is
 * back. What the broker had taken and not handed on dies with it; whoever it was for learns that from a session that is
 * not there any more, and asks. Agents of the dead broker are not dead.
 *
 * NUCLEON_FAULTS_AWAY=300 makes the absence that many seconds long; what was measured is printed.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inParallel } from '#src/agent/sdk/mod.ts';
import { startSimulatedHost } from '#src/agent/simulated/mod.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { connectMqtt, createTopics, encodeLevel } from '#src/rpc/mod.ts';
import { BROKERS } from '../broker/brokers.ts';
import { until } from '../support/nucleon.ts';
import { BrokerProcess } from './support/brokers.ts';
import { Cluster } from './support/cluster.ts';
import { type Hearing, hear } from './support/hearing.ts';
import { createAgent, createNetwork, expectTold, startTraffic } from './support/traffic.ts';

const HOST = 'compute-1';
/** Agents that report themselves, on hosts of their own. */
const AGENTS = Array.from({ length: 50 }, (_, n) => `node-${n}`);
const AWAY_MS = Number(process.env['NUCLEON_FAULTS_AWAY'] ?? 3) * 1000;
const topics = createTopics();

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** MiB that a process has. */
async function memory(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Math.round(Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024);
}

describe.each(BROKERS)('$name killed', ({ name, present }) => {
  describe.skipIf(!present)('with a server', () => {
    let broker: BrokerProcess;
    let cluster: Cluster;
    let hearing: Hearing;
    let network: string;

    beforeAll(async () => {
      broker = await BrokerProcess.start(name, ['server', HOST, ...AGENTS].map(encodeLevel));
      cluster = await Cluster.start({ broker });
      await createAgent(cluster, HOST);
      network = await createNetwork(cluster);
      hearing = cluster.add(await hear(await cluster.login(HOST), HOST));
    });
    afterAll(async () => {
      await cluster?.stop();
      await broker?.stop();
    });
    beforeEach(() => cluster.whole());

    const alive = async () => {
      const { agents: found } = await cluster.must('GET', 'agents?alive=true&fields=host');
      return found.filter(({ host }: { host: string }) => host.startsWith('node-')).length;
    };

    test(
      'what is committed meanwhile is told when it is back',
      async () => {
        const traffic = startTraffic(cluster, network, HOST);
        await pause(500);
        await broker.end('SIGKILL');
        await pause(AWAY_MS);
        const waiting = Number((await cluster.sql`select count(*)::int as n from outbox`)[0]?.['n']);
        const [relay] = await cluster.pids('outbox relay');
        const before = await memory(relay);
        const done = traffic.done;
        await broker.launch();
        const back = Date.now();
        await until('the listener is back', async () => hearing.gaps.length > 1, 30_000);
        // What was told between the broker's return and this, nobody heard: an agent asks now.
        const since = Date.now() + 250;
        await until(
          'the relay sends',
          async () => {
            const [row] = await cluster.sql`select count(*)::int as n from outbox`;
            return Number(row?.['n']) < Math.max(20, waiting / 10);
          },
          120_000,
        );
        const drained = Date.now() - back;
        await pause(1000);
        await traffic.stop();
        // The API did not notice.
        expect(traffic.failed).toBe(0);
        expect(done).toBeGreaterThan(10);
        expect(waiting).toBeGreaterThan(10);
        await expectTold(cluster, hearing, { since, traffic });
        console.log(
          `${name}, away for ${AWAY_MS / 1000} s: ${done} requests, ${waiting} notifications waited and left ${drained} ms after ` +
            `the return; relay ${before} MiB, then ${await memory(relay)}; broker ${await memory(broker.pid)} MiB`,
        );
      },
      AWAY_MS + 180_000,
    );

    test('no agent is thought dead for it; all report soon, and do not ask for everything at the same moment', async () => {
      const asked: { readonly host: string; readonly at: number }[] = [];
      const monitor = await connectMqtt({
        ...(await cluster.login('server')),
        clientId: 'monitor',
        clean: true,
        log: silentLogger,
        metrics: silentMetrics,
      });
      cluster.add(monitor);
      await monitor.subscribe(`${topics.prefix}/up/+/req/+`, (message) => {
        const request = topics.parse(message.topic);
        if (request?.kind === 'request' && request.topic !== 'q-reports-plugin')
          asked.push({ host: request.host, at: Date.now() });
        message.ack();
      });
      await inParallel(AGENTS, 8, async (host) => {
        const started = await startSimulatedHost({ host, broker: await cluster.login(host), roles: ['l2'] });
        cluster.add(started);
      });
      await until('all agents', async () => (await alive()) === AGENTS.length);

      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const [row] = await cluster.sql<{ now: string }[]>`select now()::text as now`;
        asked.length = 0;
        await broker.end(signal);
        await pause(500);
        expect(await alive()).toBe(AGENTS.length);
        await broker.launch();
        const back = Date.now();
        const reported = async () => {
          const [found] = await cluster.sql<{ n: number }[]>`
            select count(*)::int as n from agents
            where host like 'node-%' and heartbeat_timestamp > ${row!.now}::text::timestamptz`;
          return found?.n === AGENTS.length;
        };
        await until('reports of all agents', reported, 60_000);
        const seconds = (Date.now() - back) / 1000;
        expect(await alive()).toBe(AGENTS.length);
        // Mosquitto keeps sessions, those that it has written by then: not everybody has to ask.
        const kept = name === 'Mosquitto';
        const askers = () => new Set(asked.map(({ host }) => host));
        // Who asks before the monitor is back is not seen.
        const nearly = Math.ceil(AGENTS.length * 0.7);
        if (!kept) await until('nearly everybody asks', async () => askers().size >= nearly, 60_000);
        await pause(1000);
        const perSecond = new Map<number, number>();
        for (const { at } of asked) {
          const second = Math.floor((at - back) / 1000);
          perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
        }
        const most = Math.max(0, ...perSecond.values());
        console.log(
          `${name} after ${signal}: ${AGENTS.length} agents had reported after ${seconds} s; ${asked.length} calls of ` +
            `${askers().size} agents in ${perSecond.size} different seconds, ${most} at most in one`,
        );
        if (!kept) {
          expect(perSecond.size).toBeGreaterThan(4);
          expect(most).toBeLessThan(asked.length / 2);
        }
      }
    }, 240_000);
  });
});
