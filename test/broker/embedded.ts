/** The embedded broker on Node's network, for tests. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Broker, type BrokerLimits, fileUsers, startBroker, type UserStore } from '#src/broker/mod.ts';
import { type Clock, systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { type Metrics, silentMetrics } from '#src/lib/metrics.ts';
import type { TlsOptions } from '#src/lib/runtime.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';

const { network, files } = nodeRuntime(import.meta.filename);

export interface EmbeddedOptions {
  readonly limits?: Partial<BrokerLimits>;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  /** Instead of a password file. */
  readonly users?: UserStore;
  readonly port?: number;
  readonly tls?: TlsOptions;
}

/** Lets everybody in, to do everything. */
export const openUsers: UserStore = {
  authenticate: async () => ({ canPublish: () => true, canSubscribe: () => true }),
};

/** Starts it on these passwords (the text of a password file). */
export async function startEmbedded(passwords: string, options: EmbeddedOptions = {}): Promise<Broker> {
  if (network === undefined || files === undefined) throw new Error('this runtime has no network');
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'nucleon-broker-'));
  const file = path.join(folder, 'passwd');
  await fs.writeFile(file, passwords);
  const clock = options.clock ?? systemClock;
  const store = { files, path: file, topicPrefix: 'neutron/v1', clock, log: silentLogger };
  const broker = await startBroker({
    network,
    host: '127.0.0.1',
    port: options.port ?? 0,
    wsPort: 0,
    users: options.users ?? (await fileUsers(store)),
    log: silentLogger,
    metrics: options.metrics ?? silentMetrics,
    clock,
    ...(options.tls !== undefined && { tls: options.tls }),
    limits: { tick: 20, ...options.limits },
  });
  return {
    ...broker,
    async stop() {
      await broker.stop();
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}
