/** With what agents that are run by hand log in where. The embedded broker is waited for; it may not have started yet. */
import type { Config } from '#src/lib/config.ts';
import { NeutronError } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { MqttOptions } from '#src/rpc/mod.ts';
import { brokerOptions } from '../broker_options.ts';
import { agentAccounts } from '../embedded/broker_account.ts';
import { rememberedBroker } from '../embedded/broker_address.ts';
import { attempt, StartError } from '../errors.ts';

type Broker = Pick<MqttOptions, 'url' | 'username' | 'password' | 'tls'>;

export interface AgentBrokersOptions {
  readonly runtime: Pick<ServerRuntime, 'files'>;
  readonly config: Config;
  readonly hosts: readonly string[];
  /** A file with a line `HOST:PASSWORD` for each host. */
  readonly credentials: string | undefined;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const POLL_MS = 200;
const PROBE_MS = 1000;

/** Each host's broker and account; resolves when the broker has let the first host in. */
export async function agentBrokers(options: AgentBrokersOptions): Promise<(host: string) => Broker> {
  const { runtime, config, hosts, credentials, say, signal } = options;
  const said = new Set<string>();
  const sayOnce = (line: string) => {
    if (!said.has(line)) say(line);
    said.add(line);
  };
  const external = config.optionalString('mqtt', 'url') !== null;
  if (credentials !== undefined && !external) {
    throw new StartError('--credentials is for a broker that [mqtt] url names: the embedded one makes accounts itself');
  }
  const given = external ? await externalBroker(options) : undefined;
  const folder = config.string('embedded', 'state_dir');
  for (; ; await pause(POLL_MS)) {
    signal.throwIfAborted();
    // Looked up each time: a server that starts meanwhile may choose another port.
    const brokers = given ?? (await embeddedBroker(runtime, config, hosts));
    if (brokers === undefined) {
      sayOnce(`waiting for a server on ${folder}: start one with "nucleon server", or name its broker with [mqtt] url`);
      continue;
    }
    const first = brokers(hosts[0]!);
    if (await answers(first, signal)) return brokers;
    sayOnce(`waiting for the broker at ${new URL(first.url).host}: is the server running?`);
  }
}

async function embeddedBroker(
  { files }: Pick<ServerRuntime, 'files'>,
  config: Config,
  hosts: readonly string[],
): Promise<((host: string) => Broker) | undefined> {
  const url = await rememberedBroker(files, config);
  if (url === undefined) return undefined;
  const accounts = await agentAccounts(files, config.string('embedded', 'state_dir'), hosts);
  return (host) => ({ url, ...accounts.get(host)! });
}

async function externalBroker(options: AgentBrokersOptions): Promise<(host: string) => Broker> {
  const { runtime, config, hosts, credentials } = options;
  const broker = await brokerOptions(config, runtime.files);
  if (credentials === undefined) return () => broker;
  const text = await attempt(`${credentials} cannot be read`, () => runtime.files.read(credentials));
  const passwords = new Map(
    text.split('\n').flatMap((line) => {
      const colon = line.lastIndexOf(':');
      return colon < 1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const];
    }),
  );
  const missing = hosts.find((host) => !passwords.has(host));
  if (missing !== undefined) throw new StartError(`${credentials} has no line "${missing}:PASSWORD"`);
  const { encodeLevel } = await import('#src/rpc/mod.ts');
  return (host) => ({ ...broker, username: encodeLevel(host), password: passwords.get(host)! });
}

/** Whether the broker lets us in; one that refuses the account will not change its mind. */
async function answers(broker: Broker, signal: AbortSignal): Promise<boolean> {
  const { connectMqtt } = await import('#src/rpc/mod.ts');
  try {
    const connection = await connectMqtt({
      ...broker,
      clientId: `nucleon-probe-${crypto.randomUUID().slice(0, 8)}`,
      clean: true,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
      log: silentLogger,
      metrics: silentMetrics,
    });
    await connection.stop();
    return true;
  } catch (error) {
    if (error instanceof NeutronError && error.type === 'BrokerUnavailable') return false;
    throw error;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
