/** What the parts of the RPC benchmark share: a server with everything embedded (or on Mosquitto), and agents' connections. */
import { parseArgs } from 'node:util';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { type AgentConnection, connectAgent, createTopics, encodeLevel } from '#src/rpc/mod.ts';
import { BrokerProcess } from '../../test/faults/support/brokers.ts';
import { Cluster } from '../../test/faults/support/cluster.ts';
import { type Client, createClient } from './client.ts';
import { type Measured, measure, type Plan } from './measure.ts';

export const base = { log: silentLogger, metrics: silentMetrics, clock: systemClock };
export const topics = createTopics();
export const AGENT_TYPE = 'Open vSwitch agent';
export const BINARY = 'neutron-openvswitch-agent';

/** Hosts that connect from here; those of `nucleon agent simulated` are its own. */
const HOSTS = Array.from({ length: 16 }, (_, n) => `bench-${n}`);

/** One worker of each kind but the API's, so that rates are those of one. */
const ENV = {
  OS_DEFAULT__RPC_WORKERS: '1',
  OS_DEFAULT__RPC_STATE_REPORT_WORKERS: '1',
  OS_DEFAULT__SERVICE_PLUGINS: 'router',
  ...Object.fromEntries(
    ['NETWORK', 'SUBNET', 'PORT', 'ROUTER', 'FLOATINGIP'].map((name) => [`OS_QUOTAS__QUOTA_${name}`, '-1']),
  ),
};

export interface RpcBench {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly seconds: number;
  readonly simulated: number;
  readonly only: RegExp;
  /** Agents on `bench-0` ... */
  agents(count: number): Promise<readonly AgentConnection[]>;
  measure(plan: Omit<Plan, 'pid' | 'seconds'> & { readonly seconds?: number }): Promise<Measured>;
  /** The configuration of the server, for commands that are run beside it. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** `--only REGEX` of the parts' names, `--seconds 5`, `--simulated 2000`, `--broker mosquitto`. */
export async function openRpcBench(): Promise<RpcBench> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '5' },
      simulated: { type: 'string', default: '2000' },
      broker: { type: 'string' },
    },
  });
  if (values.broker !== undefined && values.broker !== 'mosquitto') throw new Error('--broker takes mosquitto');
  const users = ['server', ...HOSTS].map(encodeLevel);
  const broker = values.broker === undefined ? undefined : await BrokerProcess.start('Mosquitto', users);
  const cluster = await Cluster.start({ env: ENV, ...(broker === undefined ? {} : { broker }) });
  const client = createClient(cluster.url, { 'X-User-Id': 'bench', 'X-Project-Id': 'bench', 'X-Roles': 'admin' });
  const seconds = Number(values.seconds);
  const connected = new Map<string, Promise<AgentConnection>>();
  const connect = async (host: string): Promise<AgentConnection> => {
    const agent = await connectAgent({ ...base, ...(await cluster.login(host)), topics, host, binary: BINARY });
    cluster.add(agent);
    const configurations = { tunnel_types: ['vxlan'], tunneling_ip: '192.0.2.1', bridge_mappings: {} };
    await report(agent, AGENT_TYPE, configurations);
    return agent;
  };
  return {
    cluster,
    client,
    seconds,
    simulated: Number(values.simulated),
    only: new RegExp(values.only),
    env: { OS_EMBEDDED__STATE_DIR: cluster.stateDir, ...(broker === undefined ? {} : { OS_MQTT__URL: broker.url }) },
    async agents(count) {
      const agents: AgentConnection[] = [];
      // One after the other: each writes the file of users.
      for (const host of HOSTS.slice(0, count)) {
        const agent = connected.get(host) ?? connect(host);
        connected.set(host, agent);
        agents.push(await agent);
      }
      return agents;
    },
    measure: (plan) => measure({ seconds, ...plan, pid: cluster.pid }),
    async stop() {
      client.close();
      await cluster.stop();
      await broker?.stop();
    },
  };
}

/** A state report. */
export function report(
  { client }: AgentConnection,
  agent_type: string,
  configurations: Readonly<Record<string, unknown>>,
  qos: 0 | 1 = 1,
) {
  const agent_state = { agent_type, binary: BINARY, host: client.host, topic: 'N/A', configurations };
  const time = new Date().toISOString().slice(0, -1);
  return client.call('q-reports-plugin', 'report_state', { agent_state: { agent_state } as never, time }, { qos });
}
