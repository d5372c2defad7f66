/**
 * What agents can ask, found by program, asked as over a broker: the request is encoded and decoded, and so is the answer. Two
 * hosts stand in the cloud, each with a tenant's network, subnet, ports and security group; and what nobody has.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { RpcListener } from '#src/lib/rpc.ts';
import { dhcpDeviceId } from '#src/plugins/ml2/dhcp/contract.ts';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { decodeAnswer, decodeMessage, encodeAnswer, failureOf } from '#src/rpc/envelope.ts';
import { DhcpCloud } from '../dhcp/support.ts';
import { Fingerprints } from '../support/fingerprint.ts';
import { admin, member, type Stack } from '../support/stack.ts';
import { EVERY_PLUGIN } from './areas/mod.ts';
import { inTime } from './hostile.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked into by tests
export type Anything = any;

/** A method that agents can call. */
export interface Method {
  /** `q-plugin nucleon.sync`: how the table of examples names it. */
  readonly name: string;
  readonly topic: string;
  readonly namespace: string | undefined;
  readonly version: string;
  readonly method: string;
}

const listenersOf = (stack: Stack): readonly RpcListener[] =>
  stack.plugins.flatMap((plugin) => [...(plugin.rpcListeners?.() ?? []), ...(plugin.stateReportListeners?.() ?? [])]);

/** All methods of all endpoints. */
export function methodsOf(stack: Stack): readonly Method[] {
  return listenersOf(stack).flatMap(({ topic, endpoints }) =>
    endpoints.flatMap(({ namespace, version, methods }) =>
      Object.keys(methods).map((method) => {
        const name = `${topic} ${namespace === undefined ? '' : `${namespace}.`}${method}`;
        return { name, topic, namespace, version, method };
      }),
    ),
  );
}

/** An answer as the agent has it; of a failure also the status that it has over HTTP. */
export interface Answered {
  readonly result?: Anything;
  readonly failure?: { readonly type: string; readonly message: string };
  readonly status?: number;
  readonly bytes: number;
}

/** A host with what is on it, or the words for what there is not. Members of the same name stand for the same. */
export interface Side {
  readonly host: string;
  readonly project: string;
  readonly network: string;
  readonly subnet: string;
  readonly port: string;
  readonly mac: string;
  readonly ip: string;
  readonly dhcp_port: string;
  readonly dhcp_mac: string;
  readonly dhcp_ip: string;
  readonly device_id: string;
  readonly group: string;
  readonly rule: string;
  readonly tunnel_ip: string;
  readonly agent: string;
  readonly instance: string;
  readonly outside: string;
  readonly router: string;
  readonly ha_router: string;
  readonly floatingip: string;
  /** The port that it leads to. */
  readonly led: string;
  readonly forwarding: string;
  readonly helper: string;
  readonly proxy: string;
}

/** An id that nothing has, with as many of the others before it as before one: in lists it stands in the same place. */
function idLike(one: string, others: readonly string[]): string {
  for (;;) {
    const id = crypto.randomUUID();
    if (others.every((other) => id < other === one < other)) return id;
  }
}

/** What nobody has, said by the agent of a host; ids stand among the others as those of the side do. */
export const nobody = (host: string, like: Side, others: readonly string[]): Side => {
  const id = (name: keyof Side) => idLike(like[name], others);
  const network = id('network');
  return {
    host,
    project: 'nobody',
    network,
    subnet: id('subnet'),
    port: id('port'),
    mac: 'fa:16:3e:99:99:01',
    ip: '10.99.0.21',
    dhcp_port: id('dhcp_port'),
    dhcp_mac: 'fa:16:3e:99:99:02',
    dhcp_ip: '10.99.0.22',
    device_id: `dhcp${crypto.randomUUID()}-${network}`,
    group: id('group'),
    rule: id('rule'),
    tunnel_ip: '192.0.2.99',
    agent: id('agent'),
    instance: 'vm-of-nobody',
    outside: id('outside'),
    router: id('router'),
    ha_router: id('ha_router'),
    floatingip: id('floatingip'),
    led: id('led'),
    forwarding: id('forwarding'),
    helper: id('helper'),
    proxy: id('proxy'),
  };
};

export class AgentWorld {
  readonly cloud: DhcpCloud;
  readonly #fingerprints: Fingerprints;

  private constructor(cloud: DhcpCloud) {
    this.cloud = cloud;
    this.#fingerprints = new Fingerprints(cloud.stack.database.url);
  }

  static async start(name: string): Promise<AgentWorld> {
    return new AgentWorld(
      await DhcpCloud.start(name, { DEFAULT: { ...EVERY_PLUGIN.DEFAULT, max_l3_agents_per_router: 1 } }),
    );
  }

