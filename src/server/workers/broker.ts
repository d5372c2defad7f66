/** A worker's connection to the broker, from its configuration. */
import { connectMqtt, createTopics, type MqttConnection, type Topics } from '#src/rpc/mod.ts';
import { brokerOptions } from '../broker_options.ts';
import type { WorkerEnvironment } from '../worker_contract.ts';

/** `[mqtt]`: connects, and waits for the broker as long as it takes: the database is the truth meanwhile. */
export async function workerBroker(
  environment: WorkerEnvironment,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly connection: MqttConnection; readonly topics: Topics }> {
  const { config, log, metrics, runtime, index } = environment;
  const connection = await connectMqtt({
    ...(await brokerOptions(config, runtime.files)),
    clientId: `nucleon-${name}-${index}-${crypto.randomUUID().slice(0, 8)}`,
    clean: true,
    signal,
    log,
    metrics,
  });
  return { connection, topics: createTopics(config.string('mqtt', 'topic_prefix')) };
}
