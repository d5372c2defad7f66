/** Who may give routers several gateways. Which one is taken away is named by its addresses: that anybody may who may at all. */
import { ADMIN, ADMIN_OR_PROJECT_MEMBER, projectPolicies } from '#src/policy/mod.ts';

export const gatewayPolicies = projectPolicies({
  'create_router:enable_default_route_ecmp': ADMIN,
  'create_router:enable_default_route_bfd': ADMIN,
  'update_router:enable_default_route_ecmp': ADMIN,
  'update_router:enable_default_route_bfd': ADMIN,
  add_external_gateways: ADMIN_OR_PROJECT_MEMBER,
  'add_external_gateways:external_gateways': ADMIN_OR_PROJECT_MEMBER,
  'add_external_gateways:external_gateways:network_id': ADMIN_OR_PROJECT_MEMBER,
  'add_external_gateways:external_gateways:enable_snat': ADMIN,
  'add_external_gateways:external_gateways:external_fixed_ips': ADMIN,
  update_external_gateways: ADMIN_OR_PROJECT_MEMBER,
  'update_external_gateways:external_gateways': ADMIN_OR_PROJECT_MEMBER,
  'update_external_gateways:external_gateways:network_id': ADMIN_OR_PROJECT_MEMBER,
  'update_external_gateways:external_gateways:enable_snat': ADMIN,
  'update_external_gateways:external_gateways:external_fixed_ips': ADMIN,
  remove_external_gateways: ADMIN_OR_PROJECT_MEMBER,
  'remove_external_gateways:external_gateways': ADMIN_OR_PROJECT_MEMBER,
});
