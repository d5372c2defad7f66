/** A cloud with distributed routers: hosts with L2 and L3 agents in the modes of distributed routing, and servers on them. */
import { inShort, L3Cloud } from '../l3_rpc/support.ts';
import type { Attributes } from '../router/support.ts';
import { admin, type Stack } from '../support/stack.ts';

export { admin };
export const nova = { project: 'service', roles: 'service' } as const;

export class DvrCloud {
  readonly l3: L3Cloud;

  private constructor(l3: L3Cloud) {
    this.l3 = l3;
  }

  static async start(name: string, options: Parameters<typeof Stack.start>[1] = {}): Promise<DvrCloud> {
    return new DvrCloud(await L3Cloud.start(name, options));
  }

  get stack(): Stack {
    return this.l3.stack;
  }

  get sql() {
    return this.l3.sql;
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }

  async clear(): Promise<void> {
    await this.stack.clear();
    this.stack.errors.length = 0;
  }

  /** One network node and computes: `n1`, `c1` and `c2`. */
  async hosts(): Promise<void> {
    await this.l3.agent('n1', 'dvr_snat');
    for (const host of ['c1', 'c2']) await this.l3.agent(host, 'dvr');
  }

  router(attributes: object = {}): Promise<Attributes> {
    return this.stack.create('router', { distributed: true, ...attributes });
  }

  gateway = ({ id }: Attributes) => ({ external_gateway_info: { network_id: id } });

  lan(cidr?: string, attributes: object = {}): Promise<Attributes> {
    return this.l3.lan(cidr, admin, attributes);
  }

  add(router: Attributes, body: object): Promise<Attributes> {
    return this.l3.add(router, body, admin);
  }

  remove(router: Attributes, body: object): Promise<Attributes> {
    return this.l3.done('PUT', `routers/${router.id}/remove_router_interface`, body, admin);
  }

  change(member: string, { id }: Attributes, attributes: object): Promise<Attributes> {
    return this.l3.change(member, id, attributes, admin);
  }

  async delete(collection: string, { id }: Attributes): Promise<void> {
    await this.l3.done('DELETE', `${collection}/${id}`, undefined, admin);
  }

  refusal(method: string, path: string, body?: unknown): Promise<string> {
    return this.l3.refusal(method, path, body, admin);
  }

  /** A server's port on a network, bound to a host. */
  server({ net, sub }: Attributes, host: string, attributes: object = {}): Promise<Attributes> {
    return this.stack.create('port', {
      network_id: net.id,
      fixed_ips: [{ subnet_id: sub.id }],
      device_owner: 'compute:nova',
      device_id: 'server',
      ...(host === '' ? {} : { 'binding:host_id': host }),
      ...attributes,
    });
  }

  /** A distributed router with a gateway between a network inside and an external one. */
  async connected() {
    const [outside, inside] = [await this.l3.external(), await this.lan()];
    const router = await this.router(this.gateway(outside.net));
    await this.add(router, { subnet_id: inside.sub.id });
    return { outside, inside, router };
  }

  /** The ports of a device whose owner is named so, with their addresses, in order. */
  async portsOf(device: string, owner: string): Promise<Attributes[]> {
    const ports = await this.l3.portsOf(device);
    return ports.filter((port) => port.device_owner === `network:${owner}`);
  }

  /** The subnets that SNAT ports of a router are on: of each port those of its addresses. */
  async snat(router: Attributes): Promise<string[][]> {
    const ports = await this.portsOf(router.id, 'router_centralized_snat');
    return ports
      .map(({ fixed_ips }) => fixed_ips.map(({ subnet_id }: Attributes) => subnet_id).toSorted())
      .toSorted((a, b) => (a[0] < b[0] ? -1 : 1));
  }

  /** What L3 agents of hosts are told of the work, but for what goes to the network node; routers by name. */
  async told(work: () => Promise<unknown>, ...methods: readonly string[]): Promise<readonly string[]> {
    const messages = await this.l3.told(work);
    const routers = await this.sql<{ id: string; name: string }[]>`select id, name from routers`;
    const names = new Map(routers.map(({ id, name }) => [id, name === '' ? 'router' : name]));
    return inShort(
      messages.filter(({ method }) => methods.length === 0 || methods.includes(method)),
      names,
    );
  }
}