  async stop(): Promise<void> {
    await this.#fingerprints.end();
    await this.cloud.stop();
  }

  get stack(): Stack {
    return this.cloud.stack;
  }

  get sql() {
    return this.cloud.sql;
  }

  async clear(): Promise<void> {
    await this.cloud.clear();
    await this.sql`truncate tunnel_endpoints, dvr_host_macs`;
  }

  /** How many statements have been sent. */
  statements(): number {
    return this.stack.counted('nucleon_sql_statements_total');
  }

  fingerprint(): Promise<string> {
    return this.#fingerprints.take();
  }

  /** A host of the number n (1 to 9), with a tenant's things on it that all carry the tenant's name. */
  async furnish(n: number, project: string): Promise<Side> {
    const { cloud, stack } = this;
    const host = `host-of-${project}`;
    const tunnel_ip = `192.0.2.${n}`;
    await cloud.cloud.agent(host, { tunneling_ip: tunnel_ip, ovs_hybrid_plug: false });
    const agent = await cloud.agent(host);
    const as = member(project);
    const called = (what: string) => ({ name: `${what}-of-${project}`, description: `about-${project}` });
    const { id: network } = await stack.create('network', called('network'), as);
    const subnet = await stack.create(
      'subnet',
      { ...called('subnet'), network_id: network, cidr: `10.6${n}.0.0/24`, ip_version: 4, gateway_ip: `10.6${n}.0.1` },
      as,
    );
    await this.serve(network, agent);
    const group = await stack.create('security_group', called('group'), as);
    const rule = {
      security_group_id: group.id,
      direction: 'ingress',
      ethertype: 'IPv4',
      description: `about-${project}`,
    };
    const { id: rule_id } = await stack.create('security_group_rule', { ...rule, remote_group_id: group.id }, as);
    const port = async (name: string, last: number, attributes: object) =>
      await stack.create('port', {
        ...called(name),
        project_id: project,
        network_id: network,
        mac_address: `fa:16:3e:6${n}:6${n}:0${last}`,
        fixed_ips: [{ subnet_id: subnet.id, ip_address: `10.6${n}.0.2${last}` }],
        'binding:host_id': host,
        ...attributes,
      });
    const instance = `vm-of-${project}`;
    const own = await port('port', 1, {
      device_owner: 'compute:nova',
      device_id: instance,
      security_groups: [group.id],
      dns_name: `dns-of-${project}`,
    });
    const device_id = await dhcpDeviceId(network, host);
    const dhcp = await port('dhcp', 2, { device_owner: 'network:dhcp', device_id });
    const led = await port('led', 3, {
      device_owner: 'compute:nova',
      device_id: `${instance}-led`,
      security_groups: [],
    });
    const routed = await this.route(n, { host, project, subnet: subnet.id, port: led.id });
    const below = await this.forward(routed, { project, port: own.id, ip: own.fixed_ips[0].ip_address });
    return {
      ...routed,
      ...below,
      led: led.id,
      host,
      project,
      network,
      subnet: subnet.id,
      port: own.id,
      mac: own.mac_address,
      ip: own.fixed_ips[0].ip_address,
      dhcp_port: dhcp.id,
      dhcp_mac: dhcp.mac_address,
      dhcp_ip: dhcp.fixed_ips[0].ip_address,
      device_id,
      group: group.id,
      rule: rule_id,
      tunnel_ip,
      agent,
      instance,
    };
  }

  /** A distributed router on the host with a floating IP of the port, and a highly available one. */
  async route(n: number, { host, project, subnet, port }: Pick<Side, 'host' | 'project' | 'subnet' | 'port'>) {
    const { sql, stack } = this;
    const configurations = JSON.stringify({ agent_mode: 'dvr_snat' });
    const [agent] = await sql<{ id: string }[]>`
      insert into agents (id, agent_type, "binary", topic, host, admin_state_up, availability_zone, created_at, started_at,
        heartbeat_timestamp, configurations)
      values (gen_random_uuid(), 'L3 agent', 'neutron-l3-agent', 'l3_agent', ${host}, true, 'nova', now(), now(),
        now() + interval '1 hour', ${configurations}::text::json) returning id`;
    const called = (what: string) => ({ name: `${what}-of-${project}`, description: `about-${project}` });
    const { id: outside } = await stack.create('network', { ...called('outside'), 'router:external': true });
    await stack.create('subnet', { network_id: outside, ip_version: 4, cidr: `10.6${n}.128.0/24` });
    const external_gateway_info = { network_id: outside };
    const owner = { project_id: project };
    const router = await stack.create('router', { ...called('router'), ...owner, distributed: true });
    const ha = await stack.create('router', { ...called('ha'), ...owner, ha: true });
    const put = async (path: string, body: object) => {
      const { status, text } = await stack.call('PUT', `/v2.0/routers/${router.id}${path}`, { as: admin, body });
      if (status !== 200) throw new Error(`${path}: ${text}`);
    };
    await put('', { router: { external_gateway_info } });
    await put('/add_router_interface', { subnet_id: subnet });
    await sql`delete from router_l3_agents where router_id = ${router.id}`;
    await sql`insert into router_l3_agents (router_id, agent_id, place) values (${router.id}, ${agent!.id}, 1)`;
    const floatingip = await stack.create('floatingip', {
      ...{ ...owner, description: `about-${project}`, floating_network_id: outside, port_id: port },
    });
    return { outside, router: router.id, ha_router: ha.id, floatingip: floatingip.id };
  }

