/** Segments of networks, and how many addresses networks have. */
import { type Area, everybody, only } from './area.ts';

export const segments: Area = {
  routes: {
    'GET segments': only('sees', 'hidden'),
    'POST segments': only(201, 403),
    'GET segments/{id}': only(200, 404),
    'PUT segments/{id}': only(200, 404),
    'DELETE segments/{id}': only(204, 404),
    'GET network_ip_availabilities': { ...everybody('hidden'), admin: 'sees', service: 'sees' },
    'GET network_ip_availabilities/{id}': { ...everybody(404), admin: 200, service: 200 },
  },
  async furnish(stack) {
    const network = await stack.create('network', { project_id: 'alice', 'provider:network_type': 'vxlan' });
    const segment = await stack.create('segment', { network_id: network.id, network_type: 'vxlan' });
    const subnet = { network_id: network.id, project_id: 'alice', ip_version: 4, cidr: '10.9.0.0/24' };
    await stack.create('subnet', subnet);
    return {
      ids: { segments: segment.id, network_ip_availabilities: network.id },
      bodies: {
        'POST segments': { segment: { network_id: network.id, network_type: 'vxlan' } },
        'PUT segments/{id}': { segment: { name: 'new' } },
      },
    };
  },
};
