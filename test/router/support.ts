/** A cloud with the router plugin: an external network, and callers who make routers. */
import { type Answer, member, type Stack, type Who } from '../support/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: attributes of any shape are looked into
export type Attributes = any;

export const alice = member('alice');
export const bob = member('bob');
export const erin = member('erin');
export const OPTIONS = { DEFAULT: { service_plugins: ['router'] } };

export class Cloud {
  readonly stack: Stack;
  #number = 0;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  next(): number {
    return ++this.#number;
  }

  ask(method: string, path: string, body?: unknown, as: Who = alice): Promise<Answer> {
    return this.stack.call(method, `/v2.0/${path}`, body === undefined ? { as } : { as, body });
  }

  /** Any request that must work; what is below the first key of its answer, or the answer. */
  async done(method: string, path: string, body?: unknown, as: Who = alice): Promise<Attributes> {
    const { status, text, body: answer } = await this.ask(method, path, body, as);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return answer;
  }

  /** The status and the error's type of a request that must be refused. */
  async refusal(method: string, path: string, body?: unknown, as: Who = alice): Promise<string> {
    const { status, body: answer } = await this.ask(method, path, body, as);
    return `${status} ${answer?.NeutronError?.type ?? ''}`.trim();
  }

  async external(cidr = `172.24.${this.next()}.0/24`, attributes: Attributes = {}) {
    const net = await this.stack.create('network', { 'router:external': true, ...attributes });
    return { net, sub: await this.stack.create('subnet', { network_id: net.id, ip_version: 4, cidr }) };
  }

  async lan(cidr = `10.0.${this.next()}.0/24`, as: Who = alice, attributes: Attributes = {}) {
    const net = await this.stack.create('network', {}, as);
    const ip_version = cidr.includes(':') ? 6 : 4;
    return { net, sub: await this.stack.create('subnet', { network_id: net.id, ip_version, cidr, ...attributes }, as) };
  }

  router(network?: Attributes, as: Who = alice): Promise<Attributes> {
    const gateway = network === undefined ? {} : { external_gateway_info: { network_id: network.id } };
    return this.stack.create('router', gateway, as);
  }

  add({ id }: Attributes, body: object, as: Who = alice): Promise<Attributes> {
    return this.done('PUT', `routers/${id}/add_router_interface`, body, as);
  }

  remove({ id }: Attributes, body: object): Promise<Attributes> {
    return this.done('PUT', `routers/${id}/remove_router_interface`, body);
  }

  async show(member: string, id: string, as?: Who): Promise<Attributes> {
    return (await this.stack.call('GET', `/v2.0/${member}s/${id}`, as === undefined ? {} : { as })).body[member];
  }

  async change(member: string, id: string, attributes: object, as: Who = alice): Promise<Attributes> {
    return (await this.done('PUT', `${member}s/${id}`, { [member]: attributes }, as))[member];
  }

  /** A router between a network of alice's and an external one, and a port inside. */
  async connected() {
    const [outside, inside] = [await this.external(), await this.lan()];
    const router = await this.router(outside.net);
    await this.add(router, { subnet_id: inside.sub.id });
    const port = await this.stack.create('port', { network_id: inside.net.id }, alice);
    return { outside, inside, router, port };
  }

  floating(network: Attributes, attributes: object = {}, as: Who = alice): Promise<Attributes> {
    return this.stack.create('floatingip', { floating_network_id: network.id, ...attributes }, as);
  }

  /** Ports of a router or floating IP, as the administrator sees them. */
  async portsOf(device: string): Promise<Attributes[]> {
    return (await this.stack.call('GET', `/v2.0/ports?device_id=${device}`)).body.ports;
  }

  async used(project: string): Promise<Readonly<Record<string, number>>> {
    const { quota } = (await this.stack.call('GET', `/v2.0/quotas/${project}/details`)).body;
    return Object.fromEntries(Object.entries(quota).map(([name, detail]) => [name, (detail as { used: number }).used]));
  }
}
