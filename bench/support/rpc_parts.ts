/** The parts of the RPC benchmark, in the order they are run in. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '#src/db/mod.ts';
import { adminContext } from '#src/lib/context.ts';
import type { MessageNotification } from '#src/lib/rpc.ts';
import { createOutbox } from '#src/outbox/mod.ts';
import type { AgentConnection } from '#src/rpc/mod.ts';
import { routers } from './router_parts.ts';
import { base, type RpcBench, report } from './rpc_scene.ts';

type Part = (bench: RpcBench) => Promise<void>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pick = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Round trips of a method that does nothing; then reports, answered after their commit: an agent's heartbeat is fresh by then. */
const reports: Part = async (bench) => {
  const agents = await bench.agents(8);
  const alive = ({ client }: AgentConnection) => client.call('q-plugin', 'has_alive_neutron_server', {});
  for (const clients of [1, 256]) {
    await bench.measure({ name: 'calls that do nothing', clients, work: (n) => alive(pick(agents, n)) });
  }
  // Thousands of agents, by their types: each has a row of its own.
  const configurations = { tunnel_types: ['vxlan'], devices: 7, padding: 'x'.repeat(400) };
  for (const qos of [0, 1] as const) {
    const work = (n: number) => report(pick(agents, n), `agent ${n % 500}`, configurations, qos);
    await bench.measure({ name: `state reports of 4,000 agents, QoS ${qos}`, clients: 1000, work });
  }
  await bench.cluster.sql`delete from agents where agent_type like 'agent %'`;
};

const DEVICES = 5000;
const BULK = 50;

/** Details of ports of one host: at first look (the server notes that they are being wired), again, and reported up. */
const devices: Part = async (bench) => {
  const [agent] = await bench.agents(1);
  const network_id = await createNetwork(bench);
  const ports: string[] = [];
  while (ports.length < DEVICES) {
    const port = { network_id, 'binding:host_id': agent!.client.host, device_owner: 'compute:bench' };
    const body = { ports: Array.from({ length: BULK }, () => port) };
    const { ports: created } = await bench.client.json('POST', '/v2.0/ports', body);
    ports.push(...created.map(({ id }: { id: string }) => id));
  }
  const ask = (method: string, args: Readonly<Record<string, unknown>>) =>
    agent!.client.call('q-plugin', method, { agent_id: 'bench', host: agent!.client.host, ...args } as never, {
      version: '1.3',
    });
  const one = (n: number) => ask('get_device_details', { device: pick(ports, n) });
  const half = DEVICES / 2;
  await bench.measure({
    name: 'device details at first look, one by one',
    clients: 8,
    times: half,
    seconds: 60,
    work: one,
  });
  const fifty = (offset: number) => (n: number) => {
    const from = (offset + n * BULK) % DEVICES;
    return ask('get_devices_details_list', { devices: ports.slice(from, from + BULK) });
  };
  const plan = { clients: 8, each: BULK };
  await bench.measure({
    ...plan,
    name: 'device details at first look, in fifties',
    times: half / BULK,
    seconds: 60,
    work: fifty(half),
  });
  await bench.measure({ ...plan, name: 'device details in fifties', work: fifty(0) });
  await bench.measure({ name: 'device details one by one', clients: 8, work: one });
  const up = (n: number) => ask('update_device_up', { device: pick(ports, n) });
  const upInFifties = (n: number) => {
    const from = half + n * BULK;
    return ask('update_device_list', { devices_up: ports.slice(from, from + BULK), devices_down: [] });
  };
  await bench.measure({ name: 'devices up, one by one', clients: 8, times: half, seconds: 60, work: up });
  await bench.measure({ ...plan, name: 'devices up, in fifties', times: half / BULK, seconds: 60, work: upInFifties });
};

/** From the request that creates a port to the port that reads ACTIVE, by an agent that does not have to touch a network. */
const active: Part = async (bench) => {
  const agents = await startSimulated(bench, ['--host', 'wired-1', '--roles', 'l2']);
  const network_id = await createNetwork(bench);
  const port = { network_id, 'binding:host_id': 'wired-1', device_owner: 'compute:bench' };
  const work = async () => {
    const { port: made } = await bench.client.json('POST', '/v2.0/ports', { port });
    for (const end = performance.now() + 10_000; performance.now() < end; await pause(4)) {
      const { port: seen } = await bench.client.json('GET', `/v2.0/ports/${made.id}?fields=status`);
      if (seen.status === 'ACTIVE') return;
    }
    throw new Error(`port ${made.id} does not become ACTIVE`);
  };
  for (const clients of [1, 4]) await bench.measure({ name: 'port from create to ACTIVE', clients, work });
  await agents.stop();
};

/** Kinds of notifications: to one host as it was written, to ten named ones, and with what the relay finds and reads. */
const KINDS: Readonly<Record<string, (port: string, network: string) => Partial<MessageNotification>>> = {
  'to one host': () => ({ to: { host: 'bench-0' } }),
  'to ten hosts': () => ({ to: { hosts: Array.from({ length: 10 }, (_, n) => `bench-${n}`) } }),
  'to ten hosts found, with a port read': (port, network) => ({
    to: { audience: 'network', of: [network] },
    reads: { port: { reader: 'port', id: port } },
  }),
};

