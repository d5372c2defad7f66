/** The extensions that ML2 serves beside those of its extension drivers, agents and quotas. */
import { ATTR_NOT_SPECIFIED, type AttributeMap } from '#src/lib/api/attributes.ts';
import { OWNER, READ_ONLY, STANDARD_ATTRIBUTES } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import { pythonTruthy } from '#src/lib/api/python.ts';
import { INTEGER, listOf, OBJECT, orNull, TEXT } from '#src/lib/api/schema.ts';
import { VNIC_TYPES } from './vnic_types.ts';

/** The same attributes on networks, subnets and ports. */
const onAll = (attributes: AttributeMap) => ({ networks: attributes, subnets: attributes, ports: attributes });

const PROVIDER = {
  allow_post: true,
  allow_put: true,
  default: ATTR_NOT_SPECIFIED,
  enforce_policy: true,
  is_visible: true,
  is_filter: true,
} as const;
const BINDING = { default: ATTR_NOT_SPECIFIED, enforce_policy: true, is_visible: true } as const;
const SETTABLE = { ...BINDING, allow_post: true, allow_put: true } as const;
const DERIVED = { ...BINDING, allow_post: false, allow_put: false } as const;
const EXTERNAL = {
  default: false,
  is_visible: true,
  is_filter: true,
  convert_to: 'convert_to_boolean',
  enforce_policy: true,
  required_by_policy: true,
} as const;
const MTU = {
  allow_post: true,
  allow_put: true,
  default: 0,
  convert_to: 'convert_to_int',
  validate: { 'type:non_negative': null },
  enforce_policy: true,
  is_visible: true,
  is_filter: true,
  is_sort_key: true,
} as const;

/** Extensions that say what the API can do, and add nothing to it. */
const ABILITIES: readonly ExtensionDefinition[] = [
  {
    alias: 'pagination',
    name: 'Pagination support',
    description: 'Lists come in pages: limit, marker, page_reverse',
    updated: '2016-06-12T00:00:00-00:00',
  },
  {
    alias: 'sorting',
    name: 'Sorting support',
    description: 'Lists are sorted by any sort keys in either direction',
    updated: '2016-06-12T00:00:00-00:00',
  },
  {
    alias: 'filter-validation',
    name: 'Filter parameters validation',
    description: 'Filters that do not exist are refused, not ignored',
    updated: '2018-07-04T10:00:00-00:00',
  },
  {
    alias: 'empty-string-filtering',
    name: 'Empty String Filtering Extension',
    description: 'Filters by the empty string find what has none',
    updated: '2018-05-01T10:00:00-00:00',
  },
  {
    alias: 'ip-substring-filtering',
    name: 'IP address substring filtering',
    description: 'Ports are found by a part of an IP address',
    updated: '2017-11-28T09:00:00-00:00',
  },
  {
    alias: 'port-mac-address-regenerate',
    name: 'Neutron Port MAC address regenerate',
    description: 'A port whose MAC address is set to null gets a new one',
    updated: '2018-05-03T10:00:00-00:00',
  },
  {
    alias: 'revision-if-match',
    name: 'If-Match constraints based on revision_number',
    description: 'Updates and deletions happen only if the revision is still the one that the caller has seen',
    updated: '2016-12-11T00:00:00-00:00',
    required_extensions: ['standard-attr-revisions'],
  },
];

