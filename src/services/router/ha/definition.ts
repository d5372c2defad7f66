/** The attributes of high availability (neutron_lib.api.definitions.l3_ext_ha_mode, .network_ha). */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN } from '#src/lib/api/schema.ts';

export const HA_EXTENSIONS: readonly ExtensionDefinition[] = [
  {
    alias: 'l3-ha',
    name: 'HA Router extension',
    description: 'Routers are on several agents, one of which is active',
    updated: '2014-04-26T00:00:00-00:00',
    required_extensions: ['router'],
    attributes: {
      routers: {
        ha: {
          allow_post: true,
          allow_put: true,
          default: ATTR_NOT_SPECIFIED,
          is_visible: true,
          enforce_policy: true,
          convert_to: 'convert_to_boolean_if_not_none',
          response: BOOLEAN,
        },
      },
    },
  },
  {
    alias: 'network_ha',
    name: 'Network HA creation flag',
    description:
      "Makes a network the one on which the highly available routers of the caller's project hear of each other",
    updated: '2023-04-27T10:00:00-00:00',
    attributes: {
      networks: {
        ha: { allow_post: true, allow_put: false, is_visible: false, default: false, convert_to: 'convert_to_boolean' },
      },
    },
  },
];
