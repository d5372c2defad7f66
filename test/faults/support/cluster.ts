/** A whole server in processes of its own that are killed by kind, with what tests need to see into it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { addUser } from '#src/broker/mod.ts';
import type { Sql } from '#src/lib/database.ts';
import { Lifetime, type Stoppable } from '#src/lib/lifetime.ts';
import { encodeLevel } from '#src/rpc/mod.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { passwordOf } from '../../broker/brokers.ts';
import { children } from '../../supervisor/support/server.ts';
import { type Nucleon, startNucleon, until } from '../../support/nucleon.ts';
import type { BrokerProcess } from './brokers.ts';

export type Title = 'api worker' | 'rpc worker' | 'rpc reports worker' | 'outbox relay' | 'mqtt broker' | 'postgres';

export interface ClusterOptions {
  /** In place of the embedded one. */
  readonly broker?: BrokerProcess;
  /** In place of the embedded one: a database that may be used. */
  readonly postgres?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into by tests
  readonly body: any;
}

const ENV = {
  OS_DEFAULT__AUTH_STRATEGY: 'noauth',
  OS_DEFAULT__API_WORKERS: '2',
  OS_DEFAULT__RPC_WORKERS: '2',
  OS_DEFAULT__RPC_STATE_REPORT_WORKERS: '1',
  OS_DEFAULT__BIND_HOST: '127.0.0.1',
  OS_ML2__MECHANISM_DRIVERS: 'openvswitch,l2population',
  OS_ML2__PROJECT_NETWORK_TYPES: 'vxlan',
  OS_ML2_TYPE_VXLAN__VNI_RANGES: '1:10000',
  OS_QUOTAS__QUOTA_PORT: '-1',
};

const { files } = nodeRuntime(import.meta.filename);

/** How many processes there are of each kind that tests kill, where the server runs them. */
const WHOLE = { 'api worker': 2, 'rpc worker': 2, 'rpc reports worker': 1, 'outbox relay': 1 } as const;

export class Cluster extends Lifetime {
  readonly #server: Nucleon;
  readonly #broker: BrokerProcess | undefined;
  /** The supervisor; a wrapper that found the right Node may stand above it. */
  readonly pid: number;
  readonly sql: Sql;
  readonly mqttUrl: string;
  /** The URL of its database. */
  readonly postgres: string;

  private constructor(
    server: Nucleon,
    pid: number,
    sql: Sql,
    broker: BrokerProcess | undefined,
    mqttUrl: string,
    database: string,
  ) {
    super();
    this.#server = server;
    this.#broker = broker;
    this.pid = pid;
    this.sql = sql;
    this.mqttUrl = mqttUrl;
    this.postgres = database;
  }

  static async start({ broker, postgres: database, env = {} }: ClusterOptions = {}): Promise<Cluster> {
    const server = await startNucleon({
      patienceMs: 60_000,
      env: {
        ...ENV,
        ...(broker === undefined
          ? {}
          : { OS_MQTT__URL: broker.url, OS_MQTT__USERNAME: 'server', OS_MQTT__PASSWORD: passwordOf('server') }),
        ...(database === undefined ? {} : { OS_DATABASE__CONNECTION: database }),
        ...env,
      },
    });
    await until('all workers', async () => server.output().includes('all workers are ready'), 60_000);
    const [below] = (await children(server.pid)).filter(({ title }) => title === 'nucleon: server');
    const ports = JSON.parse(await readFile(join(server.stateDir, 'ports.json'), 'utf8').catch(() => '{}'));
    const password = async () => (await readFile(join(server.stateDir, 'postgres', 'password'), 'utf8')).trim();
    const url = database ?? `postgresql://nucleon:${await password()}@127.0.0.1:${ports.postgres_port}/nucleon`;
    const sql = postgres(url, { max: 2, onnotice: () => {} });
    const mqttUrl = broker?.url ?? `mqtt://127.0.0.1:${ports.mqtt_port}`;
    const cluster = new Cluster(server, below?.pid ?? server.pid, sql, broker, mqttUrl, url);
    cluster.onStop(() => server.stop());
    cluster.onStop(() => sql.end({ timeout: 1 }));
    return cluster;
  }

  get url(): string {
    return this.#server.url;
  }

  get stateDir(): string {
    return this.#server.stateDir;
  }

  output(): string {
    return this.#server.output();
  }

  async pids(title: Title): Promise<readonly number[]> {
    return (await children(this.pid)).filter((child) => child.title === `nucleon: ${title}`).map(({ pid }) => pid);
  }

  /** Resolves when all that died are there again, and the API answers. */
  async whole(): Promise<void> {
    await until(
      'all processes',
      async () => {
        const counts = await Promise.all(Object.keys(WHOLE).map((title) => this.pids(title as Title)));
        return counts.every((pids, index) => pids.length === Object.values(WHOLE)[index]);
      },
      60_000,
    );
    await this.must('GET', 'networks?limit=1');
  }

  /** Kills (-9) one process of the kind, picked at random; none where all are dead already. */
  async kill(title: Title): Promise<number | undefined> {
    const pids = await this.pids(title);
    const victim = pids[Math.floor(Math.random() * pids.length)];
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
    return victim;
  }

  /** Asks the API once; fails as fetch fails. */
  async ask(method: string, path: string, body?: unknown, timeout = 10_000): Promise<Answer> {
    const response = await fetch(`${this.#server.url}/v2.0/${path}`, {
      method,
      headers: { 'X-User-Id': 'u', 'X-Project-Id': 'p', 'X-Roles': 'admin', 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  /** Asks until it is answered well. */
  async must(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    let last: Answer | undefined;
    return await until(
      `${method} ${path}`,
      async () => {
        last = await this.ask(method, path, body);
        if (last.status < 300) return last.body ?? {};
        throw new Error(JSON.stringify(last));
      },
      30_000,
    );
  }

  /** What an agent of the host connects with; the embedded broker is told of it first. */
  async login(host: string): Promise<{ readonly url: string; readonly username: string; readonly password: string }> {
    const username = encodeLevel(host);
    const password = passwordOf(username);
    if (this.#broker === undefined) {
      const path = join(this.#server.stateDir, 'mqtt', 'users');
      await addUser(files!, path, { username, password, generated: true });
    }
    return { url: this.mqttUrl, username, password };
  }

  /** Resolves when everything that was committed has left the outbox. */
  async quiet(): Promise<void> {
    await until('an empty outbox', async () => (await this.sql`select 1 from outbox limit 1`).length === 0, 60_000);
  }
}

export const stopAll = async (things: readonly (Stoppable | undefined)[]): Promise<void> => {
  for (const thing of things) await thing?.stop();
};
