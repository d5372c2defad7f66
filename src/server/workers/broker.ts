/** A worker's connection to the broker, from its configuration. */
import type { Config } from '#src/lib/config.ts';
import { connectMqtt, createTopics, type MqttConnection, type Topics } from '#src/rpc/mod.ts';
import type { WorkerEnvironment } from '../worker_contract.ts';

/** `[mqtt]`: connects, and waits for the broker as long as it takes: the database is the truth meanwhile. */
export async function workerBroker(
  environment: WorkerEnvironment,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly connection: MqttConnection; readonly topics: Topics }> {
  const { config, log, metrics, runtime, index } = environment;
  const optional = (option: string) => config.optionalString('mqtt', option) ?? undefined;
  const username = optional('username');
  const password = optional('password');
  const tls = await tlsOf(config, (path) => runtime.files.read(path));
  const connection = await connectMqtt({
    url: config.string('mqtt', 'url'),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls }),
    clientId: `nucleon-${name}-${index}-${crypto.randomUUID().slice(0, 8)}`,
    clean: true,
    signal,
    log,
    metrics,
  });
  return { connection, topics: createTopics(config.string('mqtt', 'topic_prefix')) };
}

async function tlsOf(config: Config, read: (path: string) => Promise<string>) {
  const file = async (option: string) => {
    const path = config.optionalString('mqtt', option);
    return path === null ? undefined : read(path);
  };
  const [ca, cert, key] = await Promise.all([file('ca_file'), file('cert_file'), file('key_file')]);
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
