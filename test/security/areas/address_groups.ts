/** Address groups. */
import { type Area, everybody, members, readers } from './area.ts';

export const addressGroups: Area = {
  routes: {
    'GET address_groups': { ...readers('sees', 'hidden'), service: 'hidden' },
    'POST address_groups': { ...everybody(201), none: 403, reader: 403, service: 403 },
    'GET address_groups/{id}': { ...readers(200, 404), service: 404 },
    'PUT address_groups/{id}': members(200, 404),
    'DELETE address_groups/{id}': members(204, 404),
    'PUT address_groups/{id}/add_addresses': members(200, 404),
    'PUT address_groups/{id}/remove_addresses': members(200, 404),
  },
  async furnish(stack) {
    const group = await stack.create('address_group', { project_id: 'alice', addresses: ['10.0.0.0/8'] });
    return {
      ids: { address_groups: group.id },
      bodies: {
        'POST address_groups': { address_group: { name: 'new', addresses: ['192.0.2.0/24'] } },
        'PUT address_groups/{id}': { address_group: { name: 'new' } },
        'PUT address_groups/{id}/add_addresses': { addresses: ['192.0.2.0/24'] },
        'PUT address_groups/{id}/remove_addresses': { addresses: ['10.0.0.0/8'] },
      },
    };
  },
};
