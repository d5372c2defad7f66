/** What the RPC suites share: brokers by kind, connections that are closed at the end, waiting for a condition. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '#src/lib/clock.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import { type Logger, silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { RpcListener } from '#src/lib/rpc.ts';
import {
  connectAgent,
  connectMqtt,
  createRpcClient,
  createTopics,
  encodeLevel,
  type MqttConnection,
  type MqttOptions,
  type RpcClient,
  startRpcServer,
} from '#src/rpc/mod.ts';
import { type BrokerKind, passwordFile, passwordOf } from '../broker/brokers.ts';

export const topics = createTopics();
export const base = { log: silentLogger, metrics: silentMetrics, clock: systemClock };

/** A broker and what was connected to it; `stop` closes all. */
export class World extends Lifetime {
  readonly url: string;

  private constructor(port: number) {
    super();
    this.url = `mqtt://127.0.0.1:${port}`;
  }

  static async start(kind: BrokerKind, hosts: readonly string[]): Promise<World> {
    const broker = await kind.start(await passwordFile(['server', ...hosts.map(encodeLevel)]));
    const world = new World(broker.port);
    world.add(broker);
    return world;
  }

  credentials(username: string) {
    return { url: this.url, username, password: passwordOf(username) };
  }

  async connect(username: string, options: Partial<MqttOptions> = {}): Promise<MqttConnection> {
    const clientId = `${username}-${crypto.randomUUID()}`;
    const connection = await connectMqtt({ ...base, ...this.credentials(username), clientId, clean: true, ...options });
    return this.add(connection);
  }

  /** A worker of the server with these listeners. */
  async server(listeners: readonly RpcListener[], log: Logger = silentLogger, options: Partial<MqttOptions> = {}) {
    const connection = await this.connect('server', options);
    return this.add(await startRpcServer({ ...base, log, connection, topics, listeners, drainMs: 5000 }));
  }

  async client(host: string): Promise<RpcClient> {
    return await createRpcClient({ ...base, connection: await this.connect(encodeLevel(host)), topics, host });
  }

  async agent(host: string, binary = 'test-agent') {
    return this.add(await connectAgent({ ...base, ...this.credentials(encodeLevel(host)), topics, host, binary }));
  }
}

type Truthy<Value> = Exclude<Value, undefined | null | false>;

/** Resolves when the check answers something true; fails after some seconds. */
export async function until<Value>(
  check: () => Value | Promise<Value>,
  what: string,
  timeout = 15_000,
): Promise<Truthy<Value>> {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await check();
    if (value) return value as Truthy<Value>;
    if (Date.now() > end) throw new Error(`it did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A script beside this file in a process of its own, and the lines it prints. */
export function child(script: string, args: readonly string[]) {
  const path = new URL(script, import.meta.url).pathname;
  const spawned = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface(spawned.stdout).on('line', (line) => lines.push(line));
  const exited = new Promise<void>((resolve) => spawned.once('exit', () => resolve()));
  return {
    lines,
    said: (line: string) => until(() => lines.includes(line), `${script} says ${line}`),
    async kill() {
      spawned.kill('SIGKILL');
      await exited;
    },
  };
}
