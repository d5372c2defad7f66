/** The core resource `subnetpools` and the extensions around it (neutron_lib.api.definitions.subnetpool and others). */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, OWNER, READ_ONLY, STANDARD_ATTRIBUTES } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { CIDR, INTEGER, listOf, objectOf, orNull, type Schema, UUID } from '#src/lib/api/schema.ts';

const NUMBER = {
  allow_post: true,
  allow_put: true,
  default: ATTR_NOT_SPECIFIED,
  convert_to: 'convert_to_int',
  is_visible: true,
  ...FOUND,
} as const satisfies AttributeSpec;
/** A number that answers carry as text. */
const PREFIX_LENGTH: AttributeSpec = {
  ...NUMBER,
  validate: { 'type:non_negative': null },
  response: { type: 'string', pattern: '^\\d+$' },
};
const MARK = {
  allow_post: true,
  default: false,
  convert_to: 'convert_to_boolean',
  required_by_policy: true,
  enforce_policy: true,
  is_visible: true,
  ...FOUND,
} as const;
/** What the column holds. */
const LARGEST_QUOTA = 2 ** 31 - 1;

export const SUBNETPOOLS: ResourceDefinition = {
  collection: 'subnetpools',
  member: 'subnetpool',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  attributes: {
    id: ID,
    name: {
      allow_post: true,
      allow_put: true,
      // Neutron names no bound here and answers 500 beyond that of its column.
      validate: { 'type:not_empty_name_string': 255 },
      is_visible: true,
      ...FOUND,
    },
    tenant_id: OWNER,
    project_id: OWNER,
    prefixes: {
      allow_post: true,
      allow_put: true,
      validate: { 'type:subnet_list': null },
      is_visible: true,
      response: listOf(CIDR),
    },
    default_quota: {
      ...NUMBER,
      validate: { 'type:range': [0, LARGEST_QUOTA] },
      response: orNull(INTEGER),
    },
    ip_version: { ...READ_ONLY, ...FOUND, response: INTEGER },
    default_prefixlen: PREFIX_LENGTH,
    min_prefixlen: PREFIX_LENGTH,
    max_prefixlen: PREFIX_LENGTH,
    is_default: { ...MARK, allow_put: true },
    shared: { ...MARK, allow_put: false },
    ...STANDARD_ATTRIBUTES,
  },
};

const PREFIXES: Schema = objectOf({ prefixes: listOf(CIDR) });
const ofPrefixes = { method: 'PUT', request: PREFIXES, response: PREFIXES } as const;

export const SUBNETPOOL_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'subnet_allocation',
    name: 'Subnet Allocation',
    description: 'Subnets get their addresses from subnet pools',
    updated: '2015-03-30T10:00:00-00:00',
  },
  {
    alias: 'default-subnetpools',
    name: 'Default Subnetpools',
    description: 'One subnet pool of each IP version may be the default, which subnets ask for without its id',
    updated: '2016-02-18T18:00:00-00:00',
    required_extensions: ['subnet_allocation'],
    attributes: {
      subnets: {
        use_default_subnetpool: {
          allow_post: true,
          allow_put: false,
          default: false,
          convert_to: 'convert_to_boolean',
          is_visible: false,
        },
      },
    },
  },
  {
    alias: 'subnet_onboard',
    name: 'Subnet Onboard',
    description: "A network's subnets are moved into a subnet pool",
    updated: '2018-12-18T09:00:00-00:00',
    required_extensions: ['subnet_allocation'],
    member_actions: {
      subnetpools: {
        onboard_network_subnets: {
          method: 'PUT',
          request: objectOf({ network_id: UUID }),
          response: listOf(objectOf({ id: UUID, cidr: CIDR })),
        },
      },
    },
  },
  {
    alias: 'subnetpool-prefix-ops',
    name: 'Subnet Pool Prefix Operations',
    description: 'Prefixes are added to a subnet pool and taken from it',
    updated: '2019-02-08T10:00:00-00:00',
    required_extensions: ['subnet_allocation'],
    member_actions: { subnetpools: { add_prefixes: ofPrefixes, remove_prefixes: ofPrefixes } },
  },
  {
    alias: 'rbac-subnetpool',
    name: 'Add subnetpool type to RBAC',
    description: 'Subnet pools can be shared with projects by RBAC policies',
    updated: '2020-02-05T00:00:00-00:00',
    required_extensions: ['rbac-policies', 'rbac-address-scope'],
  },
];
