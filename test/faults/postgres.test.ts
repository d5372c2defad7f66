/** A PostgreSQL of one's own killed (-9), away for a while and started again below a server that goes on running. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '#src/lib/log.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { type EmbeddedPostgres, preparePostgres } from '#src/server/embedded/postgres.ts';
import type { Launched } from '#src/server/supervisor/launched.ts';
import { freePort, until } from '../support/nucleon.ts';
import { Cluster } from './support/cluster.ts';
import { type Hearing, hear } from './support/hearing.ts';
import { createAgent, createNetwork, expectTold, startTraffic } from './support/traffic.ts';

const HOST = 'compute-1';
const AWAY_MS = 3000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let folder: string;
let postgres: EmbeddedPostgres;
let running: Launched;
let cluster: Cluster;
let hearing: Hearing;
let network: string;

async function launch(): Promise<void> {
  running = await postgres.launch();
  await running.ready;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nucleon-postgres-'));
  postgres = await preparePostgres({
    runtime: nodeRuntime(import.meta.filename),
    folder: join(folder, 'postgres'),
    port: await freePort(),
    maxConnections: 100,
    log: silentLogger,
  });
  await launch();
  cluster = await Cluster.start({ postgres: postgres.url });
  await createAgent(cluster, HOST);
  network = await createNetwork(cluster);
  hearing = cluster.add(await hear(await cluster.login(HOST), HOST));
});
afterAll(async () => {
  await cluster?.stop();
  running?.stop();
  await running?.exited;
  await rm(folder, { recursive: true, force: true });
});

test('requests are refused with 503 while it is away, and everything goes on when it is back', async () => {
  const traffic = startTraffic(cluster, network, HOST);
  await pause(500);
  process.kill(running.pid, 'SIGKILL');
  await running.exited;
  const end = Date.now() + AWAY_MS;
  const statuses = new Set<number>();
  while (Date.now() < end) {
    statuses.add((await cluster.ask('GET', 'networks?limit=1', undefined, 15_000)).status);
    await pause(50);
  }
  expect([...statuses]).toEqual([503]);
  await launch();
  await until(
    'the API answers',
    async () => (await cluster.ask('GET', 'networks?limit=1', undefined, 15_000)).status === 200,
  );
  const before = traffic.done;
  await until('work goes on', async () => traffic.done > before + 60);
  await traffic.stop();
  expect(await expectTold(cluster, hearing)).toBeGreaterThan(10);
  // None of the processes had to be started again.
  expect(cluster.output()).not.toMatch(/process died and is started again/);
}, 120_000);
