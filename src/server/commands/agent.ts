/** `nucleon agent simulated` */
import type { Role, SimulatedHost } from '#src/agent/simulated/mod.ts';
import type { Config } from '#src/lib/config.ts';
import { NeutronError } from '#src/lib/errors.ts';
import { Lifetime } from '#src/lib/lifetime.ts';
import { type Logger, silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import type { MqttOptions } from '#src/rpc/mod.ts';
import type { AgentMode } from '#src/services/router/contract.ts';
import { acceptConfiguration, readConfiguration } from '../configuration.ts';
import { EXIT, StartError } from '../errors.ts';
import { processLogger } from '../log.ts';
import { createShutdown } from '../supervisor/shutdown.ts';
import { agentBrokers } from './agent_brokers.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

const MAX_COUNT = 10_000;
/** Hosts that are started at once. */
const AT_ONCE = 16;
/** Said here, too, for help is written without loading the agents. */
const L3_MODES = ['legacy', 'dvr', 'dvr_snat', 'dvr_no_external'] as const satisfies readonly AgentMode[];

export const agentSimulatedCommand: Command = {
  summary: 'run agents that do all but touch a network',
  description: `Agents of a host, or of many, that report, bind, wire and serve as real ones do, without a data plane: ports become
ACTIVE, networks get DHCP ports, routers and floating IPs are served. With the configuration of a server that runs
its own broker on this machine they find it in [embedded] state_dir, each host with an account of its own; with
[mqtt] url they log in with [mqtt] username and password, or with --credentials.

It says on standard output what it does; with [DEFAULT] debug = true (OS_DEFAULT__DEBUG=true) each port, too.
SIGTERM and SIGINT end it, and the agents say good-bye; a second one ends it at once.`,
  examples: [
    'nucleon agent simulated --host compute-1',
    'nucleon agent simulated --host rack1 --count 50 --roles l2 --physical-network physnet1:br-ex',
    'nucleon agent simulated --host network-1 --l3-mode dvr_snat --physical-network physnet1:br-ex',
    'nucleon agent simulated --host network-2 --roles dhcp,l3,metadata --availability-zone east',
  ],
  options: {
    ...CONFIGURATION_OPTIONS,
    host: { value: 'HOST', help: 'the name of the host (this machine unless told)' },
    count: { value: 'N', help: 'that many hosts: HOST-1, HOST-2 ...' },
    roles: { value: 'ROLES', help: 'some of l2, dhcp, l3, metadata, with commas between (all unless told)' },
    'physical-network': {
      value: 'NETWORK:BRIDGE',
      many: true,
      help: 'a physical network that the hosts are on, and its bridge; may be repeated',
    },
    'l3-mode': { value: 'MODE', help: `what the L3 agents may do: ${L3_MODES.join(', ')} (legacy unless told)` },
    'report-interval': { value: 'SECONDS', help: 'time between state reports (30 unless told)' },
    'availability-zone': { value: 'ZONE', help: 'of the DHCP and L3 agents (nova unless told)' },
    credentials: { value: 'FILE', help: 'with [mqtt] url: lines HOST:PASSWORD, one for each host' },
  },
  positionals: [],
  async run({ runtime }, args) {
    const { processes } = runtime;
    processes.setTitle('nucleon: agents');
    const wanted = readArguments(args, runtime.hostname);
    const configuration = await readConfiguration(runtime, configurationPaths(args));
    acceptConfiguration(configuration, silentLogger);
    const { config } = configuration;
    const shutdown = createShutdown(processes);
    const stopping = new AbortController();
    const stopped = shutdown.requested.then(() => stopping.abort());
    const lifetime = new Lifetime();
    try {
      await startHosts({ runtime, config, ...wanted, signal: stopping.signal, lifetime });
      if (!stopping.signal.aborted) {
        processes.print(`${wanted.hosts.length === 1 ? 'the host is' : `${wanted.hosts.length} hosts are`} ready`);
      }
      await stopped;
    } catch (error) {
      if (!stopping.signal.aborted) {
        if (error instanceof NeutronError) throw new StartError(error.message, { cause: error });
        throw error;
      }
    } finally {
      await Promise.race([lifetime.stop(), shutdown.hurried]);
    }
    return EXIT.ok;
  },
};

interface Wanted {
  readonly hosts: readonly string[];
  readonly roles: readonly Role[] | undefined;
  readonly bridgeMappings: Readonly<Record<string, string>>;
  readonly l3Mode: AgentMode | undefined;
  readonly reportInterval: number | undefined;
  readonly availabilityZone: string | undefined;
  readonly credentials: string | undefined;
}

const ROLE_NAMES: readonly string[] = ['l2', 'dhcp', 'l3', 'metadata'] satisfies readonly Role[];

function readArguments(args: Arguments, hostname: string): Wanted {
  const host = args.value('host') ?? hostname;
  if (host === '') throw misuse('--host needs a name');
  const count = args.value('count');
  const number = count === undefined ? undefined : Number(count);
  if (number !== undefined && !(Number.isInteger(number) && number >= 1 && number <= MAX_COUNT)) {
    throw misuse(`--count takes a number from 1 to ${MAX_COUNT}, not "${count}"`);
  }
  const roles = args.value('roles')?.split(',');
  const unknown = roles?.find((role) => !ROLE_NAMES.includes(role));
  if (unknown !== undefined) throw misuse(`"${unknown}" is no role: --roles takes some of ${ROLE_NAMES.join(', ')}`);
  const mode = args.value('l3-mode');
  const l3Mode = L3_MODES.find((known) => known === mode);
  if (mode !== undefined && l3Mode === undefined) {
    throw misuse(`--l3-mode takes one of ${L3_MODES.join(', ')}, not "${mode}"`);
  }
  const interval = args.value('report-interval');
  const seconds = interval === undefined ? undefined : Number(interval);
  if (seconds !== undefined && !(seconds > 0 && seconds <= 3600)) {
    throw misuse(`--report-interval takes seconds, more than 0 and at most 3600, not "${interval}"`);
  }
  const mappings = args.values('physical-network').map((text) => {
    const [, network, bridge] = /^([^:]+):([^:]+)$/.exec(text) ?? [];
    if (network === undefined || bridge === undefined) {
      throw misuse(`--physical-network takes NETWORK:BRIDGE (physnet1:br-ex), not "${text}"`);
    }
    return [network, bridge] as const;
  });
  return {
    hosts: number === undefined ? [host] : Array.from({ length: number }, (_, index) => `${host}-${index + 1}`),
    roles: roles as readonly Role[] | undefined,
    bridgeMappings: Object.fromEntries(mappings),
    l3Mode,
    reportInterval: seconds,
    availabilityZone: args.value('availability-zone'),
    credentials: args.value('credentials'),
  };
}

interface StartOptions extends Wanted {
  readonly runtime: ServerRuntime;
  readonly config: Config;
  readonly signal: AbortSignal;
  /** What was started is added here. */
  readonly lifetime: Lifetime;
}

async function startHosts(options: StartOptions): Promise<void> {
  const { runtime, config, hosts, signal, lifetime } = options;
  const { processes } = runtime;
  const debug = config.boolean('DEFAULT', 'debug');
  const log = quieter(processLogger(processes, config, 'nucleon: agents'));
  const [{ startSimulatedHost, tunnelingIpOf }, { inParallel }] = await Promise.all([
    import('#src/agent/simulated/mod.ts'),
    import('#src/agent/sdk/mod.ts'),
  ]);
  const brokers = await agentBrokers({ ...options, say: (line) => processes.print(line) });
  const started = new Map<string, SimulatedHost>();
  lifetime.onStop(async () => {
    await Promise.all([...started.values()].map((host) => host.stop()));
  });
  await inParallel([...hosts.entries()], AT_ONCE, async ([index, host]) => {
    if (signal.aborted) return;
    const broker: Pick<MqttOptions, 'url'> = brokers(host);
    started.set(
      host,
      await startSimulatedHost({
        host,
        broker,
        topicPrefix: config.string('mqtt', 'topic_prefix'),
        bridgeMappings: options.bridgeMappings,
        tunnelingIp: tunnelingIpOf(hosts[0]!, index),
        ...(options.roles === undefined ? {} : { roles: options.roles }),
        ...(options.l3Mode === undefined ? {} : { l3Mode: options.l3Mode }),
        ...(options.availabilityZone === undefined ? {} : { availabilityZone: options.availabilityZone }),
        ...(options.reportInterval === undefined ? {} : { reportInterval: options.reportInterval }),
        log,
        metrics: silentMetrics,
        say: (line, detail) => {
          if (debug || !detail) processes.print(line);
        },
        signal,
      }),
    );
  });
}

/** What is news in a server's log is detail for those who run many agents by hand. */
function quieter(log: Logger): Logger {
  return {
    ...log,
    info: (message, fields) => log.debug(message, fields),
    child: (fields) => quieter(log.child(fields)),
  };
}

function misuse(message: string): StartError {
  return new StartError(message, { exitCode: EXIT.usage });
}
