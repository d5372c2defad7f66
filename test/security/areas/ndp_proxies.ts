/** NDP proxies, between a router and a port of their project. */
import { type Area, everybody, members, readers } from './area.ts';

export const ndpProxies: Area = {
  routes: {
    'GET ndp_proxies': { ...readers('sees', 'hidden'), service: 'hidden' },
    // Whoever is not of the project does not see the port.
    'POST ndp_proxies': { ...everybody(201), none: 403, reader: 403, service: 403, stranger: 404 },
    'GET ndp_proxies/{id}': { ...readers(200, 404), service: 404 },
    'PUT ndp_proxies/{id}': members(200, 404),
    'DELETE ndp_proxies/{id}': members(204, 404),
  },
  async furnish(stack) {
    const owner = { project_id: 'alice' };
    const scope = await stack.create('address_scope', { name: 'v6', ip_version: 6 });
    const pool = await stack.create('subnetpool', {
      ...{ name: 'v6', address_scope_id: scope.id, prefixes: ['2001:db8::/32'], default_prefixlen: 64 },
    });
    const outside = await stack.create('network', { 'router:external': true });
    const subnet = { ip_version: 6, subnetpool_id: pool.id };
    await stack.create('subnet', { ...subnet, network_id: outside.id });
    const external_gateway_info = { network_id: outside.id };
    const router = await stack.create('router', { ...owner, external_gateway_info, enable_ndp_proxy: true });
    const inside = await stack.create('network', owner);
    const body = { subnet_id: (await stack.create('subnet', { ...owner, ...subnet, network_id: inside.id })).id };
    await stack.call('PUT', `/v2.0/routers/${router.id}/add_router_interface`, { body });
    const between = async () => {
      const port = await stack.create('port', { ...owner, network_id: inside.id });
      return { router_id: router.id, port_id: port.id };
    };
    const answer = await stack.call('POST', '/v2.0/ndp_proxies', {
      body: { ndp_proxy: { ...owner, ...(await between()) } },
    });
    return {
      ids: { ndp_proxies: answer.body.ndp_proxy.id },
      bodies: {
        'POST ndp_proxies': { ndp_proxy: await between() },
        'PUT ndp_proxies/{id}': { ndp_proxy: { name: 'new' } },
      },
    };
  },
};
