/** The core resource `ports` (neutron_lib.api.definitions.port). */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import { ID, NAME, OWNER, STATUS, SWITCH } from '#src/lib/api/common_attributes.ts';
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import { IP, listOf, objectOf, UUID } from '#src/lib/api/schema.ts';

const DEVICE = {
  allow_post: true,
  allow_put: true,
  validate: { 'type:string': 255 },
  default: '',
  enforce_policy: true,
  is_visible: true,
  is_filter: true,
  is_sort_key: true,
} as const;

export const PORTS: ResourceDefinition = {
  collection: 'ports',
  member: 'port',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  policy_parents: { network: 'network_id' },
  attributes: {
    id: ID,
    name: NAME,
    network_id: {
      allow_post: true,
      allow_put: false,
      required_by_policy: true,
      validate: { 'type:uuid': null },
      is_visible: true,
      is_filter: true,
      is_sort_key: true,
    },
    admin_state_up: SWITCH,
    mac_address: {
      allow_post: true,
      allow_put: true,
      default: ATTR_NOT_SPECIFIED,
      // A null asks for a new one (port-mac-address-regenerate).
      convert_to: 'convert_to_mac_if_none',
      validate: { 'type:mac_address': null },
      enforce_policy: true,
      is_visible: true,
      is_filter: true,
      is_sort_key: true,
    },
    fixed_ips: {
      allow_post: true,
      allow_put: true,
      default: ATTR_NOT_SPECIFIED,
      convert_list_to: 'convert_kvp_list_to_dict',
      validate: { 'type:fixed_ips': null },
      response: listOf(objectOf({ subnet_id: UUID, ip_address: IP })),
      enforce_policy: true,
      is_visible: true,
      is_filter: true,
    },
    device_id: DEVICE,
    device_owner: DEVICE,
    tenant_id: OWNER,
    status: STATUS,
  },
};
