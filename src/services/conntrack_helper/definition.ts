/** The extensions around conntrack helpers (neutron_lib.api.definitions: l3_conntrack_helper, expose_l3_conntrack_helper). */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { INTEGER, listOf, objectOf, TEXT } from '#src/lib/api/schema.ts';

const WRITTEN = { allow_post: true, allow_put: true, is_visible: true, ...FOUND } as const satisfies AttributeSpec;

const CONNTRACK_HELPERS: ResourceDefinition = {
  collection: 'conntrack_helpers',
  member: 'conntrack_helper',
  parent: { collection: 'routers', member: 'router' },
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  // Neutron counts none either.
  quota: false,
  attributes: {
    id: ID,
    project_id: {
      allow_post: true,
      allow_put: false,
      required_by_policy: true,
      validate: { 'type:string': 255 },
      is_visible: false,
    },
    protocol: {
      ...WRITTEN,
      validate: { 'type:values': ['dccp', 'icmp', 'ipv6-icmp', 'sctp', 'tcp', 'udp'] },
      convert_to: 'convert_to_protocol',
      response: TEXT,
    },
    port: {
      ...WRITTEN,
      convert_to: 'convert_to_int',
      validate: { 'type:range': [1, 65535] },
      response: INTEGER,
    },
    helper: { ...WRITTEN, convert_to: 'convert_to_string', validate: { 'type:string': 64 }, response: TEXT },
  },
};

export const CONNTRACK_HELPER_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'l3-conntrack-helper',
    name: 'L3 Conntrack helper',
    description: 'Routers follow protocols that open further connections',
    updated: '2019-04-04T10:00:00-00:00',
    required_extensions: ['router'],
    resources: [CONNTRACK_HELPERS],
  },
  {
    alias: 'expose-l3-conntrack-helper',
    name: 'Expose CT target rules for conntrack helper',
    description: 'Routers show their conntrack helpers',
    updated: '2019-04-04T10:00:00-00:00',
    required_extensions: ['router', 'l3-conntrack-helper'],
    attributes: {
      routers: {
        conntrack_helpers: {
          ...READ_ONLY,
          default: null,
          response: listOf(objectOf({ protocol: TEXT, port: INTEGER, helper: TEXT })),
        },
      },
    },
  },
];
