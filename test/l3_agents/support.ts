/** A cloud with L3 agents: reports and messages as those of `test/l2_rpc`, routers as those of `test/router`, and the failover. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { Cloud as Agents, type Message } from '../l2_rpc/support.ts';
import { Cloud as Routers } from '../router/support.ts';
import { until } from '../rpc/support.ts';
import { admin, type Stack, type Who } from '../support/stack.ts';

export interface L3AgentOptions {
  readonly zone?: string;
  readonly mode?: 'legacy' | 'dvr' | 'dvr_snat' | 'dvr_no_external';
  readonly configurations?: JsonObject;
  readonly start_flag?: boolean;
}

type Options = NonNullable<Parameters<typeof Stack.start>[1]>;

export class L3Cloud extends Routers {
  readonly agents: Agents;

  private constructor(agents: Agents) {
    super(agents.stack);
    this.agents = agents;
  }

  static async start(name: string, defaults: Readonly<Record<string, unknown>> = {}): Promise<L3Cloud> {
    const DEFAULT = { service_plugins: ['router'], ...defaults };
    return new L3Cloud(await Agents.start(name, { DEFAULT } as Options));
  }

  stop(): Promise<void> {
    return this.agents.stop();
  }

  get sql() {
    return this.agents.sql;
  }

  async clear(): Promise<void> {
    await this.stack.clear();
    await this.sql`truncate agent_presence, periodic_work`;
    this.stack.errors.length = 0;
  }

  /** The L3 agent of a host reports its state; its id. */
  async agent(host: string, options: L3AgentOptions = {}): Promise<string> {
    await this.report(host, { start_flag: true, ...options });
    const [agent] = await this.sql<{ id: string }[]>`
      select id from agents where host = ${host} and agent_type = 'L3 agent'`;
    return String(agent?.id);
  }

  async report(host: string, { zone, mode, configurations = {}, start_flag = false }: L3AgentOptions = {}) {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.stateReportListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-reports-plugin') ?? [];
    const state = {
      agent_type: 'L3 agent',
      binary: 'neutron-l3-agent',
      topic: 'l3_agent',
      host,
      configurations: { ...(mode === undefined ? {} : { agent_mode: mode }), ...configurations },
      ...(zone === undefined ? {} : { availability_zone: zone }),
      ...(start_flag ? { start_flag: true } : {}),
    };
    const args = { agent_state: { agent_state: state }, time: new Date().toISOString() };
    return await dispatch(endpoints, host, { method: 'report_state', args, version: '1.4', context: {} });
  }

  /** Calls a method as the L3 agent of the host does. */
  async call(host: string, method: string, args: JsonObject): Promise<unknown> {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-l3-plugin') ?? [];
    return await dispatch(endpoints, host, { method, args, version: '1.0', context: {} });
  }

  /** The hosts of the agents that have a router. */
  async holders(router: { readonly id: string }): Promise<readonly string[]> {
    const rows = await this.sql<{ host: string }[]>`
      select a.host from router_l3_agents o join agents a on a.id = o.agent_id
      where o.router_id = ${router.id} order by a.host`;
    return rows.map(({ host }) => host);
  }

  /** Waits until these hosts, and no others, have the router. */
  async heldBy(router: { readonly id: string }, ...hosts: readonly string[]): Promise<void> {
    const wanted = JSON.stringify(hosts.toSorted());
    await until(async () => JSON.stringify(await this.holders(router)) === wanted, `${wanted} have ${router.id}`);
  }

  /** How many routers each host has. */
  async spread(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.sql<{ host: string; n: number }[]>`
      select a.host, count(*)::int as n from router_l3_agents o join agents a on a.id = o.agent_id group by a.host`;
    return Object.fromEntries(rows.map(({ host, n }) => [host, n]));
  }

  /** What L3 agents are told of the work. */
  async told(work: () => Promise<unknown>): Promise<readonly Message[]> {
    return await this.agents.told('l3_agent', work);
  }

  asAdmin(method: string, path: string, body?: unknown, as: Who = admin) {
    return this.ask(method, path, body, as);
  }

  disable(agent: string) {
    return this.asAdmin('PUT', `agents/${agent}`, { agent: { admin_state_up: false } });
  }

  /** The agent has not reported for so long. */
  async silent(host: string, seconds: number): Promise<void> {
    await this.sql`
      update agents set heartbeat_timestamp = now() - make_interval(secs => ${seconds})
      where host = ${host} and agent_type = 'L3 agent'`;
  }

  /** The agent's connection was lost so long ago, after its last report. */
  async lost(host: string, seconds: number): Promise<void> {
    await this.silent(host, seconds + 5);
    await this.sql`
      insert into agent_presence (host, "binary", epoch, alive, changed_at)
      values (${host}, 'neutron-l3-agent', 1, false, now() - make_interval(secs => ${seconds}))
      on conflict (host, "binary") do update set alive = false, changed_at = excluded.changed_at`;
  }

  /** Runs the failover once, on one machine or several at once; how often it was asked whether it is over. */
  async failover(machines = 1): Promise<number> {
    await this.sql`update periodic_work set due_at = now(), leased_until = now()`;
    const workers = this.stack.plugins.flatMap((plugin) => plugin.workers?.() ?? []);
    const own = workers.filter(({ name }) => name === 'L3 failover');
    if (own.length === 0) throw new Error('there is no failover of L3 agents');
    const running = await Promise.all(Array.from({ length: machines }, () => own.map((one) => one.start())).flat());
    let asked = 0;
    try {
      await until(async () => {
        asked++;
        const [row] = await this.sql`select from periodic_work where name = 'L3 failover' and due_at > now()`;
        return row !== undefined;
      }, 'the failover has run');
    } finally {
      await Promise.all(running.map((one) => one.stop()));
    }
    return asked;
  }
}
