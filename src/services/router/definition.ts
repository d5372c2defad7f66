/** Routers, floating IPs and the extensions around them (neutron_lib.api.definitions.l3 and others). */
import { ATTR_NOT_SPECIFIED, type AttributeMap, type AttributeSpec } from '#src/lib/api/attributes.ts';
import {
  FOUND,
  ID,
  NAME,
  OWNER,
  READ_ONLY,
  STANDARD_ATTRIBUTES,
  STATUS,
  SWITCH,
} from '#src/lib/api/common_attributes.ts';
import type { ActionDefinition, ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, CIDR, IP, listOf, MAC, objectOf, orNull, type Schema, TEXT, UUID } from '#src/lib/api/schema.ts';

const FIXED_IPS = listOf(objectOf({ subnet_id: UUID, ip_address: IP }));
const GATEWAY = orNull(objectOf({ network_id: UUID, external_fixed_ips: FIXED_IPS, enable_snat: BOOLEAN }));

const gatewayInfo = (more: Readonly<Record<string, unknown>>): AttributeSpec => ({
  allow_post: true,
  allow_put: true,
  default: null,
  enforce_policy: true,
  validate: {
    'type:dict_or_nodata': {
      network_id: { 'type:uuid': null, required: true },
      external_fixed_ips: { 'type:fixed_ips': null, required: false },
      ...more,
    },
  },
  is_visible: true,
  response: GATEWAY,
});

const INTERFACE: Schema = {
  type: 'object',
  properties: { subnet_id: UUID, port_id: UUID },
  additionalProperties: true,
};
const ATTACHED = objectOf({
  id: UUID,
  project_id: TEXT,
  port_id: UUID,
  network_id: UUID,
  subnet_id: UUID,
  subnet_ids: listOf(UUID),
});
const ofInterfaces = { method: 'PUT', request: INTERFACE, response: ATTACHED } as const satisfies ActionDefinition;

const ROUTERS: ResourceDefinition = {
  collection: 'routers',
  member: 'router',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  member_actions: { add_router_interface: ofInterfaces, remove_router_interface: ofInterfaces },
  attributes: {
    id: ID,
    name: NAME,
    admin_state_up: SWITCH,
    status: { ...STATUS, is_filter: false },
    tenant_id: OWNER,
    project_id: OWNER,
    external_gateway_info: gatewayInfo({}),
    ...STANDARD_ATTRIBUTES,
  },
};

const ADDRESS = {
  allow_post: true,
  default: null,
  validate: { 'type:ip_address_or_none': null },
  is_visible: true,
  ...FOUND,
} as const satisfies Omit<AttributeSpec, 'allow_put'>;

const FLOATING_IPS: ResourceDefinition = {
  collection: 'floatingips',
  member: 'floatingip',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  attributes: {
    id: ID,
    floating_ip_address: { ...ADDRESS, allow_put: false, enforce_policy: true, response: IP },
    subnet_id: { allow_post: true, allow_put: false, default: null, validate: { 'type:uuid_or_none': null } },
    floating_network_id: {
      allow_post: true,
      allow_put: false,
      validate: { 'type:uuid': null },
      is_visible: true,
      ...FOUND,
    },
    router_id: { ...READ_ONLY, ...FOUND, default: null, response: orNull(UUID) },
    port_id: {
      allow_post: true,
      allow_put: true,
      default: null,
      validate: { 'type:uuid_or_none': null },
      is_visible: true,
      is_filter: true,
      required_by_policy: true,
      response: orNull(UUID),
    },
    fixed_ip_address: { ...ADDRESS, allow_put: true, response: orNull(IP) },
    tenant_id: OWNER,
    project_id: OWNER,
    status: STATUS,
    ...STANDARD_ATTRIBUTES,
  },
};

const shown = (response: Schema): AttributeSpec => ({ ...READ_ONLY, response });

