/** RBAC policies. */
import { type Area, everybody, members, readers } from './area.ts';

const SOMEBODY = 'f'.repeat(32);

export const rbac: Area = {
  routes: {
    'GET rbac_policies': { ...readers('sees', 'hidden'), service: 'hidden' },
    'POST rbac_policies': { ...everybody(201), none: 403, reader: 403, service: 403, stranger: 404 },
    'GET rbac_policies/{id}': { ...readers(200, 404), service: 404 },
    'PUT rbac_policies/{id}': members(200, 404),
    'DELETE rbac_policies/{id}': members(204, 404),
  },
  async furnish(stack) {
    const network = await stack.create('network', { project_id: 'alice' });
    const policy = {
      object_type: 'network',
      object_id: network.id,
      action: 'access_as_shared',
      target_tenant: SOMEBODY,
    };
    const made = await stack.call('POST', '/v2.0/rbac-policies', {
      body: { rbac_policy: { ...policy, project_id: 'alice' } },
    });
    return {
      ids: { rbac_policies: made.body.rbac_policy.id },
      bodies: {
        'POST rbac_policies': { rbac_policy: { ...policy, target_tenant: 'e'.repeat(32) } },
        'PUT rbac_policies/{id}': { rbac_policy: { target_tenant: 'd'.repeat(32) } },
      },
    };
  },
};
