/** Routers, floating IPs and the pools that these come from. */
import { type Area, everybody, members, readers } from './area.ts';

/** What any project's members make for themselves. */
const makers = { ...everybody(201), none: 403, reader: 403, service: 403 } as const;
const seen = { ...readers('sees', 'hidden'), service: 'hidden' } as const;
const shown = { ...readers(200, 404), service: 404 } as const;
const changed = members(200, 404);

export const routers: Area = {
  routes: {
    'GET routers': seen,
    'POST routers': makers,
    'GET routers/{id}': shown,
    'PUT routers/{id}': changed,
    'DELETE routers/{id}': members(204, 404),
    'PUT routers/{id}/add_router_interface': changed,
    'PUT routers/{id}/add_extraroutes': changed,
    'PUT routers/{id}/remove_extraroutes': changed,
    'GET floatingips': seen,
    'POST floatingips': makers,
    'GET floatingips/{id}': shown,
    'PUT floatingips/{id}': changed,
    'DELETE floatingips/{id}': members(204, 404),
    'GET floatingip_pools': { ...everybody('sees'), none: 'hidden', service: 'hidden' },
  },
  async furnish(stack) {
    const owner = { project_id: 'alice' };
    const outside = await stack.create('network', { 'router:external': true });
    const pool = await stack.create('subnet', { network_id: outside.id, ip_version: 4, cidr: '172.24.0.0/20' });
    // Without an interface, so that it can be deleted.
    const router = await stack.create('router', { ...owner, external_gateway_info: { network_id: outside.id } });
    const inside = await stack.create('network', owner);
    const subnet = { ...owner, network_id: inside.id, ip_version: 4, cidr: '10.0.0.0/24' };
    const free = await stack.create('subnet', subnet);
    const route = { destination: '10.9.0.0/24', nexthop: '172.24.0.9' };
    const floatingip = await stack.create('floatingip', { ...owner, floating_network_id: outside.id });
    return {
      ids: { routers: router.id, floatingips: floatingip.id, floatingip_pools: pool.id },
      bodies: {
        'POST routers': { router: { external_gateway_info: { network_id: outside.id } } },
        'PUT routers/{id}': { router: { name: 'new', external_gateway_info: null } },
        'PUT routers/{id}/add_router_interface': { subnet_id: free.id },
        'PUT routers/{id}/add_extraroutes': { router: { routes: [route] } },
        'PUT routers/{id}/remove_extraroutes': { router: { routes: [route] } },
        'POST floatingips': { floatingip: { floating_network_id: outside.id } },
        'PUT floatingips/{id}': { floatingip: { description: 'new' } },
      },
    };
  },
};

/** Of a router that has an interface. */
export const routerInterfaces: Area = {
  routes: { 'PUT routers/{id}/remove_router_interface': changed },
  async furnish(stack) {
    const owner = { project_id: 'alice' };
    const network_id = (await stack.create('network', owner)).id;
    const subnet = await stack.create('subnet', { ...owner, network_id, ip_version: 4, cidr: '10.0.0.0/24' });
    const router = await stack.create('router', owner);
    const body = { subnet_id: subnet.id };
    await stack.call('PUT', `/v2.0/routers/${router.id}/add_router_interface`, { body });
    return { ids: { routers: router.id }, bodies: { 'PUT routers/{id}/remove_router_interface': body } };
  },
};
