/** Port forwardings: they belong to who has the floating IP. */
import { type Area, members, readers } from './area.ts';

const FORWARDINGS = 'floatingips/{parent}/port_forwardings';
const makers = { ...members(201), none: 403, service: 403 } as const;

export const portForwardings: Area = {
  routes: {
    [`GET ${FORWARDINGS}`]: { ...readers('sees', 'hidden'), service: 'hidden', stranger: 404 },
    [`POST ${FORWARDINGS}`]: makers,
    [`GET ${FORWARDINGS}/{id}`]: { ...readers(200, 404), service: 404 },
    [`PUT ${FORWARDINGS}/{id}`]: members(200, 404),
    [`DELETE ${FORWARDINGS}/{id}`]: members(204, 404),
  },
  async furnish(stack) {
    const owner = { project_id: 'alice' };
    const outside = await stack.create('network', { 'router:external': true });
    await stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '172.26.0.0/20' });
    const router = await stack.create('router', { ...owner, external_gateway_info: { network_id: outside.id } });
    const inside = await stack.create('network', owner);
    const subnet = { ...owner, network_id: inside.id, ip_version: 4, cidr: '10.0.0.0/24' };
    const body = { subnet_id: (await stack.create('subnet', subnet)).id };
    await stack.call('PUT', `/v2.0/routers/${router.id}/add_router_interface`, { body });
    const port = await stack.create('port', { ...owner, network_id: inside.id });
    const floatingip = await stack.create('floatingip', { ...owner, floating_network_id: outside.id });
    const to = { protocol: 'tcp', internal_port_id: port.id, internal_ip_address: port.fixed_ips[0].ip_address };
    const made = await stack.call('POST', `/v2.0/floatingips/${floatingip.id}/port_forwardings`, {
      body: { port_forwarding: { ...to, internal_port: 80, external_port: 8080 } },
    });
    return {
      ids: { floatingips: floatingip.id, port_forwardings: made.body.port_forwarding.id },
      bodies: {
        [`POST ${FORWARDINGS}`]: { port_forwarding: { ...to, internal_port: 22, external_port: 2222 } },
        [`PUT ${FORWARDINGS}/{id}`]: { port_forwarding: { description: 'new' } },
      },
    };
  },
};
