/** Address scopes and subnet pools. */
import { type Area, everybody, members, readers } from './area.ts';

/** What any project's members make for themselves. */
const makers = { ...everybody(201), none: 403, reader: 403, service: 403 } as const;
const seen = { ...readers('sees', 'hidden'), service: 'hidden' } as const;
const shown = { ...readers(200, 404), service: 404 } as const;
const changed = members(200, 404);

export const subnetPools: Area = {
  routes: {
    'GET address_scopes': seen,
    'POST address_scopes': makers,
    'GET address_scopes/{id}': shown,
    'PUT address_scopes/{id}': changed,
    'DELETE address_scopes/{id}': members(204, 404),
    'GET subnetpools': seen,
    'POST subnetpools': makers,
    'GET subnetpools/{id}': shown,
    'PUT subnetpools/{id}': changed,
    'DELETE subnetpools/{id}': members(204, 404),
    'PUT subnetpools/{id}/add_prefixes': changed,
    'PUT subnetpools/{id}/remove_prefixes': changed,
    'PUT subnetpools/{id}/onboard_network_subnets': changed,
  },
  async furnish(stack) {
    const owner = { project_id: 'alice' };
    const scope = await stack.create('address_scope', { ...owner, ip_version: 4 });
    const pool = await stack.create('subnetpool', { ...owner, name: 'pool', prefixes: ['10.64.0.0/16'] });
    const network = await stack.create('network', owner);
    return {
      ids: { address_scopes: scope.id, subnetpools: pool.id },
      bodies: {
        'POST address_scopes': { address_scope: { ip_version: 4 } },
        'POST subnetpools': { subnetpool: { name: 'new', prefixes: ['10.65.0.0/16'] } },
        'PUT address_scopes/{id}': { address_scope: { name: 'new' } },
        'PUT subnetpools/{id}': { subnetpool: { name: 'new' } },
        'PUT subnetpools/{id}/add_prefixes': { prefixes: ['10.66.0.0/16'] },
        'PUT subnetpools/{id}/remove_prefixes': { prefixes: ['10.64.128.0/17'] },
        'PUT subnetpools/{id}/onboard_network_subnets': { network_id: network.id },
      },
    };
  },
};