export const ML2_EXTENSIONS: readonly ExtensionDefinition[] = [
  ...ABILITIES,
  {
    alias: 'project-id',
    name: 'project_id field enabled',
    description: 'Owners go by project_id beside tenant_id',
    updated: '2016-09-09T09:09:09-09:09',
    attributes: onAll({ project_id: OWNER }),
  },
  {
    alias: 'standard-attr-description',
    name: 'standard-attr-description',
    description: 'Resources have a description',
    updated: '2016-02-10T10:00:00-00:00',
    attributes: onAll({ description: STANDARD_ATTRIBUTES.description }),
  },
  {
    alias: 'standard-attr-revisions',
    name: 'Resource revision numbers',
    description: 'Resources have a number that grows with each change',
    updated: '2016-04-11T10:00:00-00:00',
    attributes: onAll({ revision_number: STANDARD_ATTRIBUTES.revision_number }),
  },
  {
    alias: 'standard-attr-timestamp',
    name: 'Resource timestamps',
    description: 'Resources say when they were made and last changed; lists take changed_since',
    updated: '2016-09-12T10:00:00-00:00',
    attributes: onAll({
      created_at: STANDARD_ATTRIBUTES.created_at,
      updated_at: STANDARD_ATTRIBUTES.updated_at,
    }),
  },
  {
    alias: 'net-mtu',
    name: 'Network MTU',
    description: 'Networks say how big a packet they carry',
    updated: '2015-03-25T10:00:00-00:00',
    attributes: { networks: { mtu: { ...READ_ONLY, is_filter: true, is_sort_key: true, response: INTEGER } } },
  },
  {
    alias: 'net-mtu-writable',
    name: 'Network MTU (writable)',
    description: 'The MTU of a network can be set below what its segments carry',
    updated: '2017-07-12T00:00:00-00:00',
    required_extensions: ['net-mtu'],
    attributes: { networks: { mtu: MTU } },
  },
  {
    alias: 'provider',
    name: 'Provider Network',
    description: 'Shows and sets how a network is realised: type, physical network, segmentation id',
    updated: '2012-09-07T10:00:00-00:00',
    attributes: {
      networks: {
        'provider:network_type': { ...PROVIDER, validate: { 'type:string': 32 }, response: orNull(TEXT) },
        'provider:physical_network': { ...PROVIDER, validate: { 'type:string': 64 }, response: orNull(TEXT) },
        'provider:segmentation_id': { ...PROVIDER, convert_to: 'convert_to_int', response: orNull(INTEGER) },
      },
    },
  },
  {
    alias: 'multi-provider',
    name: 'Multi Provider Network',
    description: 'Networks of several segments, each with a type, a physical network and a segmentation id',
    updated: '2013-06-27T10:00:00-00:00',
    attributes: {
      networks: {
        segments: {
          allow_post: true,
          allow_put: true,
          validate: { 'type:network_segments': null },
          convert_list_to: 'convert_kvp_list_to_dict',
          default: ATTR_NOT_SPECIFIED,
          enforce_policy: true,
          is_visible: true,
          response: listOf(OBJECT),
        },
      },
    },
  },
  {
    alias: 'external-net',
    name: 'Neutron external network',
    description: 'Networks that lead outside: for gateways of routers and floating IPs',
    updated: '2013-01-14T10:00:00-00:00',
    attributes: {
      networks: {
        'router:external': { ...EXTERNAL, allow_post: true, allow_put: true },
        // Neutron has it with auto-allocated-topology; which external network is the default is decided here.
        is_default: { ...EXTERNAL, allow_post: true, allow_put: true },
      },
    },
  },
  {
    alias: 'subnet-external-network',
    name: 'Subnet belongs to an external network',
    description: 'Subnets say whether their network is external',
    updated: '2024-02-05T18:00:00-00:00',
    required_extensions: ['external-net'],
    attributes: { subnets: { 'router:external': { ...EXTERNAL, allow_post: false, allow_put: false } } },
  },
  {
    alias: 'network_availability_zone',
    name: 'Network Availability Zone',
    description: 'Networks name the availability zones that are to serve them',
    updated: '2015-01-01T10:00:00-00:00',
    required_extensions: ['availability_zone'],
    attributes: {
      networks: {
        availability_zones: { ...READ_ONLY, response: listOf(TEXT) },
        availability_zone_hints: {
          allow_post: true,
          allow_put: false,
          default: [],
          validate: { 'type:availability_zone_hint_list': null },
          is_visible: true,
          is_sort_key: true,
        },
      },
    },
  },
  {
    alias: 'subnet-service-types',
    name: 'Subnet service types',
    description: 'Subnets whose addresses are for ports of certain device owners',
    updated: '2016-03-15T18:00:00-00:00',
    attributes: {
      subnets: {
        service_types: {
          allow_post: true,
          allow_put: true,
          default: ATTR_NOT_SPECIFIED,
          // The rule lets all that is empty pass; what is kept is a list.
          convert_to: (value) => (pythonTruthy(value) ? value : []),
          validate: { 'type:list_of_subnet_service_types': null },
          is_visible: true,
        },
      },
    },
  },
  {
    alias: 'binding',
    name: 'Port Binding',
    description: 'Shows and sets where a port is and how it is plugged in',
    updated: '2014-02-03T10:00:00-00:00',
    attributes: {
      ports: {
        'binding:vif_type': { ...DERIVED, response: TEXT },
        'binding:vif_details': { ...DERIVED, response: OBJECT },
        'binding:vnic_type': {
          ...SETTABLE,
          default: 'normal',
          validate: {
            'type:values': VNIC_TYPES,
          },
        },
        'binding:host_id': { ...SETTABLE, validate: { 'type:string_or_none': 255 }, is_filter: true, response: TEXT },
        'binding:profile': { ...SETTABLE, validate: { 'type:dict_or_none': null }, response: OBJECT },
      },
    },
  },
];
