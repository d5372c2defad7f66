/**
 * The extensions around segments (neutron_lib.api.definitions: segment, standard_attr_segment, subnet_segmentid_writable,
 * l2_adjacency).
 */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, READ_ONLY, STANDARD_ATTRIBUTES } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, INTEGER, orNull, TEXT, UUID } from '#src/lib/api/schema.ts';

const FIXED = { allow_post: true, allow_put: false, is_visible: true } as const satisfies AttributeSpec;
/** Segments belong to their network's owner; clients may name one, and it is not kept. */
const OWNER = {
  allow_post: true,
  allow_put: false,
  validate: { 'type:string': 255 },
  is_visible: false,
} as const satisfies AttributeSpec;

const SEGMENTS: ResourceDefinition = {
  collection: 'segments',
  member: 'segment',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  quota: false,
  attributes: {
    id: ID,
    tenant_id: OWNER,
    project_id: OWNER,
    network_id: { ...FIXED, ...FOUND, validate: { 'type:uuid': null } },
    name: {
      allow_post: true,
      allow_put: true,
      default: ATTR_NOT_SPECIFIED,
      validate: { 'type:name_string_or_none': 255 },
      is_visible: true,
      ...FOUND,
    },
    network_type: { ...FIXED, ...FOUND, validate: { 'type:string': 32 } },
    physical_network: {
      ...FIXED,
      ...FOUND,
      default: ATTR_NOT_SPECIFIED,
      validate: { 'type:string': 64 },
      response: orNull(TEXT),
    },
    segmentation_id: {
      ...FIXED,
      is_sort_key: true,
      default: ATTR_NOT_SPECIFIED,
      convert_to: 'convert_to_int',
      response: orNull(INTEGER),
    },
    ...STANDARD_ATTRIBUTES,
  },
};

const SEGMENT_ID = {
  allow_post: true,
  allow_put: false,
  default: null,
  validate: { 'type:uuid_or_none': null },
  enforce_policy: true,
  is_visible: true,
  ...FOUND,
  response: orNull(UUID),
} as const satisfies AttributeSpec;

export const segmentExtensions: readonly ExtensionDefinition[] = [
  {
    alias: 'segment',
    name: 'Segment',
    description: 'Segments of networks, and the subnets that are on one of them',
    updated: '2016-02-24T17:00:00-00:00',
    required_extensions: ['standard-attr-description'],
    optional_extensions: ['standard-attr-segment'],
    resources: [SEGMENTS],
    attributes: { subnets: { segment_id: SEGMENT_ID } },
  },
  {
    alias: 'standard-attr-segment',
    name: 'Standard Attribute Segment Extension',
    description: 'Segments have revision numbers, timestamps and a description',
    updated: '2018-04-09T10:00:00-00:00',
    required_extensions: ['segment'],
    optional_extensions: ['standard-attr-description', 'standard-attr-timestamp', 'standard-attr-revisions'],
  },
  {
    alias: 'subnet-segmentid-writable',
    name: 'Subnet SegmentID (writable)',
    description: 'The subnet of a network with one segment can be associated with it later',
    updated: '2018-03-12T00:00:00-00:00',
    required_extensions: ['segment'],
    attributes: { subnets: { segment_id: { ...SEGMENT_ID, allow_put: true } } },
  },
  {
    alias: 'l2_adjacency',
    name: 'L2 Adjacency',
    description: 'Networks say whether all their ports reach each other on layer 2',
    updated: '2016-04-12T16:00:00-00:00',
    attributes: { networks: { l2_adjacency: { ...READ_ONLY, response: BOOLEAN } } },
  },
];
