/** The extension `l3-flavors` (neutron_lib.api.definitions.l3_flavors). */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import { orNull, UUID } from '#src/lib/api/schema.ts';

export const ROUTER_FLAVORS: ExtensionDefinition = {
  alias: 'l3-flavors',
  name: 'Router Flavor Extension',
  description: 'Routers are of a flavor, which says who serves them',
  updated: '2016-05-17T00:00:00-00:00',
  required_extensions: ['flavors', 'router'],
  attributes: {
    routers: {
      flavor_id: {
        allow_post: true,
        allow_put: false,
        default: ATTR_NOT_SPECIFIED,
        is_sort_key: true,
        is_visible: true,
        enforce_policy: true,
        response: orNull(UUID),
      },
    },
  },
};
