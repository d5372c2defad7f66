/** The core resource `subnets` (neutron_lib.api.definitions.subnet). */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { ID, NAME, OWNER, SWITCH } from '#src/lib/api/common_attributes.ts';
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import { CIDR, orNull, TEXT } from '#src/lib/api/schema.ts';

const FIXED = { allow_post: true, allow_put: false, is_visible: true, is_filter: true, is_sort_key: true } as const;
const CHANGEABLE = { allow_post: true, allow_put: true, default: ATTR_NOT_SPECIFIED, is_visible: true } as const;
const IPV6_MODE = {
  ...FIXED,
  default: ATTR_NOT_SPECIFIED,
  validate: { 'type:values': ['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'] },
  response: orNull({ ...TEXT, enum: ['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'] }),
} as const satisfies AttributeSpec;

export const SUBNETS: ResourceDefinition = {
  collection: 'subnets',
  member: 'subnet',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  policy_parents: { network: 'network_id' },
  attributes: {
    id: ID,
    name: NAME,
    ip_version: { ...FIXED, convert_to: 'convert_to_int', validate: { 'type:values': [4, 6] } },
    network_id: { ...FIXED, required_by_policy: true, validate: { 'type:uuid': null } },
    subnetpool_id: { ...FIXED, default: ATTR_NOT_SPECIFIED, validate: { 'type:subnetpool_id_or_none': null } },
    prefixlen: {
      allow_post: true,
      allow_put: false,
      validate: { 'type:non_negative': null },
      convert_to: 'convert_to_int',
      default: ATTR_NOT_SPECIFIED,
      is_visible: false,
    },
    cidr: {
      ...FIXED,
      default: ATTR_NOT_SPECIFIED,
      convert_to: 'convert_cidr_to_canonical_format',
      validate: { 'type:subnet_or_none': null },
      response: CIDR,
    },
    gateway_ip: {
      ...CHANGEABLE,
      convert_to: 'convert_ip_to_canonical_format',
      validate: { 'type:ip_address_or_none': null },
      is_filter: true,
      is_sort_key: true,
    },
    allocation_pools: {
      ...CHANGEABLE,
      convert_to: 'convert_allocation_pools_to_canonical_format',
      validate: { 'type:ip_pools': null },
    },
    dns_nameservers: {
      ...CHANGEABLE,
      convert_to: 'convert_none_to_empty_list',
      validate: { 'type:nameservers': null },
    },
    host_routes: { ...CHANGEABLE, convert_to: 'convert_none_to_empty_list', validate: { 'type:hostroutes': null } },
    tenant_id: OWNER,
    enable_dhcp: SWITCH,
    ipv6_ra_mode: IPV6_MODE,
    ipv6_address_mode: IPV6_MODE,
    shared: {
      allow_post: false,
      allow_put: false,
      default: false,
      convert_to: 'convert_to_boolean',
      is_visible: false,
      is_filter: true,
      required_by_policy: true,
      enforce_policy: true,
    },
  },
};
