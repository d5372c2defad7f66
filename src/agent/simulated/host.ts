/** One simulated host: an agent for each role, each with a connection of its own, and one state. */
import { type Agent, connect } from '#src/agent/sdk/mod.ts';
import { Lifetime, type Stoppable } from '#src/lib/lifetime.ts';
import { type Logger, silentLogger } from '#src/lib/log.ts';
import type { Metrics } from '#src/lib/metrics.ts';
import type { MqttOptions } from '#src/rpc/mod.ts';
import type { AgentMode } from '#src/services/router/contract.ts';
import { DESCRIPTIONS, ROLES, type Role } from './configurations.ts';
import { startDhcp } from './roles/dhcp.ts';
import { startL2 } from './roles/l2.ts';
import { startL3 } from './roles/l3/mod.ts';
import { startMetadata } from './roles/metadata.ts';
import type { RunningRole, StartRole } from './roles/role.ts';
import { HostState } from './state.ts';

export interface SimulatedHostOptions {
  readonly host: string;
  /** The user name and password are the host's. */
  readonly broker: Pick<MqttOptions, 'url' | 'username' | 'password' | 'tls'>;
  readonly topicPrefix?: string;
  /** All unless told. */
  readonly roles?: readonly Role[];
  /** Bridges by physical network. */
  readonly bridgeMappings?: Readonly<Record<string, string>>;
  /** `vxlan`, `gre` and `geneve` unless told. */
  readonly tunnelTypes?: readonly string[];
  /** Of its own for each host of a server; made from the host's name unless told. */
  readonly tunnelingIp?: string;
  /** `legacy` unless told. */
  readonly l3Mode?: AgentMode;
  /** `nova` unless told. */
  readonly availabilityZone?: string;
  /** Seconds (30). */
  readonly reportInterval?: number;
  /** Seconds (10). */
  readonly resyncSpread?: number;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  /** Told what is done, one line each; `detail` is what happens for every port. */
  readonly say?: (line: string, detail: boolean) => void;
  /** Gives up connecting and reporting for the first time. */
  readonly signal?: AbortSignal;
}

/** `stop` says good-bye. */
export interface SimulatedHost extends Stoppable {
  readonly host: string;
  readonly tunnelingIp: string;
  readonly state: HostState;
  readonly agents: ReadonlyMap<Role, Agent>;
  /** Resolves when all that has come so far is dealt with. */
  settled(): Promise<void>;
  /** Ends as a host that loses its power: the broker sends the wills. */
  kill(): Promise<void>;
}

const START: Readonly<Record<Role, StartRole>> = { l2: startL2, dhcp: startDhcp, l3: startL3, metadata: startMetadata };

/**
 * An address of 10.0.0.0/8 for a host's name: the same each time, and most likely no other host's; the next ones with
 * `index`, for many hosts that share a name.
 */
export function tunnelingIpOf(host: string, index = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(host)) hash = Math.imul(hash ^ byte, 0x01000193);
  const number = 1 + (((hash >>> 0) + index) % 0xff_fffe);
  return `10.${number >>> 16}.${(number >>> 8) & 0xff}.${number & 0xff}`;
}

/** Starts the agents; resolves when all have reported and know what concerns them. */
export async function startSimulatedHost(options: SimulatedHostOptions): Promise<SimulatedHost> {
  const { host, roles = ROLES, tunnelTypes = ['vxlan', 'gre', 'geneve'], log = silentLogger } = options;
  const state = new HostState();
  const description = {
    state,
    bridgeMappings: options.bridgeMappings ?? {},
    tunnelTypes,
    tunnelingIp: options.tunnelingIp ?? tunnelingIpOf(host),
    l3Mode: options.l3Mode ?? 'legacy',
  };
  const agents = new Map<Role, Agent>();
  const running: RunningRole[] = [];
  const lifetime = new Lifetime();

  async function start(role: Role): Promise<void> {
    const { agent_type, binary, topic, zoned, resource_versions, configurations } = DESCRIPTIONS[role];
    const say = (what: string, detail = true) => options.say?.(`${host}: ${agent_type}: ${what}`, detail);
    const agent = await connect({
      broker: options.broker,
      ...(options.topicPrefix === undefined ? {} : { topicPrefix: options.topicPrefix }),
      host,
      agent_type,
      binary,
      topic,
      ...(zoned ? { availability_zone: options.availabilityZone ?? 'nova' } : {}),
      ...(resource_versions === undefined ? {} : { resource_versions }),
      configurations: () => configurations(description),
      ...(options.reportInterval === undefined ? {} : { reportInterval: options.reportInterval }),
      ...(options.resyncSpread === undefined ? {} : { resyncSpread: options.resyncSpread }),
      onStatus: (status) => say(`reports (${status})`, false),
      onMessage: (from, { method, args }) => state.hear({ topic: from, method, args }),
      log,
      ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    lifetime.add(agent);
    agents.set(role, agent);
    running.push(await START[role]({ ...description, agent, say }));
    await agent.begin();
  }

  const giveUp = () => void lifetime.stop();
  options.signal?.addEventListener('abort', giveUp);
  try {
    await Promise.all(roles.map(start));
  } catch (error) {
    await lifetime.stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
  return {
    host,
    tunnelingIp: description.tunnelingIp,
    state,
    agents,
    settled: async () => {
      for (const role of running) await role.settled();
    },
    stop: () => lifetime.stop(),
    kill: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.drop()));
    },
  };
}
