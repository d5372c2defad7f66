/** The extensions around NDP proxies (neutron_lib.api.definitions: l3_ndp_proxy, l3_ext_ndp_proxy). */
import { ATTR_NOT_SPECIFIED, type AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, ID, NAME, OWNER, STANDARD_ATTRIBUTES } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, IP, UUID } from '#src/lib/api/schema.ts';

const FIXED = { allow_post: true, allow_put: false, is_visible: true, ...FOUND } as const satisfies AttributeSpec;

const NDP_PROXIES: ResourceDefinition = {
  collection: 'ndp_proxies',
  member: 'ndp_proxy',
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
  // Neutron counts none either.
  quota: false,
  attributes: {
    id: ID,
    name: NAME,
    project_id: OWNER,
    router_id: { ...FIXED, validate: { 'type:uuid': null }, response: UUID },
    port_id: { ...FIXED, validate: { 'type:uuid': null }, response: UUID },
    ip_address: { ...FIXED, default: null, validate: { 'type:ip_address_or_none': null }, response: IP },
    ...STANDARD_ATTRIBUTES,
  },
};

export const NDP_PROXY_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'l3-ndp-proxy',
    name: 'L3 NDP Proxy',
    description: 'Routers answer outside for IPv6 addresses of ports inside',
    updated: '2021-06-29T10:00:00-00:00',
    required_extensions: ['router'],
    resources: [NDP_PROXIES],
  },
  {
    alias: 'l3-ext-ndp-proxy',
    name: 'Router support to enable NDP proxy',
    description: 'Routers say whether they may have NDP proxies',
    updated: '2020-08-25T00:00:00-00:00',
    required_extensions: ['router', 'ext-gw-mode'],
    attributes: {
      routers: {
        enable_ndp_proxy: {
          allow_post: true,
          allow_put: true,
          convert_to: 'convert_to_boolean_if_not_none',
          default: ATTR_NOT_SPECIFIED,
          is_visible: true,
          is_filter: true,
          response: BOOLEAN,
        },
      },
    },
  },
];
