/** A cloud with NDP proxies: a router between IPv6 subnets of one address scope, outside and inside. */

import { type Attributes, alice, Cloud } from '../router/support.ts';
import type { Stack } from '../support/stack.ts';

export const OPTIONS = { DEFAULT: { service_plugins: ['router', 'ndp_proxy'] } };

export class Proxying {
  readonly cloud: Cloud;
  readonly #stack: Stack;
  /** A pool of the shared address scope. */
  readonly pool: Attributes;
  readonly external: Attributes;

  private constructor(stack: Stack, pool: Attributes, external: Attributes) {
    this.#stack = stack;
    this.cloud = new Cloud(stack);
    this.pool = pool;
    this.external = external;
  }

  static async make(stack: Stack): Promise<Proxying> {
    const pool = await Proxying.pool(stack, '2001:db8::/32');
    const external = await stack.create('network', { 'router:external': true });
    await stack.create('subnet', { network_id: external.id, ip_version: 4, cidr: '172.24.0.0/20' });
    await stack.create('subnet', { network_id: external.id, ip_version: 6, subnetpool_id: pool.id, prefixlen: 64 });
    return new Proxying(stack, pool, external);
  }

  /** A pool in an address scope of its own, which all may use. */
  static async pool(stack: Stack, prefix: string): Promise<Attributes> {
    const scope = await stack.create('address_scope', { name: 'v6', ip_version: 6, shared: true });
    const pool = { name: 'v6', address_scope_id: scope.id, prefixes: [prefix], default_prefixlen: 64, shared: true };
    return await stack.create('subnetpool', pool);
  }

  /** A router that may have proxies unless told otherwise. */
  async router(attributes: object = { enable_ndp_proxy: true }): Promise<Attributes> {
    const gateway = { external_gateway_info: { network_id: this.external.id } };
    return await this.#stack.create('router', { ...gateway, ...attributes }, alice);
  }

  /** A network with an IPv6 subnet of a pool. */
  async lan(pool = this.pool): Promise<{ net: Attributes; sub: Attributes }> {
    const net = await this.#stack.create('network', {}, alice);
    const subnet = { network_id: net.id, ip_version: 6, subnetpool_id: pool.id };
    return { net, sub: await this.#stack.create('subnet', subnet, alice) };
  }

  /** A router on a network inside, and a port there. */
  async connected(attributes?: object, pool = this.pool) {
    const router = await this.router(attributes);
    const { net, sub } = await this.lan(pool);
    await this.cloud.add(router, { subnet_id: sub.id });
    const port = await this.#stack.create('port', { network_id: net.id }, alice);
    return { router, net, sub, port };
  }

  async proxy(router: Attributes, port: Attributes, attributes: object = {}): Promise<Attributes> {
    const ndp_proxy = { router_id: router.id, port_id: port.id, ...attributes };
    return (await this.cloud.done('POST', 'ndp-proxies', { ndp_proxy })).ndp_proxy;
  }

  refused(router: Attributes, port: Attributes, attributes: object = {}, as = alice): Promise<string> {
    const ndp_proxy = { router_id: router.id, port_id: port.id, ...attributes };
    return this.cloud.refusal('POST', 'ndp-proxies', { ndp_proxy }, as);
  }
}
