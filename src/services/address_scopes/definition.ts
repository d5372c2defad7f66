/** The resource `address_scopes` and what networks tell of it (neutron_lib.api.definitions.address_scope). */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, NAME, OWNER } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { orNull, UUID } from '#src/lib/api/schema.ts';

/** The scope of a network's subnets of one IP version. */
const SCOPE_OF_NETWORK: AttributeSpec = {
  allow_post: false,
  allow_put: false,
  is_visible: true,
  response: orNull(UUID),
};

const ADDRESS_SCOPES: ResourceDefinition = {
  collection: 'address_scopes',
  member: 'address_scope',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  quota: false,
  attributes: {
    id: ID,
    name: NAME,
    tenant_id: OWNER,
    project_id: OWNER,
    shared: {
      allow_post: true,
      allow_put: true,
      default: false,
      convert_to: 'convert_to_boolean',
      required_by_policy: true,
      enforce_policy: true,
      is_visible: true,
      ...FOUND,
    },
    ip_version: {
      allow_post: true,
      allow_put: false,
      convert_to: 'convert_to_int',
      validate: { 'type:values': [4, 6] },
      is_visible: true,
      ...FOUND,
    },
  },
};

export const ADDRESS_SCOPE_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'address-scope',
    name: 'Address scope',
    description: 'Scopes in which addresses are unique, so that traffic between their networks needs no translation',
    updated: '2015-07-26T10:00:00-00:00',
    resources: [ADDRESS_SCOPES],
    attributes: {
      networks: { ipv4_address_scope: SCOPE_OF_NETWORK, ipv6_address_scope: SCOPE_OF_NETWORK },
      subnetpools: {
        address_scope_id: {
          allow_post: true,
          allow_put: true,
          default: ATTR_NOT_SPECIFIED,
          validate: { 'type:uuid_or_none': null },
          is_visible: true,
          ...FOUND,
          response: orNull(UUID),
        },
      },
    },
  },
  {
    alias: 'rbac-address-scope',
    name: 'Add address_scope type to RBAC',
    description: 'Address scopes can be shared with projects by RBAC policies',
    updated: '2020-02-12T00:00:00-00:00',
    required_extensions: ['rbac-policies', 'address-scope'],
  },
];
