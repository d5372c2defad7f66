/**
 * Cases: what people reported of clouds, told as requests and right answers. Each has callers in fresh projects of their own;
 * a caller's verbs expect success and give the attributes, those behind `refused` expect the refusal and give its message.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { dispatch, endpointsByTopic } from '#src/rpc/dispatcher.ts';
import { type Answer, type CallOptions, Stack } from '../support/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape are looked into
export type Attributes = any;
type Body = Readonly<Record<string, unknown>>;

/** The cloud that the cases are told of: three physical networks, tenants on vxlan, an underlay of 1500 bytes. */
const CLOUD = {
  DEFAULT: { auth_strategy: 'noauth', api_workers: 1, dns_domain: 'cloud.example.' },
  ml2: {
    type_drivers: ['local', 'flat', 'vlan', 'gre', 'vxlan', 'geneve'],
    project_network_types: ['vxlan'],
    extension_drivers: ['port_security', 'dns'],
    mechanism_drivers: [],
  },
  ml2_type_vlan: { network_vlan_ranges: ['physnet1:100:199'] },
  ml2_type_flat: { flat_networks: ['physnet1', 'physnet2', 'physnet3'] },
} as const;

/** `security_group` as `security-groups`. */
function collection(member: string): string {
  const plural = member.endsWith('y') ? `${member.slice(0, -1)}ies` : `${member}s`;
  return plural.replaceAll('_', '-');
}

/** Expected of an answer: a status, and the error's type. */
class Refused {
  readonly #send: Caller['send'];
  readonly #statuses: readonly number[];
  readonly #type: string | undefined;

  constructor(send: Caller['send'], statuses: readonly number[], type: string | undefined) {
    this.#send = send;
    this.#statuses = statuses;
    this.#type = type;
  }

  async ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.#send(method, path, { body, ...(headers === undefined ? {} : { headers }) });
    expect(this.#statuses, `${method} ${path}: ${answer.status} ${answer.text}`).toContain(answer.status);
    const error = answer.body?.NeutronError;
    if (this.#type !== undefined) expect(error?.type, answer.text).toBe(this.#type);
    return error?.message ?? answer.text;
  }

  create(member: string, attributes: unknown = {}): Promise<string> {
    return this.ask('POST', `/${collection(member)}`, { [member]: attributes });
  }
  show(member: string, id: string): Promise<string> {
    return this.ask('GET', `/${collection(member)}/${id}`);
  }
  list(path: string): Promise<string> {
    return this.ask('GET', `/${path}`);
  }
  change(member: string, id: string, attributes: unknown, headers?: Readonly<Record<string, string>>): Promise<string> {
    return this.ask('PUT', `/${collection(member)}/${id}`, { [member]: attributes }, headers);
  }
  remove(member: string, id: string, headers?: Readonly<Record<string, string>>): Promise<string> {
    return this.ask('DELETE', `/${collection(member)}/${id}`, undefined, headers);
  }
}

/** Somebody of one project. Paths stand behind `/v2.0`. */
export class Caller {
  readonly project: string;
  readonly #stack: Stack;
  readonly #roles: string;

  constructor(stack: Stack, project: string, roles: string) {
    this.#stack = stack;
    this.project = project;
    this.#roles = roles;
  }

  readonly send = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    this.#stack.call(method, `/v2.0${path}`, { as: { project: this.project, roles: this.#roles }, ...options });

  /** The same verbs, expecting one of these statuses and an error of this type. */
  refused(status: number | readonly number[], type?: string): Refused {
    return new Refused(this.send, [status].flat(), type);
  }

