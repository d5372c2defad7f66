/** The core resource `networks` (neutron_lib.api.definitions.network). */

import { ID, NAME, OWNER, READ_ONLY, STATUS, SWITCH } from '#src/lib/api/common_attributes.ts';
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import { listOf, UUID } from '#src/lib/api/schema.ts';

export const NETWORKS: ResourceDefinition = {
  collection: 'networks',
  member: 'network',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  attributes: {
    id: ID,
    name: NAME,
    subnets: { ...READ_ONLY, default: [], response: listOf(UUID) },
    admin_state_up: SWITCH,
    status: STATUS,
    tenant_id: OWNER,
    shared: {
      allow_post: true,
      allow_put: true,
      default: false,
      convert_to: 'convert_to_boolean',
      is_visible: true,
      is_filter: true,
      required_by_policy: true,
      enforce_policy: true,
    },
  },
};
