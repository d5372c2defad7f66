/** A cloud with L3 agents: reports as they stand in the database, calls as the agent of a host makes them, and what it is told. */
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { type Anything, Cloud, type Message } from '../l2_rpc/support.ts';
import { Cloud as Routers } from '../router/support.ts';
import { member, type Stack } from '../support/stack.ts';

export type { Anything };
export const alice = member('alice');
export type Mode = 'legacy' | 'dvr' | 'dvr_snat' | 'dvr_no_external';

export class L3Cloud extends Routers {
  readonly l2: Cloud;

  private constructor(l2: Cloud) {
    super(l2.stack);
    this.l2 = l2;
  }

  static async start(name: string, options: Parameters<typeof Stack.start>[1] = {}): Promise<L3Cloud> {
    const DEFAULT = { service_plugins: ['router'], ...(options['DEFAULT'] as object) };
    return new L3Cloud(await Cloud.start(name, { ...options, DEFAULT }));
  }

  get sql() {
    return this.l2.sql;
  }

  /** A host with an L2 agent and an L3 agent. */
  async agent(host: string, mode: Mode = 'legacy'): Promise<string> {
    await this.l2.agent(host, { ovs_hybrid_plug: false });
    return await this.l3Agent(host, mode);
  }

  async l3Agent(host: string, agent_mode: Mode = 'legacy'): Promise<string> {
    const [agent] = await this.sql<{ id: string }[]>`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${host}, true, 'nova', now(), now(),
        now() + interval '1 hour', ${JSON.stringify({ agent_mode })}::text::json)
      returning id`;
    return String(agent?.id);
  }

  /** The routers are the host's, and no other's. */
  async give(host: string, ...routers: readonly { readonly id: string }[]): Promise<void> {
    const ids = routers.map(({ id }) => id);
    await this.sql`delete from router_l3_agents where router_id = any(${ids}::uuid[])`;
    await this.sql`
      insert into router_l3_agents (router_id, agent_id, place)
      select r.id, a.id, 1 from agents a, routers r
      where a.host = ${host} and a.agent_type = 'L3 agent' and r.id = any(${ids}::uuid[])`;
  }

  /** Calls a method as the L3 agent of the host does. */
  async call(host: string, method: string, args: object, version = '1.0'): Promise<Anything> {
    const listeners = this.stack.plugins.flatMap((plugin) => plugin.rpcListeners?.() ?? []);
    const endpoints = endpointsByTopic(listeners).get('q-l3-plugin') ?? [];
    return await dispatch(endpoints, host, { method, args: args as never, version, context: {} });
  }

  sync(host: string, args: object = {}): Promise<Anything[]> {
    return this.call(host, 'sync_routers', { host, ...args });
  }

  /** How many statements the work costs. */
  async cost(work: () => Promise<unknown>): Promise<number> {
    const before = this.stack.counted('nucleon_sql_statements_total');
    await work();
    return this.stack.counted('nucleon_sql_statements_total') - before;
  }

  /** What L3 agents are told of the work. */
  told(work: () => Promise<unknown>): Promise<readonly Message[]> {
    return this.l2.told('l3_agent', work);
  }
}

/** Messages as `method host,host: what`, in order. */
export const inShort = (messages: readonly Message[], names: ReadonlyMap<string, string>): readonly string[] =>
  messages
    .map(({ method, to, args }) => {
      const text = JSON.stringify(args.routers ?? args.payload ?? args).replaceAll(
        /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
        (id) => names.get(id) ?? id,
      );
      return `${method} ${to === 'all' ? 'all' : to.join()} ${text}`;
    })
    .toSorted();
