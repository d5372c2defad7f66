/**
 * What an API call or an RPC leaves for agents: the whole API over PostgreSQL, with agents on two hosts, and the messages as the
 * relay would send them.
 */
import { silentLogger } from '#src/lib/log.ts';
import { type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import { admin, type CallOptions, Stack } from '../support/stack.ts';

export interface Message {
  readonly topic: string;
  readonly method: string;
  readonly version: string;
  /** `all`, or the hosts. */
  readonly to: 'all' | readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: arguments of any shape are looked into by tests
  readonly args: any;
}

const OVS = {
  tunneling_ip: '',
  tunnel_types: ['vxlan'],
  tunnel_network_types: ['vxlan'],
  bridge_mappings: { physnet1: 'br-ex' },
  l2_population: true,
  arp_responder_enabled: true,
  datapath_type: 'system',
  integration_bridge: 'br-int',
  vif_type: 'ovs',
};

/** Agents as they have reported themselves: on host1 of all kinds, on host2 an L2 agent. */
const AGENTS = [
  ['Open vSwitch agent', 'neutron-openvswitch-agent', 'host1', 'N/A', { ...OVS, tunneling_ip: '192.0.2.1' }],
  ['Open vSwitch agent', 'neutron-openvswitch-agent', 'host2', 'N/A', { ...OVS, tunneling_ip: '192.0.2.2' }],
  ['DHCP agent', 'neutron-dhcp-agent', 'host1', 'dhcp_agent', { dhcp_driver: 'dnsmasq', networks: 0 }],
  ['L3 agent', 'neutron-l3-agent', 'host1', 'l3_agent', { agent_mode: 'legacy' }],
] as const;

export class Scene {
  readonly stack: Stack;
  /** Ids of what was made, by a name. */
  readonly ids = new Map<string, string>();

  private constructor(stack: Stack) {
    this.stack = stack;
  }

  static async start(name: string): Promise<Scene> {
    const stack = await Stack.start(name, {
      DEFAULT: { service_plugins: ['segments'] },
      ml2: { mechanism_drivers: ['openvswitch', 'l2population'], project_network_types: ['vxlan'] },
    });
    stack.refusalsChangeNothing = false;
    for (const [agent_type, binary, host, topic, configurations] of AGENTS) {
      await stack.database.sql`
        insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
          heartbeat_timestamp, configurations)
        values (gen_random_uuid(), ${agent_type}, ${binary}, ${topic}, ${host}, true, 'nova', now(), now(),
          now() + interval '1 hour', ${JSON.stringify(configurations)}::text::json)`;
    }
    return new Scene(stack);
  }

  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`there is no ${name}: what should have made it has failed`);
    return id;
  }

  /** Sends a request that must succeed; ids of what it makes are remembered by their names here. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    names: readonly string[] = [],
    options: CallOptions = {},
  ) {
    const answer = await this.stack.call(method, `/v2.0/${path}`, {
      as: admin,
      ...options,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    const made = Object.values(answer.body ?? {}).flat() as { readonly id?: string }[];
    for (const [index, name] of names.entries()) this.ids.set(name, String(made[index]?.id));
    return answer.body;
  }

  /** Calls an endpoint as an agent of the host does. */
  rpc(host: string, topic: string, method: string, args: object, version: string, namespace?: string) {
    const listeners = this.stack.plugins.flatMap((plugin) => [
      ...(plugin.rpcListeners?.() ?? []),
      ...(plugin.stateReportListeners?.() ?? []),
    ]);
    const endpoints = endpointsByTopic(listeners).get(topic) ?? [];
    return dispatch(endpoints, host, {
      method,
      args: args as never,
      version,
      context: {},
      ...(namespace === undefined ? {} : { namespace }),
    });
  }

  /** What the work left for agents, as it is sent right after it. */
  async told(work: () => Promise<unknown>): Promise<readonly Message[]> {
    const { sql } = this.stack.database;
    await sql`delete from outbox`;
    await work();
    const rows = await sql<OutboxRow[]>`
      select id, key, host, topic, payload, recipients, reads, object_id from outbox order by id`;
    const errors: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const rendered = await renderRows(sql, rows, sourcesOf(this.stack.plugins), log);
    if (errors.length > 0) throw new Error(`the relay would complain: ${errors.join('; ')}`);
    return rendered.flatMap(({ topic, payload, hosts }) => {
      if (hosts.length === 0) return [];
      const { method, version, args } = JSON.parse(payload);
      return [{ topic, method, version, args, to: hosts[0] === null ? ('all' as const) : (hosts as string[]) }];
    });
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }
}
