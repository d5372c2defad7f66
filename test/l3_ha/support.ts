/** A cloud with L3 agents: they report themselves, ask and tell as the agents of their hosts do; and what became of HA routers. */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { Cloud as L2Cloud, type Message } from '../l2_rpc/support.ts';
import { type Attributes, Cloud } from '../router/support.ts';
import { admin, type Stack, type Who } from '../support/stack.ts';

export type States = Readonly<Record<string, string>>;
export type Epochs = Readonly<Record<string, number>>;

type Options = Readonly<Record<string, Readonly<Record<string, string | number | boolean | readonly string[]>>>>;

export class HaCloud extends Cloud {
  readonly l2: L2Cloud;

  private constructor(l2: L2Cloud) {
    super(l2.stack);
    this.l2 = l2;
  }

  static async begin(name: string, options: Options = {}): Promise<HaCloud> {
    const l2 = await L2Cloud.start(name, {
      ...options,
      DEFAULT: { service_plugins: ['router'], ...options['DEFAULT'] },
    });
    return new HaCloud(l2);
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }

  get sql(): Stack['database']['sql'] {
    return this.stack.database.sql;
  }

  /** L3 agents of hosts that are alive, with L2 agents beside them; their ids. */
  async agents(...hosts: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const host of hosts) {
      const [known] = await this.sql`select from agents where host = ${host} and agent_type = 'Open vSwitch agent'`;
      if (known === undefined) await this.l2.agent(host);
      await this.report(host);
      const [agent] = await this.sql<{ id: string }[]>`
        select id from agents where host = ${host} and agent_type = 'L3 agent'`;
      ids.push(String(agent?.id));
    }
    return ids;
  }

  async report(host: string, configurations: JsonObject = {}): Promise<unknown> {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.stateReportListeners?.() ?? []);
    const state = {
      ...{ agent_type: 'L3 agent', binary: 'neutron-l3-agent', topic: 'l3_agent', host, start_flag: true },
      ...{ availability_zone: 'nova', configurations: { agent_mode: 'legacy', ...configurations } },
    };
    const args = { agent_state: { agent_state: state }, time: new Date().toISOString() };
    const endpoints = endpointsByTopic(listeners).get('q-reports-plugin') ?? [];
    return await dispatch(endpoints, host, { method: 'report_state', args, version: '1.4', context: {} });
  }

  /** The agent has not been heard of for long. */
  async kill(...hosts: readonly string[]): Promise<void> {
    await this.sql`
      update agents set heartbeat_timestamp = now() - interval '1 hour'
      where host = any(${hosts as string[]}) and agent_type = 'L3 agent'`;
  }

  async call(host: string, method: string, args: JsonObject = {}): Promise<Attributes> {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-l3-plugin') ?? [];
    return await dispatch(endpoints, host, { method, args, version: '1.11', context: {} });
  }

  /** What the agent of a host says of its routers. */
  tell(host: string, states: States, epochs?: Epochs): Promise<Attributes> {
    return this.call(host, 'update_ha_routers_states', { host, states, ...(epochs === undefined ? {} : { epochs }) });
  }

  /** A highly available router of a project's. */
  async haRouter(project = 'alice', attributes: object = {}): Promise<Attributes> {
    return await this.stack.create('router', { ha: true, project_id: project, ...attributes }, admin);
  }

  /** The states that the API shows of a router, by host. */
  async shown({ id }: Attributes): Promise<States> {
    const { agents } = await this.done('GET', `routers/${id}/l3-agents`, undefined, admin);
    const states = new Map<string, string>(agents.map(({ host, ha_state }: Attributes) => [host, ha_state]));
    return Object.fromEntries([...states].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The ports by which the agents of a router hear of each other, in the order of their hosts. */
  async haPorts({ id }: Attributes): Promise<readonly { id: string; host: string | null; state: string }[]> {
    return await this.sql`
      select h.port_id as id, a.host, h.state from router_ha_ports h left join agents a on a.id = h.agent_id
      where h.router_id = ${id} order by a.host`;
  }

  /** Has the port by which a host's agent hears of the others bound there and wired; its id. */
  async wire(router: Attributes, host: string): Promise<string> {
    const id = String((await this.haPorts(router)).find((port) => port.host === host)?.id);
    await this.change('port', id, { 'binding:host_id': host }, admin);
    const device = { device: id, agent_id: `ovs-agent-${host}`, host };
    await this.l2.call(host, 'get_device_details', device);
    await this.l2.call(host, 'update_device_up', device);
    return id;
  }

  async epoch({ id }: Attributes): Promise<number> {
    const [router] = await this.sql<
      { epoch: number }[]
    >`select ha_epoch::float8 as epoch from routers where id = ${id}`;
    return router?.epoch ?? -1;
  }

  async haNetworks(project = 'alice'): Promise<readonly string[]> {
    const rows = await this.sql<
      { id: string }[]
    >`select id from networks where name = ${`HA network project ${project}`}`;
    return rows.map(({ id }) => id);
  }

  async vrIds(project = 'alice'): Promise<readonly number[]> {
    const rows = await this.sql<{ vr_id: number }[]>`
      select v.vr_id from router_vr_ids v join routers r on r.id = v.router_id where r.project_id = ${project}`;
    return rows.map(({ vr_id }) => vr_id);
  }

  hostsOf(ports: readonly Attributes[]): readonly string[] {
    return ports.map((port) => port['binding:host_id']);
  }

  /** What agents are told by the work. */
  told(work: () => Promise<unknown>, topic = ''): Promise<readonly Message[]> {
    return this.l2.told(topic, work);
  }

  /** How many statements the work takes. */
  async cost(work: () => Promise<unknown>): Promise<number> {
    const before = this.stack.counted('nucleon_sql_statements_total');
    await work();
    return this.stack.counted('nucleon_sql_statements_total') - before;
  }

  delete(member: string, { id }: Attributes, as: Who = admin): Promise<Attributes> {
    return this.done('DELETE', `${member}s/${id}`, undefined, as);
  }
}
