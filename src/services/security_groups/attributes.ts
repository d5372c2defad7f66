/** The attribute maps of security groups, of their rules, and of what new groups start with (facts of neutron.extensions). */
import { ATTR_NOT_SPECIFIED, type AttributeMap, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { ID, OWNER, READ_ONLY, STANDARD_ATTRIBUTES } from '#src/lib/api/common_attributes.ts';
import { BOOLEAN, CIDR, INTEGER, listOf, OBJECT, orNull, TEXT, UUID } from '#src/lib/api/schema.ts';

const FIXED = { allow_post: true, allow_put: false, is_visible: true, is_filter: true, is_sort_key: true } as const;
const OPTIONAL = { ...FIXED, default: null } as const;

const OWNERS: AttributeMap = { tenant_id: OWNER, project_id: OWNER };

const PORT: AttributeSpec = { ...OPTIONAL, convert_to: 'convert_validate_port_value', response: orNull(INTEGER) };

/** What a rule matches. */
const MATCH: AttributeMap = {
  direction: { ...FIXED, validate: { 'type:values': ['ingress', 'egress'] } },
  ethertype: {
    ...FIXED,
    default: 'IPv4',
    convert_to: 'convert_ethertype_to_case_insensitive',
    validate: { 'type:values': ['IPv4', 'IPv6'] },
  },
  protocol: { ...OPTIONAL, convert_to: 'convert_protocol', response: orNull(TEXT) },
  port_range_min: PORT,
  port_range_max: PORT,
  remote_ip_prefix: { ...OPTIONAL, convert_to: 'convert_ip_prefix_to_cidr', response: orNull(CIDR) },
  remote_address_group_id: { ...OPTIONAL, response: orNull(UUID) },
};

export const GROUP: AttributeMap = {
  id: ID,
  name: { ...FIXED, allow_put: true, default: '', validate: { 'type:name_not_default': 255 } },
  ...OWNERS,
  stateful: {
    allow_post: true,
    allow_put: true,
    // As `security_groups_default_statefulness` has it, which is true where nothing is set.
    default: ATTR_NOT_SPECIFIED,
    convert_to: 'convert_to_boolean',
    is_visible: true,
    is_filter: true,
  },
  security_group_rules: { ...READ_ONLY, response: listOf(OBJECT) },
  ...STANDARD_ATTRIBUTES,
};

export const SHARED: AttributeSpec = {
  ...READ_ONLY,
  convert_to: 'convert_to_boolean',
  is_filter: true,
  required_by_policy: true,
  enforce_policy: true,
  response: BOOLEAN,
};

export const RULE: AttributeMap = {
  id: ID,
  ...OWNERS,
  security_group_id: { ...FIXED, validate: { 'type:string': 36 }, required_by_policy: true },
  ...MATCH,
  remote_group_id: { ...OPTIONAL, response: orNull(UUID) },
  ...STANDARD_ATTRIBUTES,
};

export const NORMALIZED_CIDR: AttributeSpec = {
  ...READ_ONLY,
  validate: { 'type:subnet_or_none': null },
  is_filter: true,
  is_sort_key: true,
  response: orNull(CIDR),
};

export const BELONGS_TO_DEFAULT: AttributeSpec = {
  ...READ_ONLY,
  convert_to: 'convert_to_boolean_if_not_none',
  is_filter: true,
  response: BOOLEAN,
};

const USED: AttributeSpec = {
  allow_post: true,
  allow_put: false,
  convert_to: 'convert_to_boolean',
  is_visible: true,
  is_filter: true,
};
const HIDDEN_OWNER: AttributeSpec = { allow_post: true, allow_put: false, validate: { 'type:string': 255 } };

export const DEFAULT_RULE: AttributeMap = {
  id: ID,
  tenant_id: HIDDEN_OWNER,
  project_id: HIDDEN_OWNER,
  ...MATCH,
  /** A group's id, or PARENT for the group that the rule comes to be in. */
  remote_group_id: { ...OPTIONAL, response: orNull(TEXT) },
  used_in_default_sg: USED,
  used_in_non_default_sg: USED,
  ...STANDARD_ATTRIBUTES,
};

export const STATEFULNESS: AttributeMap = {
  id: ID,
  project_id: {
    ...OPTIONAL,
    validate: { 'type:string_or_none': 255 },
    required_by_policy: true,
    response: orNull(TEXT),
  },
  stateful: { ...FIXED, allow_put: true, default: true, convert_to: 'convert_to_boolean' },
};

/** Of ports; in one order, so that the same groups in another order are no change. */
export const PORT_GROUPS: AttributeSpec = {
  allow_post: true,
  allow_put: true,
  default: ATTR_NOT_SPECIFIED,
  convert_to: (value) => (value === null ? [] : Array.isArray(value) ? value.toSorted() : value),
  validate: { 'type:uuid_list': null },
  is_visible: true,
  is_filter: true,
  response: listOf(UUID),
};
