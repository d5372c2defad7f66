/**
 * The extensions around several gateways (neutron_lib.api.definitions.l3_ext_gw_multihoming, .l3_enable_default_route_ecmp, _bfd,
 * .router_enable_snat).
 */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import { FOUND, READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ActionDefinition, ExtensionDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN, IP, listOf, objectOf, type Schema, UUID } from '#src/lib/api/schema.ts';

const FIXED_IP: Schema = { type: 'object', properties: { subnet_id: UUID, ip_address: IP } };
const SHOWN = objectOf({ network_id: UUID, external_fixed_ips: listOf(FIXED_IP), enable_snat: BOOLEAN });
const ASKED: Schema = {
  type: 'object',
  properties: { network_id: UUID, external_fixed_ips: listOf(FIXED_IP), enable_snat: BOOLEAN },
  required: ['network_id'],
};

export const EXTERNAL_GATEWAYS: AttributeSpec = {
  allow_post: false,
  allow_put: false,
  default: null,
  enforce_policy: true,
  validate: {
    'type:list_of_dict_or_nodata': {
      network_id: { 'type:uuid': null, required: true },
      external_fixed_ips: { 'type:fixed_ips': null, required: false },
      enable_snat: { 'type:boolean': null, required: false, convert_to: 'convert_to_boolean' },
    },
  },
  is_visible: true,
  response: listOf(SHOWN),
};

const ofGateways = {
  method: 'PUT',
  request: objectOf({ router: objectOf({ external_gateways: listOf(ASKED) }) }),
  answers_item: true,
  enforces: ['external_gateways'],
} as const satisfies ActionDefinition;

const SWITCH: AttributeSpec = {
  allow_post: true,
  allow_put: true,
  default: null,
  convert_to: 'convert_to_boolean_if_not_none',
  enforce_policy: true,
  is_visible: true,
  response: BOOLEAN,
};

export const GATEWAY_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'external-gateway-multihoming',
    name: 'Neutron L3 External Gateway Multihoming',
    description: 'Routers have several gateways',
    updated: '2023-01-18T00:00:00-00:00',
    required_extensions: ['router', 'ext-gw-mode'],
    attributes: { routers: { external_gateways: EXTERNAL_GATEWAYS } },
    member_actions: {
      routers: {
        add_external_gateways: ofGateways,
        update_external_gateways: ofGateways,
        remove_external_gateways: ofGateways,
      },
    },
  },
  {
    alias: 'enable-default-route-ecmp',
    name: 'Enable Default Route ECMP',
    description: 'Default routes by several gateways are used side by side',
    updated: '2023-02-27T00:00:00-00:00',
    required_extensions: ['router', 'external-gateway-multihoming'],
    attributes: { routers: { enable_default_route_ecmp: SWITCH } },
  },
  {
    alias: 'enable-default-route-bfd',
    name: 'Enable Default Route BFD',
    description: 'Whether a default route leads somewhere is watched by BFD',
    updated: '2023-02-27T00:00:00-00:00',
    required_extensions: ['router', 'external-gateway-multihoming'],
    attributes: { routers: { enable_default_route_bfd: SWITCH } },
  },
  {
    alias: 'router-enable-snat',
    name: 'Exposes the router "enable_snat" read-only configuration flag',
    description: 'Whether a router translates addresses is shown, and routers are found by it',
    updated: '2025-09-18T18:00:00-00:00',
    required_extensions: ['router'],
    attributes: {
      routers: {
        enable_snat: {
          ...READ_ONLY,
          ...FOUND,
          default: true,
          convert_to: 'convert_to_boolean',
          required_by_policy: true,
          response: BOOLEAN,
        },
      },
    },
  },
];