/** From the commit to the agents. */
const notifications: Part = async (bench) => {
  const agents = await bench.agents(10);
  const network_id = await createNetwork(bench);
  const ports: string[] = [];
  for (const { client } of agents) {
    const port = { network_id, 'binding:host_id': client.host, device_owner: 'compute:bench' };
    ports.push((await bench.client.json('POST', '/v2.0/ports', { port })).port.id);
  }
  const db = openDatabase({ ...base, url: bench.cluster.postgres, applicationName: 'bench writer', poolSize: 8 });
  const outbox = createOutbox();
  const latencies: number[] = [];
  let heard = 0;
  for (const { client } of agents) {
    await client.subscribe('bench', ({ args }) => {
      heard += 1;
      latencies.push(performance.now() - Number(args['at']));
    });
  }
  const until = async (count: number) => {
    for (const end = performance.now() + 60_000; heard < count && performance.now() < end; ) await pause(2);
    if (heard < count) throw new Error(`${heard} messages of ${count} were heard`);
  };
  for (const [kind, extra] of Object.entries(KINDS)) {
    const hosts = kind === 'to one host' ? 1 : agents.length;
    // The time is taken as late as a writer can; what follows it is the insert and the commit.
    const commit = (count: number, first = 0) =>
      db.transaction({ label: 'bench' }, (tx) =>
        outbox.add(
          tx,
          adminContext(),
          Array.from({ length: count }, (_, n) => ({
            to: { host: 'bench-0' },
            topic: 'bench',
            method: 'port_update',
            args: { at: performance.now(), text: 'x'.repeat(400) },
            version: '1.0',
            key: `port:${first + n}`,
            ...extra(pick(ports, first + n), network_id),
          })),
        ),
      );
    heard = 0;
    latencies.length = 0;
    const slow = bench.seconds * 100;
    for (let n = 0; n < slow; n += 1) {
      const next = performance.now() + 10;
      void commit(1, n);
      await pause(Math.max(0, next - performance.now()));
    }
    await until(slow * hosts);
    latencies.sort((a, b) => a - b);
    const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
    console.log(`  100/s ${kind}: insert to agent, with the commit: p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`);

    heard = 0;
    const total = Math.ceil((bench.seconds * 4000) / hosts / 5) * 5;
    const started = performance.now();
    await bench.measure({
      name: `notifications ${kind}, five in a transaction`,
      clients: 8,
      each: 5,
      times: total / 5,
      seconds: 60,
      work: async (n) => {
        await commit(5, n * 5);
        if (n === total / 5 - 1) await until(total * hosts);
      },
    });
    await until(total * hosts);
    const each = total / ((performance.now() - started) / 1000);
    console.log(
      `  ${kind}, until the agents have them: ${each.toFixed(0)} notifications/s, ${(each * hosts).toFixed(0)} messages/s`,
    );
  }
  await db.stop();
};

/** The API alone, and beside thousands of agents that report themselves. */
const crowd: Part = async (bench) => {
  const network_id = await createNetwork(bench);
  const { port } = await bench.client.json('POST', '/v2.0/ports', { port: { network_id } });
  const work = (n: number) =>
    n % 10 === 0
      ? bench.client.send('POST', '/v2.0/ports', { port: { network_id } })
      : bench.client.send('GET', `/v2.0/ports/${port.id}`);
  // Compiled before it is measured.
  await bench.measure({ name: 'API, nine shows and a create: warming', clients: 4, work });
  const idle = await bench.measure({ name: 'API alone', clients: 4, work });
  const agents = await startSimulated(bench, ['--host', 'crowd', '--count', String(bench.simulated), '--roles', 'l2']);
  await pause(30_000);
  const busy = await bench.measure({ name: `API beside ${bench.simulated} agents`, clients: 4, work });
  console.log(`  p95 beside the agents, over the one alone: ${(busy.p95 / idle.p95).toFixed(2)}`);
  const [row] = await bench.cluster.sql`
    select count(*)::int as n from agents where host like 'crowd-%' and heartbeat_timestamp > now() - interval '35 seconds'`;
  console.log(`  agents with a fresh report: ${row?.['n']}`);
  await agents.stop();
};

export const PARTS: Readonly<Record<string, Part>> = { reports, notifications, devices, active, routers, crowd };

async function createNetwork({ client }: RpcBench): Promise<string> {
  const { network } = await client.json('POST', '/v2.0/networks', { network: { name: 'bench' } });
  const subnet = { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/16' };
  await client.json('POST', '/v2.0/subnets', { subnet });
  return network.id;
}

/** `nucleon agent simulated`, ready. */
async function startSimulated({ env }: RpcBench, args: readonly string[]): Promise<{ stop(): Promise<void> }> {
  const child = spawn('node', ['bin/nucleon.mjs', 'agent', 'simulated', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (/ready$/.test(line)) resolve();
    });
    void exited.then(() => reject(new Error('the simulated agents have ended')));
  });
  console.log(`  agents ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return {
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
