/** A cloud with port forwardings: a router between a network of alice's and an external one, and a floating IP that leads nowhere. */

import { type Attributes, alice, Cloud } from '../router/support.ts';
import type { Stack, Who } from '../support/stack.ts';

export const OPTIONS = { DEFAULT: { service_plugins: ['router', 'port_forwarding'] } };

export class Forwarding {
  readonly cloud: Cloud;
  readonly outside: Attributes;
  readonly inside: Attributes;
  readonly router: Attributes;
  /** Inside. */
  readonly port: Attributes;
  readonly floatingip: Attributes;

  private constructor(cloud: Cloud, parts: Attributes, floatingip: Attributes) {
    this.cloud = cloud;
    this.outside = parts.outside;
    this.inside = parts.inside;
    this.router = parts.router;
    this.port = parts.port;
    this.floatingip = floatingip;
  }

  static async make(stack: Stack, cloud = new Cloud(stack)): Promise<Forwarding> {
    const parts = await cloud.connected();
    return new Forwarding(cloud, parts, await cloud.floating(parts.outside.net));
  }

  path(id = '', floatingip = this.floatingip): string {
    return `floatingips/${floatingip.id}/port_forwardings${id === '' ? '' : `/${id}`}`;
  }

  /** To port 80 of the port inside, unless told otherwise. */
  wish(attributes: Attributes = {}): Attributes {
    const port = attributes.port ?? this.port;
    const { port: _, ...rest } = attributes;
    return {
      ...{ protocol: 'tcp', internal_port_id: port.id, internal_ip_address: port.fixed_ips[0].ip_address },
      ...('internal_port' in rest || 'internal_port_range' in rest ? {} : { internal_port: 80 }),
      ...rest,
    };
  }

  async forward(attributes: Attributes, floatingip = this.floatingip): Promise<Attributes> {
    const body = { port_forwarding: this.wish(attributes) };
    return (await this.cloud.done('POST', this.path('', floatingip), body)).port_forwarding;
  }

  refused(attributes: Attributes, floatingip = this.floatingip, as: Who = alice): Promise<string> {
    return this.cloud.refusal('POST', this.path('', floatingip), { port_forwarding: this.wish(attributes) }, as);
  }

  async change(id: string, attributes: Attributes): Promise<Attributes> {
    return (await this.cloud.done('PUT', this.path(id), { port_forwarding: attributes })).port_forwarding;
  }

  refusedChange(id: string, attributes: Attributes): Promise<string> {
    return this.cloud.refusal('PUT', this.path(id), { port_forwarding: attributes });
  }

  async list(query = ''): Promise<Attributes[]> {
    return (await this.cloud.done('GET', `${this.path()}${query}`)).port_forwardings;
  }

  show(): Promise<Attributes> {
    return this.cloud.show('floatingip', this.floatingip.id);
  }

  /** Another port inside. */
  another(attributes: object = {}): Promise<Attributes> {
    return this.cloud.stack.create('port', { network_id: this.inside.net.id, ...attributes }, alice);
  }
}
