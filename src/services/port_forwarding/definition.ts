/** The extensions around port forwardings (neutron_lib.api.definitions: floating_ip_port_forwarding, fip_pf_*, expose_port_forwarding_in_fip). */
import type { AttributeMap, AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { INTEGER, IP, listOf, orNull, type Schema, TEXT, UUID } from '#src/lib/api/schema.ts';

const WRITTEN = { allow_post: true, allow_put: true, is_visible: true } as const satisfies AttributeSpec;

export const PROTOCOLS = ['dccp', 'icmp', 'ipv6-icmp', 'sctp', 'tcp', 'udp'] as const;

const PORT: AttributeSpec = {
  ...WRITTEN,
  convert_to: 'convert_to_int',
  validate: { 'type:range': [1, 65535] },
  response: orNull(INTEGER),
};

const ATTRIBUTES: AttributeMap = {
  id: ID,
  project_id: {
    allow_post: true,
    allow_put: false,
    required_by_policy: true,
    validate: { 'type:string': 255 },
    is_visible: false,
  },
  external_port: { ...PORT, ...FOUND },
  internal_port: PORT,
  internal_ip_address: { ...WRITTEN, validate: { 'type:ip_address': null }, response: IP },
  protocol: {
    ...WRITTEN,
    ...FOUND,
    validate: { 'type:values': PROTOCOLS },
    convert_to: 'convert_to_protocol',
    response: TEXT,
  },
  internal_port_id: { ...WRITTEN, ...FOUND, validate: { 'type:uuid': null }, response: UUID },
};

const PORT_FORWARDINGS: ResourceDefinition = {
  collection: 'port_forwardings',
  member: 'port_forwarding',
  parent: { collection: 'floatingips', member: 'floatingip' },
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  // Neutron counts none either.
  quota: false,
  attributes: ATTRIBUTES,
};

const RANGE: AttributeSpec = { ...WRITTEN, default: null, validate: { 'type:port_range': [1, 65535] }, response: TEXT };
/** A port that need not be named where its range is; null of a range with several ports. */
const ONE_PORT: AttributeSpec = {
  ...WRITTEN,
  default: null,
  validate: { 'type:range_or_none': [1, 65535] },
  response: orNull(INTEGER),
};

/** A range of several ports has no port of its own. */
const SHOWN_IN_FLOATING_IP: Schema = {
  type: 'object',
  properties: {
    id: UUID,
    protocol: TEXT,
    internal_ip_address: IP,
    internal_port_id: UUID,
    internal_port: INTEGER,
    external_port: INTEGER,
  },
  required: ['id', 'protocol', 'internal_ip_address', 'internal_port_id'],
};

export const PORT_FORWARDING_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'floating-ip-port-forwarding',
    name: 'Floating IP Port Forwarding',
    description: 'Ports of a floating IP lead to ports of several addresses inside',
    updated: '2018-01-19T10:00:00-00:00',
    required_extensions: ['router'],
    resources: [PORT_FORWARDINGS],
  },
  {
    alias: 'floating-ip-port-forwarding-description',
    name: 'Floating IP Port Forwarding new attribute description',
    description: 'Port forwardings have a description',
    updated: '2019-11-01T10:00:00-00:00',
    required_extensions: ['floating-ip-port-forwarding'],
    attributes: {
      port_forwardings: {
        // Neutron's map says 1024, and its column holds 255.
        description: { ...WRITTEN, is_filter: true, default: '', validate: { 'type:string': 255 }, response: TEXT },
      },
    },
  },
  {
    alias: 'floating-ip-port-forwarding-port-ranges',
    name: 'Floating IP Port Forwarding support port ranges',
    description: 'Port forwardings are of ranges of ports, too',
    updated: '2020-07-01T10:00:00-00:00',
    required_extensions: ['floating-ip-port-forwarding'],
    optional_extensions: ['floating-ip-port-forwarding-description'],
    attributes: {
      port_forwardings: {
        external_port: { ...ONE_PORT, ...FOUND },
        internal_port: ONE_PORT,
        external_port_range: { ...RANGE, ...FOUND },
        internal_port_range: RANGE,
      },
    },
  },
  {
    alias: 'expose-port-forwarding-in-fip',
    name: 'Expose Floating IP port forwardings',
    description: 'Floating IPs show their port forwardings',
    updated: '2018-06-28T16:00:00-00:00',
    required_extensions: ['router', 'floating-ip-port-forwarding'],
    attributes: {
      floatingips: { port_forwardings: { ...READ_ONLY, default: null, response: listOf(SHOWN_IN_FLOATING_IP) } },
    },
  },
];
