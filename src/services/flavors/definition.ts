/** The extensions `flavors` and `service-type` (neutron_lib.api.definitions.flavors, .servicetype). */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, NAME, READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, listOf, orNull, TEXT, UUID } from '#src/lib/api/schema.ts';

const LONG: AttributeSpec = {
  allow_post: true,
  allow_put: true,
  validate: { 'type:string_or_none': 1024 },
  default: '',
  is_visible: true,
  ...FOUND,
  response: orNull(TEXT),
};
const ENABLED: AttributeSpec = {
  allow_post: true,
  allow_put: true,
  convert_to: 'convert_to_boolean_if_not_none',
  default: true,
  is_visible: true,
  ...FOUND,
  response: BOOLEAN,
};

const FLAVORS: ResourceDefinition = {
  collection: 'flavors',
  member: 'flavor',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  quota: false,
  attributes: {
    id: ID,
    name: NAME,
    description: LONG,
    service_type: {
      allow_post: true,
      allow_put: false,
      validate: { 'type:service_plugin_type': null },
      is_visible: true,
      ...FOUND,
      response: TEXT,
    },
    // Taken, and of no effect, as in Neutron: profiles are associated one by one.
    service_profiles: {
      allow_post: true,
      allow_put: true,
      validate: { 'type:uuid_list': null },
      default: [],
      is_visible: true,
      response: listOf(UUID),
    },
    enabled: ENABLED,
  },
};

const SERVICE_PROFILES: ResourceDefinition = {
  collection: 'service_profiles',
  member: 'service_profile',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  quota: false,
  attributes: {
    id: ID,
    description: LONG,
    driver: {
      allow_post: true,
      allow_put: true,
      validate: { 'type:string': 1024 },
      default: '',
      is_visible: true,
      ...FOUND,
    },
    // Neutron's map has no rule for it, and its column holds 4096 characters.
    metainfo: {
      allow_post: true,
      allow_put: true,
      validate: { 'type:string_or_none': 4096 },
      default: '',
      is_visible: true,
      is_sort_key: true,
      response: orNull(TEXT),
    },
    enabled: ENABLED,
  },
};

/** Below a flavor: the profiles that it has. */
const PROFILES_OF_FLAVOR: ResourceDefinition = {
  collection: 'service_profiles',
  member: 'service_profile',
  parent: { collection: 'flavors', member: 'flavor' },
  operations: ['show', 'create', 'delete'],
  quota: false,
  attributes: { id: { ...ID, allow_post: true } },
};

/** Lists need an order: that of their configuration, whatever is asked. */
const SERVICE_PROVIDERS: ResourceDefinition = {
  collection: 'service_providers',
  member: 'service_provider',
  operations: ['list'],
  quota: false,
  key: 'name',
  attributes: {
    service_type: { ...READ_ONLY, is_filter: true, response: TEXT },
    name: { ...READ_ONLY, ...FOUND, response: TEXT },
    default: { ...READ_ONLY, is_filter: true, convert_to: 'convert_to_boolean', response: BOOLEAN },
  },
};

export const FLAVOR_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'flavors',
    name: 'Neutron Service Flavors',
    description: 'Flavors of services, and the profiles that they are made of',
    updated: '2015-09-17T10:00:00-00:00',
    resources: [FLAVORS, SERVICE_PROFILES, PROFILES_OF_FLAVOR],
  },
  {
    alias: 'service-type',
    name: 'Neutron Service Type Management',
    description: 'The providers that services have',
    updated: '2013-01-20T00:00:00-00:00',
    resources: [SERVICE_PROVIDERS],
  },
];
