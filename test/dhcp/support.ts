/** A cloud with DHCP agents: reports, calls and messages as those of `test/l2_rpc`, and the periodic work. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { Cloud, type Message } from '../l2_rpc/support.ts';
import { until } from '../rpc/support.ts';
import { admin, type Stack, type Who } from '../support/stack.ts';

export interface DhcpAgentOptions {
  readonly zone?: string;
  readonly configurations?: JsonObject;
  readonly start_flag?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: attributes and answers of any shape
type Anything = any;

export class DhcpCloud {
  readonly cloud: Cloud;

  private constructor(cloud: Cloud) {
    this.cloud = cloud;
  }

  static async start(name: string, options: Parameters<typeof Stack.start>[1] = {}): Promise<DhcpCloud> {
    return new DhcpCloud(await Cloud.start(name, options));
  }

  stop(): Promise<void> {
    return this.cloud.stop();
  }

  get stack(): Stack {
    return this.cloud.stack;
  }

  get sql() {
    return this.cloud.sql;
  }

  async clear(): Promise<void> {
    await this.stack.clear();
    await this.sql`truncate agent_presence, periodic_work`;
    this.stack.errors.length = 0;
  }

  /** The DHCP agent of a host reports its state; with an L2 agent beside it, so that its ports can be bound. */
  async agent(host: string, options: DhcpAgentOptions = {}): Promise<string> {
    const [known] = await this.sql`select from agents where host = ${host} and agent_type = 'Open vSwitch agent'`;
    if (known === undefined) await this.cloud.agent(host, { ovs_hybrid_plug: false });
    await this.report(host, { start_flag: true, ...options });
    const [agent] = await this.sql<{ id: string }[]>`
      select id from agents where host = ${host} and agent_type = 'DHCP agent'`;
    return String(agent?.id);
  }

  async report(host: string, { zone, configurations = {}, start_flag = false }: DhcpAgentOptions = {}) {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.stateReportListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-reports-plugin') ?? [];
    const state = {
      agent_type: 'DHCP agent',
      binary: 'neutron-dhcp-agent',
      topic: 'dhcp_agent',
      host,
      configurations: { networks: 0, subnets: 0, ports: 0, ...configurations },
      ...(zone === undefined ? {} : { availability_zone: zone }),
      ...(start_flag ? { start_flag: true } : {}),
    };
    const args = { agent_state: { agent_state: state }, time: new Date().toISOString() };
    return await dispatch(endpoints, host, { method: 'report_state', args, version: '1.4', context: {} });
  }

  call(host: string, method: string, args: object): Promise<Anything> {
    return this.cloud.call(host, method, args);
  }

  /** A network without a subnet. */
  network(attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> {
    return this.stack.create('network', attributes);
  }

  /** A network with a subnet that has DHCP. */
  async lan(cidr = '10.0.0.0/24', attributes: Readonly<Record<string, unknown>> = {}): Promise<Anything> {
    const network = await this.network(attributes);
    const subnet = await this.stack.create('subnet', { network_id: network.id, cidr, ip_version: 4 });
    return { ...network, subnet_id: subnet.id };
  }

  /** The hosts of the agents that serve a network. */
  async servers(network_id: string): Promise<readonly string[]> {
    const rows = await this.sql<{ host: string }[]>`
      select a.host from network_dhcp_agents s join agents a on a.id = s.agent_id
      where s.network_id = ${network_id} order by a.host`;
    return rows.map(({ host }) => host);
  }

  /** Waits until these hosts, and no others, serve the network. */
  async servedBy(network_id: string, ...hosts: readonly string[]): Promise<void> {
    const wanted = JSON.stringify(hosts.toSorted());
    await until(async () => JSON.stringify(await this.servers(network_id)) === wanted, `${wanted} serve ${network_id}`);
  }

  /** What DHCP agents are told of the work. */
  async told(work: () => Promise<unknown>): Promise<readonly Message[]> {
    return await this.cloud.told('dhcp_agent', work);
  }

  request(method: string, path: string, body?: unknown, as: Who = admin) {
    return this.stack.call(method, `/v2.0/${path}`, body === undefined ? { as } : { as, body });
  }

  /** The agent has not reported for so long, and is as old. */
  async silent(host: string, seconds: number): Promise<void> {
    await this.sql`
      update agents set heartbeat_timestamp = now() - make_interval(secs => ${seconds}),
        started_at = now() - interval '1 day'
      where host = ${host} and agent_type = 'DHCP agent'`;
  }

  /** The agent's connection was lost so long ago, after its last report. */
  async lost(host: string, seconds: number): Promise<void> {
    await this.sql`
      update agents set heartbeat_timestamp = now() - make_interval(secs => ${seconds + 5})
      where host = ${host} and agent_type = 'DHCP agent'`;
    await this.sql`
      insert into agent_presence (host, "binary", epoch, alive, changed_at)
      values (${host}, 'neutron-dhcp-agent', 1, false, now() - make_interval(secs => ${seconds}))
      on conflict (host, "binary") do update set alive = false, changed_at = excluded.changed_at`;
  }

  /** Runs the failover once, on one machine or several at once. */
  async failover(machines = 1): Promise<void> {
    await this.sql`update periodic_work set due_at = now(), leased_until = now()`;
    const start = Date.now();
    const worker = this.stack.plugins.flatMap((plugin) => plugin.workers?.() ?? []);
    const own = worker.filter(({ name }) => name === 'DHCP failover');
    const running = await Promise.all(Array.from({ length: machines }, () => own.map((one) => one.start())).flat());
    try {
      await until(
        async () => {
          const [row] = await this.sql`select from periodic_work where name = 'DHCP failover' and due_at > now()`;
          return row !== undefined;
        },
        `the failover has run (${Date.now() - start} ms)`,
      );
    } finally {
      await Promise.all(running.map((one) => one.stop()));
    }
  }
}
