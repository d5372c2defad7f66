/** A cloud with routers on many hosts: three of them with L2 and L3 agents, which ask and report as their agents do. */
import { adminContext } from '#src/lib/context.ts';
import type { Anything, Message } from '../l2_rpc/support.ts';
import { L3Cloud, type Mode } from '../l3_rpc/support.ts';
import { admin } from '../support/stack.ts';

export const DISTRIBUTED = 'network:router_interface_distributed';
export const FLOODING = ['00:00:00:00:00:00', '0.0.0.0'];
export const TUNNELS: Readonly<Record<string, string>> = { c1: '192.0.2.1', c2: '192.0.2.2', c3: '192.0.2.3' };

/** A replica as it stands in the database. */
export interface Replica {
  readonly host: string;
  readonly status: string;
  readonly vif_type: string;
  readonly levels: number;
}

export class ManyHosts {
  readonly l3: L3Cloud;

  private constructor(l3: L3Cloud) {
    this.l3 = l3;
  }

  static async start(name: string, mode: Mode = 'dvr'): Promise<ManyHosts> {
    const cloud = new ManyHosts(await L3Cloud.start(name, { QUOTAS: { default_quota: -1, quota_router: -1 } }));
    for (const [host, tunneling_ip] of Object.entries(TUNNELS)) {
      await cloud.l2.agent(host, { tunneling_ip, ovs_hybrid_plug: false });
      await cloud.l3.l3Agent(host, mode);
    }
    return cloud;
  }

  get l2() {
    return this.l3.l2;
  }

  get sql() {
    return this.l3.sql;
  }

  stop(): Promise<void> {
    return this.l2.stop();
  }

  /** A distributed router with an interface on a network. */
  async distributed(cidr?: string): Promise<{ net: Anything; sub: Anything; router: Anything; port: Anything }> {
    const { net, sub } = await this.l3.lan(cidr, admin);
    const router = await this.l3.stack.create('router', { distributed: true });
    const { port_id } = await this.l3.add(router, { subnet_id: sub.id }, admin);
    return { net, sub, router, port: await this.port(port_id) };
  }

  /** A highly available router with an interface on a network, on the hosts; the first is the active one. */
  async available(...hosts: readonly string[]): Promise<{ net: Anything; router: Anything; port: Anything }> {
    const { net, sub } = await this.l3.lan(undefined, admin);
    const router = await this.l3.stack.create('router', { ha: true, distributed: false });
    const { port_id } = await this.l3.add(router, { subnet_id: sub.id }, admin);
    await this.sql`delete from router_l3_agents where router_id = ${router.id}`;
    await this.sql`
      insert into router_l3_agents (router_id, agent_id, place)
      select ${router.id}, id, row_number() over (order by host) from agents
      where agent_type = 'L3 agent' and host = any(${hosts as string[]})`;
    await this.place(port_id, hosts[0]!);
    return { net, router, port: await this.port(port_id) };
  }

  /** Says that the port is on the host, as the router plugin does. */
  async place(port_id: string, host: string): Promise<void> {
    const core = this.l3.stack.plugins.find(({ type }) => type === 'CORE');
    await core?.place?.(adminContext(), [{ port_id, host }]);
  }

  /** A server, which makes the routers of its subnet concern the host. */
  server(net: Anything, host: string): Promise<Anything> {
    return this.l2.port(net.id, host);
  }

  port(id: string): Promise<Anything> {
    return this.l2.show('port', id);
  }

  async status(id: string): Promise<string> {
    return (await this.port(id)).status;
  }

  details(host: string, ...devices: readonly string[]): Promise<Anything[]> {
    return this.l2.call(host, 'get_devices_details_list', { devices, agent_id: `ovs-agent-${host}`, host });
  }

  up(host: string, ...devices: readonly string[]): Promise<Anything> {
    return this.l2.call(host, 'update_device_list', { devices_up: devices, devices_down: [], host });
  }

  down(host: string, ...devices: readonly string[]): Promise<Anything> {
    return this.l2.call(host, 'update_device_list', { devices_up: [], devices_down: devices, host });
  }

  /** The agent of the host asks for devices, and wires them. */
  async wire(host: string, ...devices: readonly string[]): Promise<void> {
    await this.details(host, ...devices);
    await this.up(host, ...devices);
  }

  async replicas(port_id: string): Promise<readonly Replica[]> {
    const rows = await this.sql<Replica[]>`
      select b.host, b.host_status as status, b.vif_type, (
        select count(*)::int from port_binding_levels l where l.port_id = b.port_id and l.host = b.host) as levels
      from port_bindings b where b.port_id = ${port_id} and b.status = 'REPLICA' order by b.host`;
    return [...rows];
  }

  /** `host status`, in the order of hosts. */
  async standing(port_id: string): Promise<readonly string[]> {
    return (await this.replicas(port_id)).map(({ host, status }) => `${host} ${status}`);
  }

  /** What L2 agents are told of the work, as `method host,host`, in order. */
  async heard(topic: string, work: () => Promise<unknown>): Promise<readonly string[]> {
    const messages = await this.l2.told(`q-agent-notifier-${topic}`, work);
    return messages.map(inShort);
  }

  /** The forwarding entries that hosts are told of the work: `method host,host tunnel: entries`. */
  async entries(work: () => Promise<unknown>): Promise<readonly string[]> {
    const messages = await this.l2.told('q-agent-notifier-l2population', work);
    return messages.flatMap((message) =>
      Object.values(message.args.fdb_entries as Readonly<Record<string, Anything>>).flatMap(({ ports }) =>
        Object.entries(ports as Readonly<Record<string, readonly unknown[]>>).map(
          ([tunnel, entries]) => `${inShort(message)} ${tunnel}: ${JSON.stringify(entries)}`,
        ),
      ),
    );
  }
}

const inShort = ({ method, to }: Message): string => `${method} ${to === 'all' ? 'all' : to.join()}`;
