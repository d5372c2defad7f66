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
import { member, type Stack } from '../support/stack.ts';
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
    return new AgentWorld(await DhcpCloud.start(name, EVERY_PLUGIN));
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
    return {
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
