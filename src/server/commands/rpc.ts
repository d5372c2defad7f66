/** `nucleon rpc call` */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Config } from '#src/lib/config.ts';
import { NeutronError } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { CallOptions, MqttOptions } from '#src/rpc/mod.ts';
import { brokerOptions } from '../broker_options.ts';
import { acceptConfiguration, readConfiguration } from '../configuration.ts';
import { brokerAccount } from '../embedded/broker_account.ts';
import { rememberedBroker } from '../embedded/broker_address.ts';
import { EXIT, messageOf, StartError } from '../errors.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

const DEFAULT_TIMEOUT_S = 10;
/** What was sent before a worker listened is lost: it is sent again within the time. */
const TRIES = 5;

export const rpcCallCommand: Command = {
  summary: 'call an RPC method of the server, as an agent does',
  description: `Sends one call over MQTT and prints the answer as JSON. The broker is that of [mqtt] url, or the embedded one of
a server that runs on [embedded] state_dir. With --cast nobody answers. Exit code 1 when the server answers with
a failure, or not in time.`,
  examples: [
    `nucleon rpc call q-plugin get_devices_details_list '{"devices": [], "agent_id": "ovs-agent-host1"}' --host host1`,
    `nucleon rpc call q-reports-plugin report_state '{"agent_state": {...}}' --host host1 --version 1.2`,
  ],
  options: {
    ...CONFIGURATION_OPTIONS,
    host: { value: 'HOST', help: 'the host to speak for (this machine unless told)' },
    version: { value: 'VERSION', help: 'version of the method (1.0 unless told)' },
    namespace: { value: 'NAMESPACE', help: 'namespace of the method, where it has one' },
    timeout: { value: 'SECONDS', help: `how long to wait for the answer (${DEFAULT_TIMEOUT_S} unless told)` },
    cast: { help: 'do not wait for an answer' },
  },
  positionals: ['TOPIC', 'METHOD', '[JSON]'],
  async run({ runtime }, args) {
    const [topic = '', method = '', json = '{}'] = args.positionals;
    const call = callArguments(json);
    const timeout = seconds(args.value('timeout'));
    const configuration = await readConfiguration(runtime, configurationPaths(args));
    acceptConfiguration(configuration, silentLogger);
    const { config } = configuration;
    const host = args.value('host') ?? runtime.hostname;
    const { connectMqtt, createRpcClient, createTopics } = await import('#src/rpc/mod.ts');
    const broker = await brokerOf(runtime, config);
    const connection = await connectMqtt({
      ...broker,
      clientId: `nucleon-call-${crypto.randomUUID().slice(0, 8)}`,
      clean: true,
      signal: AbortSignal.timeout(timeout),
      log: silentLogger,
      metrics: silentMetrics,
    }).catch((error: unknown) => {
      throw new StartError(`the broker ${broker.url} cannot be reached: ${messageOf(error)}`, { cause: error });
    });
    try {
      const topics = createTopics(config.string('mqtt', 'topic_prefix'));
      const client = await createRpcClient({ connection, topics, host, log: silentLogger });
      const version = args.value('version');
      const namespace = args.value('namespace');
      const options: CallOptions = {
        ...(version === undefined ? {} : { version }),
        ...(namespace === undefined ? {} : { namespace }),
        timeout: timeout / TRIES,
        retries: TRIES - 1,
      };
      if (args.has('cast')) {
        await client.cast(topic, method, call, options);
        return EXIT.ok;
      }
      runtime.processes.print(JSON.stringify(await client.call(topic, method, call, options), null, 2));
      return EXIT.ok;
    } catch (error) {
      if (error instanceof NeutronError) throw new StartError(`${error.type}: ${error.message}`, { cause: error });
      throw error;
    } finally {
      await connection.stop();
    }
  },
};

function callArguments(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new StartError(`the arguments are not JSON: ${messageOf(error)}`, { exitCode: EXIT.usage });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new StartError('the arguments must be a JSON object: names and values', { exitCode: EXIT.usage });
}

function seconds(text: string | undefined): number {
  const value = text === undefined ? DEFAULT_TIMEOUT_S : Number(text);
  if (value > 0 && value <= 3600) return value * 1000;
  throw new StartError(`--timeout takes seconds, more than 0 and at most 3600, not "${text}"`, {
    exitCode: EXIT.usage,
  });
}

async function brokerOf(
  { files }: ServerRuntime,
  config: Config,
): Promise<Pick<MqttOptions, 'url' | 'username' | 'password' | 'tls'>> {
  if (config.optionalString('mqtt', 'url') !== null) return brokerOptions(config, files);
  const folder = config.string('embedded', 'state_dir');
  const url = await rememberedBroker(files, config);
  if (url === undefined) {
    throw new StartError(`no server has run on ${folder}: start one, or name its broker with [mqtt] url`);
  }
  return { url, ...(await brokerAccount(files, folder)) };
}