/** Lists need an order: pools have that of their subnets. */
const POOLS: ResourceDefinition = {
  collection: 'floatingip_pools',
  member: 'floatingip_pool',
  operations: ['list'],
  quota: false,
  key: 'subnet_id',
  attributes: {
    subnet_id: { ...READ_ONLY, validate: { 'type:uuid': null }, primary_key: true, response: UUID },
    subnet_name: shown(TEXT),
    network_id: shown(UUID),
    cidr: shown(CIDR),
    project_id: { ...READ_ONLY, required_by_policy: true, response: TEXT },
  },
};

const ROUTES_BODY: Schema = objectOf({
  router: objectOf({ routes: listOf(objectOf({ destination: CIDR, nexthop: IP })) }),
});
const ofRoutes = { method: 'PUT', request: ROUTES_BODY, answers_item: true } as const satisfies ActionDefinition;

const PORT_DETAILS = objectOf({
  name: TEXT,
  network_id: UUID,
  mac_address: MAC,
  admin_state_up: BOOLEAN,
  status: TEXT,
  device_id: TEXT,
  device_owner: TEXT,
});

const ROUTES: AttributeMap = {
  routes: {
    allow_post: false,
    allow_put: true,
    default: ATTR_NOT_SPECIFIED,
    convert_to: 'convert_none_to_empty_list',
    validate: { 'type:hostroutes': null },
    is_visible: true,
    response: listOf(objectOf({ destination: CIDR, nexthop: IP })),
  },
};

export const ROUTER_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'router',
    name: 'Neutron L3 Router',
    description: 'Routers connect networks, and with their gateway and floating IPs to the outside',
    updated: '2012-07-20T10:00:00-00:00',
    resources: [ROUTERS, FLOATING_IPS],
  },
  {
    alias: 'ext-gw-mode',
    name: 'Neutron L3 Configurable external gateway mode',
    description: 'Whether the addresses behind a gateway are translated is said router by router',
    updated: '2013-03-28T10:00:00-00:00',
    required_extensions: ['router'],
    attributes: {
      routers: {
        external_gateway_info: gatewayInfo({
          enable_snat: { 'type:boolean': null, required: false, convert_to: 'convert_to_boolean' },
        }),
      },
    },
  },
  {
    alias: 'extraroute',
    name: 'Neutron Extra Route',
    description: 'Routers have routes beyond those to their own subnets',
    updated: '2013-02-01T10:00:00-00:00',
    required_extensions: ['router'],
    attributes: { routers: ROUTES },
  },
  {
    alias: 'extraroute-atomic',
    name: 'Atomically add/remove extra routes',
    description: 'Routes are added and removed, whatever others there are',
    updated: '2019-07-10T00:00:00+00:00',
    required_extensions: ['router', 'extraroute'],
    member_actions: { routers: { add_extraroutes: ofRoutes, remove_extraroutes: ofRoutes } },
  },
  {
    alias: 'fip-port-details',
    name: 'Floating IP Port Details Extension',
    description: 'Floating IPs show the port that they lead to',
    updated: '2018-04-09T10:00:00-00:00',
    required_extensions: ['router'],
    attributes: {
      floatingips: { port_details: { ...READ_ONLY, default: ATTR_NOT_SPECIFIED, response: orNull(PORT_DETAILS) } },
    },
  },
  {
    alias: 'floatingip-pools',
    name: 'Floating IP Pools Extension',
    description: 'The subnets that floating IPs can be had from',
    updated: '2018-03-21T10:00:00-00:00',
    required_extensions: ['router'],
    resources: [POOLS],
  },
  {
    alias: 'floating-ip-port-forwarding-detail',
    name: 'Floating IP port forwarding detail',
    description: 'Floating IPs show the ids of their port forwardings and of the ports that these lead to',
    updated: '2022-05-06T10:00:00-00:00',
  },
  {
    alias: 'l3-port-ip-change-not-allowed',
    name: 'Prevent L3 router ports IP address change extension',
    description: "Addresses of routers' interfaces are not changed by way of their ports",
    updated: '2018-10-09T10:00:00-00:00',
    required_extensions: ['router'],
  },
];