  /** Any request, whose answer must have this status; the body. */
  async ask(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Attributes> {
    const answer = await this.send(method, path, { body, headers });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
    return answer.body;
  }

  async create(member: string, attributes: Body = {}): Promise<Attributes> {
    return (await this.ask(201, 'POST', `/${collection(member)}`, { [member]: attributes }))[member];
  }
  async show(member: string, id: string): Promise<Attributes> {
    return (await this.ask(200, 'GET', `/${collection(member)}/${id}`))[member];
  }
  /** The items of `networks?name=a`. */
  async list(path: string): Promise<Attributes> {
    const key = path.split('?')[0]!.replaceAll('-', '_');
    return (await this.ask(200, 'GET', `/${path}`))[key];
  }
  async change(member: string, id: string, attributes: Body, headers?: Record<string, string>): Promise<Attributes> {
    return (await this.ask(200, 'PUT', `/${collection(member)}/${id}`, { [member]: attributes }, headers))[member];
  }
  async remove(member: string, id: string, headers?: Record<string, string>): Promise<void> {
    await this.ask(204, 'DELETE', `/${collection(member)}/${id}`, undefined, headers);
  }

  /** The statuses of the same request sent several times at once, counted: `{201: 3, 409: 3}`. */
  async race(
    times: number,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Record<number, number>> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.send(method, path, { body, headers })));
    const tally: Record<number, number> = {};
    for (const { status } of answers) tally[status] = (tally[status] ?? 0) + 1;
    return tally;
  }

  network(attributes: Body = {}): Promise<Attributes> {
    return this.create('network', attributes);
  }
  /** An IPv4 subnet, or IPv6 where the CIDR is one. */
  subnet(network: { readonly id: string }, cidr: string, attributes: Body = {}): Promise<Attributes> {
    return this.create('subnet', { network_id: network.id, ...ipVersion(cidr), ...attributes });
  }
  port(network: { readonly id: string }, attributes: Body = {}): Promise<Attributes> {
    return this.create('port', { network_id: network.id, ...attributes });
  }
}

/** The attributes of a subnet that follow from its CIDR. */
export const ipVersion = (cidr: string) => ({ cidr, ip_version: cidr.includes(':') ? 6 : 4 });

export const SLAAC = { ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' } as const;

export interface People {
  readonly admin: Caller;
  readonly alice: Caller;
  /** May read what is alice's. */
  readonly reader: Caller;
  readonly bob: Caller;
  readonly carol: Caller;
  /** Another service of the cloud, which acts as administrator. */
  readonly nova: Caller;
}

/** An id that nothing has. */
export const unknownId = (): string => crypto.randomUUID();

type Options = Readonly<Record<string, Readonly<Record<string, string | number | boolean | readonly string[]>>>>;

/** An L2 agent is alive on the host: it reports so. */
async function reportAgent(stack: Stack, host: string): Promise<void> {
  const listeners = stack.plugins.flatMap((plugin) => plugin.stateReportListeners?.() ?? []);
  const endpoints = endpointsByTopic(listeners).get('q-reports-plugin') ?? [];
  const agent_state = {
    ...{ agent_type: 'Open vSwitch agent', binary: 'neutron-openvswitch-agent', host, topic: 'N/A', start_flag: true },
    configurations: { tunnel_types: ['vxlan'], tunneling_ip: '192.0.2.1', bridge_mappings: {} },
  };
  const args = { agent_state: { agent_state }, time: new Date().toISOString() };
  await dispatch(endpoints, host, { method: 'report_state', args, version: '1.0', context: {} });
}

/** A cloud for a file of cases, with L2 agents on the hosts; what it gives makes people in projects of their own. */
export function useCloud(name: string, options: Options = {}, hosts: readonly string[] = []): () => People {
  let stack: Stack;
  beforeAll(async () => {
    const groups = Object.keys({ ...CLOUD, ...options }) as (keyof typeof CLOUD)[];
    stack = await Stack.start(
      `cases_${name}`,
      Object.fromEntries(groups.map((group) => [group, { ...CLOUD[group], ...options[group] }])),
      8,
    );
    for (const host of hosts) await reportAgent(stack, host);
  });
  afterAll(() => stack.stop());
  return () => {
    const of = (roles: string, project = crypto.randomUUID().replaceAll('-', '')) => new Caller(stack, project, roles);
    const alice = of('member,reader');
    return {
      admin: of('admin,member,reader'),
      alice,
      reader: of('reader', alice.project),
      bob: of('member,reader'),
      carol: of('member,reader'),
      nova: of('admin,service'),
    };
  };
}

export const ids = (items: readonly { readonly id: string }[]): readonly string[] =>
  items.map(({ id }) => id).toSorted();
export const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);
