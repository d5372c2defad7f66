/** Several gateways of one router: they belong to who has the router. */
import { type Area, members } from './area.ts';

const changed = members(200, 404);

export const routerGateways: Area = {
  routes: {
    'PUT routers/{id}/add_external_gateways': changed,
    'PUT routers/{id}/update_external_gateways': changed,
    'PUT routers/{id}/remove_external_gateways': changed,
  },
  async furnish(stack) {
    const network_id = (await stack.create('network', { 'router:external': true })).id;
    await stack.create('subnet', { network_id, ip_version: 4, cidr: '198.51.100.0/24' });
    const router = await stack.create('router', { project_id: 'alice', external_gateway_info: { network_id } });
    const body = { router: { external_gateways: [{ network_id }] } };
    return {
      ids: { routers: router.id },
      bodies: {
        'PUT routers/{id}/add_external_gateways': body,
        'PUT routers/{id}/update_external_gateways': body,
        'PUT routers/{id}/remove_external_gateways': body,
      },
    };
  },
};
