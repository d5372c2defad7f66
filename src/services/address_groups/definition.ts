/** The resource `address_groups` and its sharing (neutron_lib.api.definitions.address_group, rbac_address_groups). */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import { FOUND, ID, OWNER, READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ActionDefinition, ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, CIDR, INTEGER, listOf, type Schema, TEXT, TIME, UUID } from '#src/lib/api/schema.ts';

const TEXT_ATTRIBUTE = { allow_post: true, allow_put: true, default: '', is_visible: true, ...FOUND } as const;

const ADDRESSES: Schema = listOf(CIDR);

/** Adds or removes addresses; the answer is the group as it is then. */
const CHANGE: ActionDefinition = {
  method: 'PUT',
  request: { type: 'object', properties: { addresses: listOf(TEXT) }, required: ['addresses'] },
  response: {
    type: 'object',
    properties: {
      address_group: {
        type: 'object',
        properties: {
          id: UUID,
          name: TEXT,
          description: TEXT,
          tenant_id: TEXT,
          project_id: TEXT,
          shared: BOOLEAN,
          addresses: ADDRESSES,
          revision_number: INTEGER,
          created_at: TIME,
          updated_at: TIME,
        },
      },
    },
    required: ['address_group'],
  },
};

const ADDRESS_GROUPS: ResourceDefinition = {
  collection: 'address_groups',
  denial: 'absent',
  member: 'address_group',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  // Neutron counts none either.
  quota: false,
  member_actions: { add_addresses: CHANGE, remove_addresses: CHANGE },
  attributes: {
    id: ID,
    name: { ...TEXT_ATTRIBUTE, validate: { 'type:name_string': 255 } },
    // Neutron's map says 1024, and its column holds 255.
    description: { ...TEXT_ATTRIBUTE, validate: { 'type:string': 255 } },
    project_id: OWNER,
    addresses: {
      allow_post: true,
      allow_put: false,
      default: ATTR_NOT_SPECIFIED,
      convert_to: 'convert_none_to_empty_list',
      validate: { 'type:subnet_list': null },
      is_visible: true,
      response: ADDRESSES,
    },
    // Not shown, and still what the rule of a shared group asks for.
    shared: {
      allow_post: false,
      allow_put: false,
      default: false,
      convert_to: 'convert_to_boolean',
      is_visible: false,
      required_by_policy: true,
    },
    revision_number: { ...READ_ONLY, default: null, is_filter: true, response: INTEGER },
    created_at: { ...READ_ONLY, default: null, response: TIME },
    updated_at: { ...READ_ONLY, default: null, response: TIME },
  },
};

export const ADDRESS_GROUP_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'address-group',
    name: 'Address group',
    description: 'Groups of addresses that rules of security groups point to',
    updated: '2020-07-15T10:00:00-00:00',
    required_extensions: ['security-group'],
    resources: [ADDRESS_GROUPS],
  },
  {
    alias: 'rbac-address-group',
    name: 'Add address_group type to RBAC',
    description: 'Address groups are shared with other projects',
    updated: '2021-01-20T00:00:00-00:00',
    required_extensions: ['rbac-policies', 'security-group'],
  },
];
