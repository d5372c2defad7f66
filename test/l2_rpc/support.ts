/**
 * A cloud with L2 agents: the whole API over PostgreSQL, agents as they have reported themselves, calls as the agent of a host
 * makes them, and the messages that the relay would send.
 */
import { silentLogger } from '#src/lib/log.ts';
import { type OutboxRow, renderRows } from '#src/outbox/mod.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { sourcesOf } from '#src/server/workers/relay.ts';
import { admin, Stack } from '../support/stack.ts';

export interface Message {
  readonly topic: string;
  readonly method: string;
  readonly version: string;
  /** `all`, or the hosts in order. */
  readonly to: 'all' | readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: arguments of any shape are looked into by tests
  readonly args: any;
}

const OVS = {
  tunnel_types: ['vxlan'],
  bridge_mappings: { physnet1: 'br-ex' },
  l2_population: true,
  datapath_type: 'system',
  integration_bridge: 'br-int',
};

// biome-ignore lint/suspicious/noExplicitAny: attributes and answers of any shape
export type Anything = any;

export class Cloud {
  readonly stack: Stack;

  private constructor(stack: Stack) {
    this.stack = stack;
  }

  static async start(name: string, options: Parameters<typeof Stack.start>[1] = {}): Promise<Cloud> {
    const stack = await Stack.start(name, {
      ...options,
      ml2: { mechanism_drivers: ['openvswitch', 'l2population'], project_network_types: ['vxlan'], ...options['ml2'] },
    });
    stack.refusalsChangeNothing = false;
    return new Cloud(stack);
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }

  get sql() {
    return this.stack.database.sql;
  }

  /** An L2 agent that is alive, with a tunnel. */
  async agent(host: string, configurations: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const [agent] = await this.sql<{ id: string }[]>`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'Open vSwitch agent', 'neutron-openvswitch-agent', 'N/A', ${host}, true, 'nova', now(), now(),
        now() + interval '1 hour', ${JSON.stringify({ ...OVS, ...configurations })}::text::json)
      returning id`;
    return String(agent?.id);
  }

  /** A network with a subnet. */
  async lan(cidr = '10.0.0.0/24', attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> {
    const network = await this.stack.create('network', { name: 'lan', ...attributes });
    const subnet = await this.stack.create('subnet', {
      network_id: network.id,
      cidr,
      ip_version: 4,
      enable_dhcp: false,
    });
    return { ...network, subnet_id: subnet.id };
  }

  async port(network_id: string, host: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> {
    return await this.stack.create('port', {
      network_id,
      device_owner: 'compute:nova',
      device_id: 'vm',
      'binding:host_id': host,
      ...attributes,
    });
  }

  async show(collection: string, id: string): Promise<Anything> {
    const { body } = await this.stack.call('GET', `/v2.0/${collection}s/${id}`, { as: admin });
    return body[collection];
  }

  async update(collection: string, id: string, attributes: Readonly<Record<string, unknown>>): Promise<Anything> {
    const { status, text, body } = await this.stack.call('PUT', `/v2.0/${collection}s/${id}`, {
      as: admin,
      body: { [collection]: attributes },
    });
    if (status !== 200) throw new Error(`PUT ${collection}: ${status} ${text}`);
    return body[collection];
  }

  async remove(collection: string, id: string): Promise<void> {
    const { status, text } = await this.stack.call('DELETE', `/v2.0/${collection}s/${id}`, { as: admin });
    if (status !== 204) throw new Error(`DELETE ${collection}: ${status} ${text}`);
  }

  /** A second binding of the port, as a live migration prepares it. */
  async prepare(port_id: string, host: string): Promise<void> {
    await this.sql`
      insert into port_bindings (port_id, host, vif_type, status) values (${port_id}, ${host}, 'ovs', 'INACTIVE')`;
    await this.sql`
      insert into port_binding_levels (port_id, host, level, driver, segment_id)
      select port_id, ${host}, level, driver, segment_id from port_binding_levels where port_id = ${port_id}`;
  }

  /** Calls a method as the agent of the host does. */
  async call(host: string, method: string, args: object, version = '1.0'): Promise<Anything> {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-plugin') ?? [];
    return await dispatch(endpoints, host, { method, args: args as never, version, context: {} });
  }

  /** How many statements a call costs. */
  async cost(host: string, method: string, args: object): Promise<number> {
    const before = this.stack.counted('nucleon_sql_statements_total');
    await this.call(host, method, args);
    return this.stack.counted('nucleon_sql_statements_total') - before;
  }

  /** What the work left for agents, as it is sent right after it; of the topics that begin so. */
  async told(topic: string, work: () => Promise<unknown>): Promise<readonly Message[]> {
    const { sql } = this;
    await sql`delete from outbox`;
    await work();
    return await this.waiting(topic);
  }

  /** What waits to be sent. */
  async waiting(topic: string): Promise<readonly Message[]> {
    const { sql } = this;
    const rows = await sql<OutboxRow[]>`
      select id, key, host, topic, payload, recipients, reads, object_id from outbox order by id`;
    const errors: unknown[] = [];
    const log = { ...silentLogger, error: (...said: unknown[]) => void errors.push(said) };
    const rendered = await renderRows(sql, rows, sourcesOf(this.stack.plugins), log);
    if (errors.length > 0) throw new Error(`the relay would complain: ${JSON.stringify(errors)}`);
    return rendered
      .filter((row) => row.hosts.length > 0 && row.topic.startsWith(topic))
      .map(({ topic: name, payload, hosts }) => {
        const { method, version, args } = JSON.parse(payload);
        return { topic: name, method, version, args, to: hosts[0] === null ? 'all' : (hosts as string[]).toSorted() };
      });
  }
}

type Shape = null | boolean | number | string | readonly Shape[] | { readonly [key: string]: Shape };

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['<uuid>', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ['<mac>', /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/],
  ['<time>', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ['<cidr>', /^[0-9a-f.:]+\/\d+$/],
  ['<ip>', /^(\d+\.){3}\d+$|^[0-9a-f]*:[0-9a-f:]+$/],
];

/** The value with words for its kind in the place of what is different each time, as observed answers have them. */
export function shapeOf(value: Anything): Shape {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [String(shapeOf(key)), shapeOf(member)]));
  }
  if (typeof value !== 'string') return value;
  return KINDS.find(([, pattern]) => pattern.test(value))?.[0] ?? value;
}