  /** What hangs on the router: a forwarding to the port, a conntrack helper, an NDP proxy. */
  async forward(
    { outside, router }: Pick<Side, 'outside' | 'router'>,
    { project, port, ip }: Pick<Side, 'project' | 'port' | 'ip'>,
  ) {
    const { sql, stack } = this;
    const about = { description: `about-${project}` };
    const made = async (path: string, member: string, body: object) => {
      const answer = await stack.call('POST', `/v2.0/${path}`, { as: admin, body: { [member]: body } });
      if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
      return answer.body[member].id as string;
    };
    const { id } = await stack.create('floatingip', { ...about, project_id: project, floating_network_id: outside });
    const forwarding = await made(`floatingips/${id}/port_forwardings`, 'port_forwarding', {
      ...{ ...about, protocol: 'tcp', external_port: 2222, internal_port: 22 },
      ...{ internal_port_id: port, internal_ip_address: ip },
    });
    const helper = { protocol: 'udp', port: 69, helper: 'tftp' };
    // Its rules want IPv6 inside and outside, of one address scope: here it only has to be somebody's.
    const [proxy] = await sql<{ id: string }[]>`
      insert into ndp_proxies (id, project_id, name, description, router_id, port_id, ip_address)
      values (gen_random_uuid(), ${project}, ${`proxy-of-${project}`}, ${about.description}, ${router}, ${port}, '2001:db8::9')
      returning id`;
    return {
      forwarding,
      helper: await made(`routers/${router}/conntrack_helpers`, 'conntrack_helper', helper),
      proxy: proxy!.id,
    };
  }

  /** Makes one agent the only one that serves a network. */
  async serve(network: string, agent: string): Promise<void> {
    await this.sql`delete from network_dhcp_agents where network_id = ${network}`;
    await this.sql`insert into network_dhcp_agents (network_id, agent_id, place) values (${network}, ${agent}, 1)`;
  }

  /** Asks as the agent of a host; whatever is no answer to an agent is thrown: a defect, a hang, an error in the log. */
  async ask(host: string, method: Method, args: unknown): Promise<Answered> {
    const { topic, namespace, version, method: name } = method;
    const request = { method: name, args, version, context: {}, ...(namespace === undefined ? {} : { namespace }) };
    const payload = new TextEncoder().encode(JSON.stringify(request));
    const endpoints = endpointsByTopic(listenersOf(this.stack)).get(topic) ?? [];
    let status: number | undefined;
    const answer = await inTime(
      (async () => {
        try {
          return { result: await dispatch(endpoints, host, decodeMessage(payload)) };
        } catch (error) {
          status = error instanceof NeutronError ? error.status : 500;
          if (status >= 500) throw new Error(`${method.name} ${shortly(args)}: a defect`, { cause: error });
          return failureOf(name, error);
        }
      })(),
    );
    const said = this.stack.errors.splice(0);
    if (said.length > 0)
      throw new Error(`${method.name} ${shortly(args)}: an error in the log: ${JSON.stringify(said)}`);
    const text = encodeAnswer(name, answer);
    const bytes = new TextEncoder().encode(text);
    return { ...decodeAnswer(bytes), ...(status === undefined ? {} : { status }), bytes: bytes.length };
  }
}

/** Arguments as a failing test names them. */
export const shortly = (args: unknown): string => JSON.stringify(args)?.slice(0, 600) ?? 'undefined';

/** The answer with words in the place of what a side is made of. */
export function unnamed({ bytes: _, ...answer }: Answered, side: Side): unknown {
  let text = JSON.stringify(answer);
  const { mac, port } = side;
  const written = { ...side, mac_of_windows: mac.toUpperCase().replaceAll(':', '-') };
  const starts = { start: port.slice(0, 11), short_start: port.slice(0, 8) };
  for (const names of [written, starts]) {
    const longest = Object.entries(names).toSorted(([, a], [, b]) => b.length - a.length);
    for (const [name, value] of longest) text = text.replaceAll(value, `<${name}>`);
  }
  return JSON.parse(text) as JsonObject;
}
